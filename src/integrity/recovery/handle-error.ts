import type { ProviderFailure } from "../../recovery/failure.ts";
import { afterFilter, count } from "./after-filter.ts";
import { afterRefusal } from "./after-refusal.ts";
import type { Attempt } from "./attempt.ts";
import type { Core } from "../base/core.ts";
import { reasonOf } from "../base/errors.ts";
import { failureOf } from "./provider-error.ts";
import { recover } from "../repair/recover.ts";
import type { ErrorRecovery } from "../messages/results.ts";
import { takeBack } from "./rollback.ts";
import type { Session } from "../base/session.ts";

/**
 * Decides what an error means for the session and does it; `attempt` is the call that failed, where it goes through
 * `guardCall`. See SessionIntegrity.handleError.
 */
export async function handleError(
  core: Core,
  session: Session,
  error: unknown,
  attempt?: Attempt,
): Promise<ErrorRecovery> {
  const failure = failureOf(error);
  const since = performance.now();
  tellFailure(core, session, failure);
  const place = attempt ? undefined : core.underWay(session);
  const recovery = core.config.enabled
    ? await recoveryFrom(core, session, error, failure, attempt)
    : escalated(error, failure);
  // Whoever reports an error has ended the operation.
  if (place) core.ended(session, place.id);
  await core.attempt("The incident", () =>
    core.journal.incidents.log({
      sessionId: session.id,
      kind: failure.kind,
      details: {
        action: recovery.action,
        ...(recovery.checkpoint && { checkpoint: recovery.checkpoint }),
        ...recovery.details,
      },
    }),
  );
  const rung = recovery.details?.rung;
  if (typeof rung === "string") core.emit("l0:recovery:retried", () => ({ sessionId: session.id }), { kind: rung });
  core.emit(
    "l0:recovery:complete",
    () => ({
      sessionId: session.id,
      steps: 1,
      rungs: typeof rung === "string" ? [rung] : [],
      isArchived: recovery.action === "reset",
    }),
    {
      since,
      kind: recovery.action === "escalate" ? "escalated" : recovery.action,
    },
  );
  return recovery;
}

function tellFailure(core: Core, { id: sessionId }: Session, failure: ProviderFailure): void {
  if (failure.kind === "content_filter")
    core.emit("l0:recovery:stopped", () => ({ sessionId }), { kind: failure.part });
  if (failure.kind !== "history") return;
  const { message, block, ids, problem } = failure;
  core.emit("l0:recovery:refused", () => ({ sessionId, message, block, ids }), { kind: problem });
}

async function recoveryFrom(
  core: Core,
  session: Session,
  error: unknown,
  failure: ProviderFailure,
  attempt?: Attempt,
): Promise<ErrorRecovery> {
  // What a crash has cut off comes first: its results are what is not taken back.
  await core.degrade("What a crash cut off", [], () => recover(core, session));
  switch (failure.kind) {
    case "content_filter":
      return afterFilter(core, session, failure.part, attempt);
    case "history":
      return afterRefusal(core, session, { failure, error, isHistory: true }, attempt);
    case "unknown":
      // What has begun to answer has let the request pass, whatever the error says.
      if (hasBegun(core, session, attempt)) return afterOther(core, session, error, failure, attempt);
      return afterRefusal(
        core,
        session,
        { failure: { kind: "history", problem: "unspecified", ids: [] }, error, isHistory: false },
        attempt,
      );
    default:
      return afterOther(core, session, error, failure, attempt);
  }
}

/** Whether the operation that failed has added something to the history. */
function hasBegun(core: Core, session: Session, attempt: Attempt | undefined): boolean {
  const base = attempt ? attempt.base.end : core.underWay(session)?.messageIndex;
  return base !== undefined && base < session.messages.length;
}

/**
 * Not about the history: what was added by the operation that failed is taken back, and the session is as it was before
 * it.
 */
async function afterOther(
  core: Core,
  session: Session,
  error: unknown,
  failure: ProviderFailure,
  attempt?: Attempt,
): Promise<ErrorRecovery> {
  const place = attempt ? { id: attempt.checkpointId, messageIndex: attempt.base.end } : core.underWay(session);
  if (place && place.messageIndex < session.messages.length) {
    const { messagesRemoved } = await takeBack(core, session, place);
    if (messagesRemoved > 0) {
      const message = `The call failed (${reasonOf(error)}). Its unfinished part, ${count(messagesRemoved)}, was taken back.`;
      return {
        action: "rolled_back",
        message,
        ...(place.id !== undefined && { checkpoint: place.id }),
        details: { failure: failure.kind, messagesRemoved },
      };
    }
  }
  return escalated(error, failure);
}

function escalated(error: unknown, failure: ProviderFailure): ErrorRecovery {
  return { action: "escalate", message: reasonOf(error), details: { failure: failure.kind } };
}
