import { CodedError, makeErrorBuilder } from "../base/coded-error.ts";

/** Why the hook was not set up or taken out. */
export type RegisterErrorCode = "service-missing" | "service-unfit" | "hook-unfit" | "platform-unfit" | "not-writable";

/** Every refusal of a change of a service; nothing was changed. */
export class RegisterError extends CodedError<RegisterErrorCode> {
  override readonly name = "RegisterError";
}

/** Builds the three-part message of a refusal. */
export const registerError = makeErrorBuilder(RegisterError);
