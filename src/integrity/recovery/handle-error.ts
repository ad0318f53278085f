import type { ProviderFailure } from "../../recovery/failure.ts";
import { interpretFailure } from "../../recovery/ladder.ts";
import { afterFilter, count } from "./after-filter.ts";
import { afterRefusal } from "./after-refusal.ts";
import type { Attempt } from "./attempt.ts";
import type { Core } from "../base/core.ts";
import { describeThrown } from "../base/errors.ts";
import { errorIn, classifyError } from "./provider-error.ts";
import { recover } from "../repair/recover.ts";
import type { ErrorRecovery } from "../messages/results.ts";
import { removeUnfinished } from "./rollback.ts";
import type { Session } from "../base/session.ts";

/**
 * Handles an error of a call. `attempt` is the failed call when it was made with `guardCall`. See
 * SessionIntegrity.handleError.
 */
export async function handleError(
  core: Core,
  session: Session,
  error: unknown,
  attempt?: Attempt,
): Promise<ErrorRecovery> {
  const failure = classifyError(error);
  const since = performance.now();
  emitFailure(core, session, failure);
  const place = attempt ? undefined : core.underWay(session);
  const recovery = core.config.enabled
    ? await recoveryFrom(core, session, error, failure, attempt)
    : escalated(error, failure);
  // A caller that reports an error has ended the operation.
  if (place) core.ended(session, place.id);
  await core.attempt("The incident of the error", () =>
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
      isArchived: false,
    }),
    {
      since,
      kind: recovery.action === "escalate" ? "escalated" : recovery.action,
    },
  );
  return recovery;
}

function emitFailure(core: Core, { id: sessionId }: Session, failure: ProviderFailure): void {
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
  // Completes interrupted cycles first: their real results are then not rolled back.
  await core.degrade("Recovery after a crash", [], () => recover(core, session));
  const hasBegun = isBegun(core, session, attempt);
  const taught = attempt?.ladder.taught(failure);
  if (taught)
    return {
      action: "repaired",
      message:
        "The provider does not take a form or a part of the request. It is sent in another form. Please send it again.",
      details: { problem: "route", rung: taught.kind },
    };
  // A provider that began to answer has accepted the request; words about the history are of what the call has added.
  const meaning = interpretFailure(failure, hasBegun && failure.kind !== "history", attempt?.sent ?? session.messages);
  switch (meaning.of) {
    case "stop":
      return afterFilter(core, session, meaning.part, attempt);
    case "refusal":
      // Words about something else may mislead: what is only sent, and not stored, is tried.
      if (attempt || meaning.words === "history" || meaning.words === "unknown")
        return afterRefusal(core, session, meaning, error, attempt);
      break;
    case "outage":
      if (attempt && core.config.autoRepair && attempt.ladder.failed(errorIn(error)))
        return {
          action: "repaired",
          message: "The provider fails with this history again and again. What was said last is sent without it.",
          details: { problem: "unspecified", rung: "last_words" },
        };
      break;
    default:
  }
  return afterOther(core, session, error, failure, attempt);
}

/** Returns whether the failed operation has appended to the history. */
function isBegun(core: Core, session: Session, attempt: Attempt | undefined): boolean {
  const base = attempt ? attempt.base.end : core.underWay(session)?.messageIndex;
  return base !== undefined && base < session.messages.length;
}

/**
 * Handles an error that is not about the history: removes what the failed operation appended, so that the session is as
 * it was before.
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
    const { messagesRemoved } = await removeUnfinished(core, session, place);
    if (messagesRemoved > 0) {
      const removed = `Its unfinished part, ${count(messagesRemoved)}, was removed.`;
      const message = `The call failed (${describeThrown(error)}). ${removed}`;
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
  return { action: "escalate", message: describeThrown(error), details: { failure: failure.kind } };
}
