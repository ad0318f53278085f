import type { HistoryFailure } from "../../recovery/choose.ts";
import { nextTreatment, RESET_PAUSE_MS } from "../../recovery/rungs.ts";
import { isStorable, treat, type Treatment } from "../../recovery/treatment.ts";
import { REFUSED_OPENING } from "../../recovery/words.ts";
import { archiveIdOf } from "../../store/archives/archive-id.ts";
import { isObject } from "../../transcript/json/json.ts";
import type { Attempt } from "./attempt.ts";
import type { Core } from "../base/core.ts";
import { reasonOf } from "../base/errors.ts";
import { beginsWith } from "../base/session-memory.ts";
import { mend } from "../repair/mend.ts";
import { repairIn } from "../messages/native.ts";
import { reset } from "./reset.ts";
import type { ErrorRecovery } from "../messages/results.ts";
import type { Session } from "../base/session.ts";
import { validateMessages } from "../messages/validate.ts";
import { keptText } from "./result-texts.ts";

/** A refusal, and the error that reported it. */
export interface Refusal {
  failure: HistoryFailure;
  error: unknown;
  /** False for an error that no rule recognises: a reason to try another form of the history, not to reset. */
  isHistory: boolean;
}

/**
 * Tries the rungs for a history that a provider refuses: the known rules, the position that the provider names, all
 * tool traffic as text, and at last a reset. With `guardCall` another form is only sent, and stored when it was
 * answered; otherwise it is stored at once.
 */
export async function afterRefusal(
  core: Core,
  session: Session,
  refusal: Refusal,
  attempt?: Attempt,
): Promise<ErrorRecovery> {
  const { failure, error } = refusal;
  const details = { problem: failure.problem };
  if (!validateMessages(session, { allowOpenEnd: false }).valid && !core.config.autoRepair) {
    return {
      action: "escalate",
      message: `The provider refused the history, which is corrupt: ${reasonOf(error)}. repair() makes it valid.`,
      details: { ...details, offer: "repair" },
    };
  }
  if (await mend(core, session))
    return {
      action: "repaired",
      message: "The history was corrupt and has been repaired. Please send it again.",
      details: { ...details, rung: "repair" },
    };
  if (!core.config.autoRepair)
    return { action: "escalate", message: reasonOf(error), details: { failure: failure.kind, offer: "reset" } };
  const treatment = attempt ? tryNext(session, failure, attempt) : await storeNext(core, session, failure);
  if (treatment) {
    const message =
      "The provider refused a part of the history. The part is kept, and is sent in another form. Please send it again.";
    return { action: "repaired", message, details: { ...details, rung: treatment.kind } };
  }
  return putAside(core, session, refusal);
}

/** Chooses another form for the next request of a call. */
function tryNext(session: Session, failure: HistoryFailure, attempt: Attempt): Treatment | undefined {
  attempt.wasUnexplained = failure.problem === "unspecified";
  if (!attempt.mayResend) return undefined;
  const treatment = nextTreatment(attempt.rungs, {
    failure,
    messages: attempt.sent,
    sent: attempt.sent,
    allows: (one) => fits(session, one),
  });
  if (treatment) attempt.treatments.push(treatment);
  return treatment;
}

/** Stores another form, because the caller sends what is stored. */
async function storeNext(core: Core, session: Session, failure: HistoryFailure): Promise<Treatment | undefined> {
  const { messages } = session;
  const allows = (one: Treatment): boolean => isStorable(one) && fits(session, one);
  const treatment = nextTreatment(core.memory(session).rungs, { failure, messages, sent: messages, allows });
  if (treatment) await session.replaceMessages(repairIn(session.format, treat([...messages], treatment)).messages);
  return treatment;
}

/**
 * Returns whether a treatment can apply to a session: in Anthropic's form the results of one message's calls share one
 * message, so `one_call_each` cannot separate them.
 */
function fits({ format }: Session, { kind }: Treatment): boolean {
  return format === "openclaw" || kind !== "one_call_each";
}

/**
 * The last rung: resets the session, or says why it stays as it is. Forged refusals of a proxy must not be able to
 * empty a conversation.
 */
async function putAside(core: Core, session: Session, { failure, error, isHistory }: Refusal): Promise<ErrorRecovery> {
  const memory = core.memory(session);
  const reason = reasonOf(error);
  const kept = (because?: string): ErrorRecovery => ({
    action: "escalate",
    message: because === undefined ? reason : keptText(because, reason),
    details: { failure: isHistory ? failure.kind : "unknown" },
  });
  // A single unexplained refusal may have any reason.
  if (!isHistory || (failure.problem === "unspecified" && ++memory.refusals < 2)) return kept();
  if (!session.messages.some((message) => isObject(message) && message.role === "assistant"))
    return kept("it has no answer yet, so its history is not the reason");
  if (memory.taken && beginsWith(core.chain(session), session.messages, memory.taken)) {
    return kept("nothing is found wrong with its history, and the provider took the same history before");
  }
  if (Date.now() - (await lastReset(core, session)) < RESET_PAUSE_MS)
    return kept("it was already reset within the last 24 hours");
  const { archive, remainingMessages } = await reset(core, session, {}, REFUSED_OPENING);
  memory.resetAt = Date.now();
  const message = `The provider refused the history in every form, so the conversation was reset and continues with its last words. The old history is kept${archive === undefined ? "" : ` as ${archiveIdOf(archive)}`}.`;
  return { action: "reset", message, details: { problem: failure.problem, archive, remainingMessages } };
}

/** Returns the time of the last reset after a refusal, in milliseconds since 1970; -Infinity for never. */
async function lastReset(core: Core, session: Session): Promise<number> {
  let at = core.memory(session).resetAt ?? -Infinity;
  await core.attempt("Earlier incidents", () => {
    const last = core.journal.incidents
      .list({ sessionId: session.id })
      .find(({ details }) => details.action === "reset");
    if (last) at = Math.max(at, last.at);
  });
  return at;
}
