import type { Meaning } from "../../recovery/ladder.ts";
import { nextRung, type Rung } from "../../recovery/rungs.ts";
import { isStorable, treat, type Treatment } from "../../recovery/forms/treatment.ts";
import { appliesTo, hasAnswer, type Attempt } from "./attempt.ts";
import type { Core } from "../base/core.ts";
import { describeThrown } from "../base/errors.ts";
import { mend } from "../repair/mend.ts";
import { repairIn } from "../messages/native.ts";
import type { ErrorRecovery } from "../messages/results.ts";
import type { Session } from "../base/session.ts";
import { validateMessages } from "../messages/validate.ts";
import { keptText, NO_ANSWER_YET, REFUSED_IN_EVERY_FORM, REFUSES_EVERYTHING } from "./result-texts.ts";

/** A refusal of a request. */
export type Refusal = Extract<Meaning, { of: "refusal" }>;

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
  error: unknown,
  attempt?: Attempt,
): Promise<ErrorRecovery> {
  const { failure } = refusal;
  const details = { problem: failure.problem };
  if (!validateMessages(session, { allowOpenEnd: false }).valid && !core.config.autoRepair) {
    return {
      action: "escalate",
      message: `The provider refused the history, which is corrupt: ${describeThrown(error)}. repair() makes it valid.`,
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
    return { action: "escalate", message: describeThrown(error), details: { failure: failure.kind, offer: "reset" } };
  const rung = attempt ? attempt.ladder.refused(refusal) : await storeNext(core, session, failure);
  if (!rung.send) {
    if (rung.end === "endpoint") return refused(refusal, error, REFUSES_EVERYTHING);
    return refused(refusal, error, attempt && !hasAnswer(session) ? NO_ANSWER_YET : REFUSED_IN_EVERY_FORM);
  }
  const isAlone = rung.send.kind === "last_words";
  return {
    action: "repaired",
    message: isAlone
      ? "The provider refuses the history. What was said last is sent without it."
      : "The provider refused a part of the history. The part is kept, and is sent in another form. " +
        "Please send it again.",
    details: { ...details, rung: rung.send.kind },
  };
}

/** Stores another form, because the caller sends what is stored. */
async function storeNext(core: Core, session: Session, failure: Refusal["failure"]): Promise<Rung> {
  const { messages } = session;
  const allows = (one: Treatment): boolean => isStorable(one) && appliesTo(session, one);
  const climb = { failure, messages, sent: messages, allows, hasHistory: false };
  const rung = nextRung(core.memory(session).rungs, climb);
  if (rung.send) await session.replaceMessages(repairIn(session.format, treat([...messages], rung.send)).messages);
  return rung;
}

/** Says why a refused session stays as it is; for words that are not about the history, only what the provider says. */
function refused({ failure, words }: Refusal, error: unknown, because: string): ErrorRecovery {
  const reason = describeThrown(error);
  const isHistory = words === "history";
  const isCertain = isHistory && failure.problem !== "unspecified";
  return {
    action: "escalate",
    message: isCertain ? keptText(because, reason) : reason,
    details: { failure: isHistory ? failure.kind : "unknown", offer: "reset" },
  };
}
