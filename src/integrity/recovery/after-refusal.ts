import type { HistoryFailure } from "../../recovery/choose.ts";
import { nextTreatment } from "../../recovery/rungs.ts";
import { isStorable, treat, type Treatment } from "../../recovery/treatment.ts";
import { isObject } from "../../transcript/json/json.ts";
import type { Attempt } from "./attempt.ts";
import type { Core } from "../base/core.ts";
import { reasonOf } from "../base/errors.ts";
import { beginsWith } from "../base/session-memory.ts";
import { mend } from "../repair/mend.ts";
import { repairIn } from "../messages/native.ts";
import type { ErrorRecovery } from "../messages/results.ts";
import type { Session } from "../base/session.ts";
import { validateMessages } from "../messages/validate.ts";
import { keptText, REFUSED_IN_EVERY_FORM, REFUSES_EVERYTHING } from "./result-texts.ts";

/** A refusal, and the error that reported it. */
export interface Refusal {
  failure: HistoryFailure;
  error: unknown;
  /** False for an error that no rule recognises: a reason to try another form of the history, not to blame it. */
  isHistory: boolean;
}

/**
 * Tries the rungs for a history that a provider refuses: the known rules, the position that the provider names, all
 * tool traffic as text. With `guardCall` another form is only sent, and stored when it was answered, and in the end the
 * last words are sent alone; otherwise it is stored at once. Nothing is archived: only a program knows whether the
 * provider takes anything else.
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
  if (attempt?.rungs.isAlone) return refused(refusal, REFUSES_EVERYTHING);
  const treatment = attempt ? tryNext(session, failure, attempt) : await storeNext(core, session, failure);
  if (treatment) {
    const message =
      "The provider refused a part of the history. The part is kept, and is sent in another form. Please send it again.";
    return { action: "repaired", message, details: { ...details, rung: treatment.kind } };
  }
  return attempt ? onTheWhole(core, session, refusal, attempt) : refused(refusal, REFUSED_IN_EVERY_FORM);
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
 * Decides when no form of the history is left to be sent in this call: the last words are sent alone, which shows
 * whether the history is the reason. The session is not changed.
 */
function onTheWhole(core: Core, session: Session, refusal: Refusal, attempt: Attempt): ErrorRecovery {
  const memory = core.memory(session);
  memory.isRefused = true;
  if (!session.messages.some((message) => isObject(message) && message.role === "assistant"))
    return refused(refusal, "it has no answer yet, so its history is not the reason");
  if (memory.taken && beginsWith(core.chain(session), session.messages, memory.taken))
    return refused(refusal, "nothing is found wrong with its history, and the provider took the same history before");
  if (!attempt.mayResend) return refused(refusal, REFUSED_IN_EVERY_FORM);
  attempt.sendLastWords();
  const message = "The provider refuses the history. What was said last is sent without it.";
  return { action: "repaired", message, details: { problem: refusal.failure.problem, rung: "last_words" } };
}

/** Says why a refused session stays as it is; for an error that no rule recognises, only what the provider says. */
function refused({ failure, error, isHistory }: Refusal, because: string): ErrorRecovery {
  const reason = reasonOf(error);
  const isCertain = isHistory && failure.problem !== "unspecified";
  return {
    action: "escalate",
    message: isCertain ? keptText(because, reason) : reason,
    details: { failure: isHistory ? failure.kind : "unknown", offer: "reset" },
  };
}
