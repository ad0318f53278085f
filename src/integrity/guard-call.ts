import { JournalCheckpoints } from "./checkpoint-store.ts";
import type { Core } from "./core.ts";
import { reasonOf } from "./errors.ts";
import { handleError } from "./handle-error.ts";
import { isFilteredAnswer } from "./provider-error.ts";
import { recover } from "./recover.ts";
import { repair } from "./repair.ts";
import type { GuardedCall, RepairResult, ValidationResult } from "./results.ts";
import type { Session } from "./session.ts";
import { validate } from "./validate.ts";

/** Makes one request to a model with the history that it is given. */
export type ApiCall<T> = (messages: readonly unknown[]) => Promise<T>;

/** Requests beyond the first one, each after a repair. */
const MAX_EXTRA = 2;

/** Makes an API call with a history that can be sent, and recovers from its failure. See SessionIntegrity.guardCall. */
export async function guardCall<T>(core: Core, session: Session, call: ApiCall<T>): Promise<GuardedCall<T>> {
  if (!core.config.enabled) return { outcome: "answered", response: await call(session.messages) };
  const checked = core.config.validateBeforeCall ? await core.inTurn(session, () => check(core, session)) : {};
  if (checked.blocked) {
    core.emit("l0:call:blocked", () => ({ sessionId: session.id, messages: session.messages.length }));
    return {
      outcome: "blocked",
      error: `The history cannot be sent: ${checked.blocked.error}. repair() makes it valid.`,
      validation: checked.blocked,
      repair: () => core.inTurn(session, () => repair(core, session)),
    };
  }
  const repaired = checked.repaired && { repaired: checked.repaired };
  for (let extra = 0; ; extra++) {
    const checkpoint = await new JournalCheckpoints(core, session).create(session.id, "api_call");
    try {
      const response = await call(session.messages);
      if (isFilteredAnswer(response)) throw new Error("finish_reason: content_filter");
      core.rungs.delete(session.id);
      await core.attempt("The end of the call", () => new JournalCheckpoints(core, session).commit(checkpoint.id));
      return { outcome: "answered", response, ...repaired };
    } catch (error) {
      const recovery = await core.inTurn(session, () => handleError(core, session, error));
      if (recovery.action === "repaired" && extra < MAX_EXTRA) continue;
      return { outcome: "failed", error: reasonOf(error), recovery, ...repaired };
    }
  }
}

async function check(core: Core, session: Session): Promise<{ blocked?: ValidationResult; repaired?: RepairResult }> {
  // What a crash has cut off, one look into the journal where there is nothing.
  if (core.config.autoRepair) await recover(core, session);
  // A call at the end that is still open cannot be sent either.
  const validation = validate(core, session, { allowOpenEnd: false });
  if (validation.valid) return {};
  // A tool is at work on it: its result comes, and inventing one now would be wrong.
  if (!core.config.autoRepair || core.liveIn(session) > 0) return { blocked: validation };
  return { repaired: await repair(core, session) };
}
