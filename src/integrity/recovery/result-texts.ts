import { quotedInline } from "../../base/quoted.ts";

/** Result text of a call whose tool could not run, beside other calls of the message that ran. */
export function failedCallText(reason: string): string {
  return `[This tool could not be run, and did nothing: ${reason}]`;
}

/** Text for the user when a conversation is refused and stays as it is. */
export function keptText(because: string, reason: string): string {
  return `The provider refuses this conversation (in the provider's words: ${quotedInline(reason)}). It is kept as it is, because ${because}. Please send your message again later, or start over with reset().`;
}

/** Text for the user behind an answer for which the whole history was left out. */
export const WITHOUT_HISTORY =
  "[The provider's content filter refuses the conversation so far. This answer was made from your last message alone; nothing was deleted.]";
