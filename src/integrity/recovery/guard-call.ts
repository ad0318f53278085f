import { MAX_EXTRA_REQUESTS } from "../../recovery/rungs.ts";
import { Attempt } from "./attempt.ts";
import { JournalCheckpoints } from "../repair/checkpoint-store.ts";
import type { Core } from "../base/core.ts";
import { describeThrown } from "../base/errors.ts";
import { handleError } from "./handle-error.ts";
import { isFilteredAnswer } from "./provider-error.ts";
import { recover } from "../repair/recover.ts";
import { searchAfter } from "./search.ts";
import { repair } from "../repair/repair.ts";
import type { GuardedCall, RepairResult, ValidationResult } from "../messages/results.ts";
import type { Session } from "../base/session.ts";
import { validate } from "../messages/validate.ts";
import { assertKnownApi, sendThrough, type ApiCall, type GuardOptions, type WireGate } from "../wire-gate.ts";

const UNGUARDED: WireGate = { heal: (body) => body };

/** Makes an API call with a valid history and recovers from its failure. See SessionIntegrity.guardCall. */
export async function guardCall<T>(
  core: Core,
  session: Session,
  call: ApiCall<T>,
  options: GuardOptions = {},
): Promise<GuardedCall<T>> {
  assertKnownApi(options);
  if (!core.config.enabled)
    return { outcome: "answered", response: await call(session.messages as never[], UNGUARDED) };
  const warnings: string[] = [];
  const attempt = new Attempt(core, session, options);
  const withWarnings = (): Pick<GuardedCall<T>, "warnings"> => (warnings.length > 0 ? { warnings } : {});
  const checked = await core.inTurn(session, () => check(core, session, warnings));
  if (checked.blocked) {
    core.emit("l0:call:blocked", () => ({ sessionId: session.id, messages: session.messages.length }));
    return {
      outcome: "blocked",
      error: `The history cannot be sent: ${checked.blocked.error}. repair() makes it valid.`,
      validation: checked.blocked,
      repair: () => core.inTurn(session, () => repair(core, session)),
      ...withWarnings(),
    };
  }
  const repaired = checked.repaired && { repaired: checked.repaired };
  for (let extra = 0; ; extra++) {
    attempt.tries.extra = extra;
    attempt.checkpointId = await createCheckpoint(core, session, warnings);
    const outgoing = attempt.outgoing(core, session);
    let response: T;
    try {
      response = await sendThrough(call, session.format, outgoing, options, attempt);
      if (isFilteredAnswer(response)) throw new Error("finish_reason: content_filter");
    } catch (error) {
      const recovery = await core.inTurn(session, () => handleError(core, session, error, attempt));
      if (recovery.action === "repaired" && extra < MAX_EXTRA_REQUESTS) continue;
      await core.degrade("The failed call's checkpoint", warnings, () =>
        new JournalCheckpoints(core, session).abandon(attempt.checkpointId),
      );
      return { outcome: "failed", error: describeThrown(error), recovery, ...repaired, ...withWarnings() };
    }
    const notes = await answered(core, session, attempt, warnings);
    const search = searchAfter(core, session, attempt, options);
    return {
      outcome: "answered",
      response,
      ...(search && { search }),
      ...(notes.length > 0 && { notes }),
      ...repaired,
      ...withWarnings(),
    };
  }
}

/** Records an answered call. A failure to store this does not lose the answer. */
async function answered(core: Core, session: Session, attempt: Attempt, warnings: string[]): Promise<string[]> {
  const { notes, warning } = await core.inTurn(session, () => attempt.answered(core, session));
  if (warning !== undefined) warnings.push(warning);
  const { checkpointId } = attempt;
  if (checkpointId !== undefined) {
    const failed = await core.attempt("The commit of the call's checkpoint", () =>
      new JournalCheckpoints(core, session).commit(checkpointId),
    );
    if (failed !== undefined) warnings.push(failed);
  }
  return notes;
}

/**
 * Creates the checkpoint before a request; returns undefined when the journal cannot store it, and the call continues
 * without.
 */
async function createCheckpoint(core: Core, session: Session, warnings: string[]): Promise<string | undefined> {
  return core.degrade(
    "A checkpoint",
    warnings,
    async () => (await new JournalCheckpoints(core, session).create(session.id, "api_call")).id,
  );
}

async function check(
  core: Core,
  session: Session,
  warnings: string[],
): Promise<{ blocked?: ValidationResult; repaired?: RepairResult }> {
  if (!core.config.validateBeforeCall) return {};
  // Completes cycles that a crash interrupted; costs one query when there are none.
  if (core.config.autoRepair) await core.degrade("Recovery after a crash", warnings, () => recover(core, session));
  // A history that ends with an open call cannot be sent either.
  const validation = validate(core, session, { allowOpenEnd: false });
  if (validation.valid) return {};
  // A tool of this process is running and its result will come: a repair would invent one.
  if (!core.config.autoRepair || core.liveIn(session) > 0) return { blocked: validation };
  return { repaired: await repair(core, session) };
}
