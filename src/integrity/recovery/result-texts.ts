/** Texts that the library's recovery gives to models and users. */
import { quotedInline } from "../../base/quoted.ts";

/** Result text of a call whose tool could not run, beside other calls of the message that ran. */
export function failedCallText(reason: string): string {
  return `[This tool could not be run, and did nothing: ${reason}]`;
}

/** Text for the user when a conversation is refused and stays as it is. */
export function keptText(because: string, reason: string): string {
  return (
    `The provider refuses this conversation (in the provider's words: ${quotedInline(reason)}). It is kept as it ` +
    `is, because ${because}. Please send your message again later, or start over with reset().`
  );
}

export const REFUSES_EVERYTHING =
  "the provider refuses the last message alone too: it refuses every request, and the history is not the reason";

export const REFUSED_IN_EVERY_FORM = "it is not known whether the provider takes anything else";

/** Text for the user behind an answer that was made from the last words of a history that the provider refuses. */
export const FROM_LAST_WORDS =
  "[The provider refuses the conversation so far, and takes your last message. This answer was made from what " +
  "was said last; nothing was deleted.]";

/** Text for the user behind an answer for which the whole history was left out. */
export const WITHOUT_HISTORY =
  "[The provider's content filter refuses the conversation so far. This answer was made from your last message " +
  "alone; nothing was deleted.]";

export const NO_ANSWER_YET = "it has no answer yet, so its history is not the reason";
