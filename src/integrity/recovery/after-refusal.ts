import type { HistoryFailure } from "../../recovery/choose.ts";
import { nextRung, type Rung } from "../../recovery/rungs.ts";
import { isStorable, treat, type Treatment } from "../../recovery/forms/treatment.ts";
import { isObject } from "../../transcript/json/json.ts";
import type { Attempt } from "./attempt.ts";
import type { Core } from "../base/core.ts";
import { reasonOf } from "../base/errors.ts";
import { mend } from "../repair/mend.ts";
import { repairIn } from "../messages/native.ts";
import type { ErrorRecovery } from "../messages/results.ts";
import type { Session } from "../base/session.ts";
import { validateMessages } from "../messages/validate.ts";
import { keptText, NO_ANSWER_YET, REFUSED_IN_EVERY_FORM, REFUSES_EVERYTHING } from "./result-texts.ts";

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
  const rung = attempt ? tryNext(session, failure, attempt) : await storeNext(core, session, failure);
  if (!rung.send) {
    if (attempt && rung.end === "refused" && hasAnswer(session)) attempt.refusedInEachForm(core.memory(session));
    if (rung.end === "endpoint") return refused(refusal, REFUSES_EVERYTHING);
    return refused(refusal, attempt && !hasAnswer(session) ? NO_ANSWER_YET : REFUSED_IN_EVERY_FORM);
  }
  const isAlone = rung.send.kind === "last_words";
  return {
    action: "repaired",
    message: isAlone
      ? "The provider refuses the history. What was said last is sent without it."
      : "The provider refused a part of the history. The part is kept, and is sent in another form. Please send it again.",
    details: { ...details, rung: rung.send.kind },
  };
}

/** Chooses what the next request of a call is made with. */
function tryNext(session: Session, failure: HistoryFailure, attempt: Attempt): Rung {
  attempt.wasUnexplained = failure.problem === "unspecified";
  const { sent, body } = attempt;
  const allows = (one: Treatment): boolean => fits(session, one);
  const climb = { failure, messages: sent, sent, body, allows, hasHistory: hasAnswer(session) };
  const rung = nextRung(attempt.rungs, climb);
  if (rung.send) attempt.try(rung.send);
  return rung;
}

/** Stores another form, because the caller sends what is stored. */
async function storeNext(core: Core, session: Session, failure: HistoryFailure): Promise<Rung> {
  const { messages } = session;
  const allows = (one: Treatment): boolean => isStorable(one) && fits(session, one);
  const climb = { failure, messages, sent: messages, allows, hasHistory: false };
  const rung = nextRung(core.memory(session).rungs, climb);
  if (rung.send) await session.replaceMessages(repairIn(session.format, treat([...messages], rung.send)).messages);
  return rung;
}

export function hasAnswer({ messages }: Session): boolean {
  return messages.some((message) => isObject(message) && message.role === "assistant");
}

/**
 * Returns whether a treatment can apply to a session: in Anthropic's form the results of one message's calls share one
 * message, so `one_call_each` cannot separate them.
 */
function fits({ format }: Session, { kind }: Treatment): boolean {
  return format === "openclaw" || kind !== "one_call_each";
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
