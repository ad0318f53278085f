import { CodedError, makeErrorBuilder } from "../base/coded-error.ts";

/** Why an agent could not be tested: nothing is known of it then. */
export class AgentTestError extends CodedError<"cannot-run"> {
  override readonly name = "AgentTestError";
}

const build = makeErrorBuilder(AgentTestError);

/** Returns an {@link AgentTestError} that says what to do. */
export const cannotRun = (parts: Parameters<typeof build>[1]): AgentTestError => build("cannot-run", parts);
