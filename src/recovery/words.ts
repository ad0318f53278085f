import { isObject, type JsonObject } from "../transcript/json.ts";

/** The fixed words of the recovery: what the user is told, what the agent is told, what stands in place of what is not sent. */

/** How an assistant's message ends that a content filter or a refusal stopped. The wire gate knows such a message by these words. */
export const STOPPED_ANSWER =
  "[The provider's content filter stopped this answer. What was cut off is not kept, and no tool call in it was run.]";

/** The same where nothing at all came, which is what a filter leaves of an answer in some releases. */
export const STOPPED_SILENTLY = "[The provider ended this answer without a word, as it does when a content filter stops it.]";

/** The same for the answer that the agent tried after {@link STOPPED_ANSWER}. */
export const STOPPED_AGAIN = "[The provider's content filter stopped this answer twice. What was cut off is not kept, and no tool call in it was run.]";

/** All words that a stopped answer may end with. */
export const STOPPED_ANSWERS: readonly string[] = [STOPPED_ANSWER, STOPPED_SILENTLY, STOPPED_AGAIN];

/** The same when the filter refused what was sent, not what was answered. */
export const STOPPED_REQUEST =
  "[The provider's content filter refused what was sent last. It stays in the transcript but is not sent to the model again. Please say it in another way.]";

/** What the agent is told behind {@link STOPPED_ANSWER}, so that it does it differently. */
export const DO_IT_DIFFERENTLY =
  "[openclaw-integrity] The provider's content filter stopped your last answer while you were writing it. Nothing of the part that was cut off " +
  "was kept, and no tool call in it was run. Do not write the same again: go on in smaller pieces, in other words or in another way, or tell the " +
  "user what you cannot do.";

/** Stands in a request for a user's message that the content filter refused. */
export const REFUSED_MESSAGE = "[A message stood here that the provider's content filter refused. It is not sent again.]";

/** Stands in a request for a tool's result that the content filter refused. */
export const REFUSED_RESULT = "[This tool's result is not sent: the provider's content filter refused it.]";

/** Stands for a picture or file that the provider did not take. */
export const REFUSED_MEDIA = "[A picture or file stood here that the provider refused.]";

/** Stands for a message of which nothing is left to send. */
export const NOTHING_SAID = "[No words.]";

/** What the user reads once when history was sent in another form. */
export const CHANGED_NOTE =
  "[The provider refused a part of this conversation's history as invalid. It was sent again in another form; nothing was deleted.]";

/** How an answer ends whose tool call was cut off at a limit. */
export const CUT_SHORT = "[This answer was cut off at its length limit or by a content filter. The tool call in it was not run.]";

/** What the agent is told behind {@link CUT_SHORT}. */
export const GO_ON_IN_PIECES =
  "[openclaw-integrity] Your last answer was cut off while you were writing a tool call, which was not run. Go on, with the call in smaller pieces.";

/** What the user reads behind the answer that the agent found after {@link DO_IT_DIFFERENTLY}. */
export const STOPPED_BEFORE_NOTE = "[An earlier try of this answer was stopped by the provider.]";

/** How the text begins that carries the end of a conversation over a reset. */
export const TAIL_OPENING =
  "[openclaw-integrity] The provider refused the stored history of this conversation, so it was started anew. What was said last, as text:";

/** How {@link resetNotice} begins. */
export const RESET_OPENING = "[The provider refused this conversation's history,";

const REFUSED_OPENING = "[The provider refuses every request of this conversation,";

/** What the user reads when the history was put aside. */
export function resetNotice(archive: string, reason: string): string {
  return (
    `${RESET_OPENING} also after it had been repaired and sent as plain text (${reason}). The conversation was ` +
    `started anew with what was said last; the history is kept: ${archive} (openclaw-integrity sessions restore brings it back). Please send your message again.]`
  );
}

/** What the user reads when even a conversation that has just begun is refused. */
export function refusedNotice(reason: string): string {
  return `${REFUSED_OPENING} and its history is not the reason: ${reason}. Nothing was changed.]`;
}

/** True for an assistant's message that is nothing but a notice of ours. */
export function isOwnNotice({ content }: JsonObject): boolean {
  const only: unknown = Array.isArray(content) && content.length === 1 ? (content as unknown[])[0] : content;
  const words = isObject(only) ? only.text : only;
  return typeof words === "string" && [RESET_OPENING, REFUSED_OPENING, ...STOPPED_ANSWERS, STOPPED_REQUEST].some((opening) => words.trimStart().startsWith(opening));
}
