import { isObject } from "../../transcript/json/json.ts";
import { textOf } from "../../transcript/json/text.ts";
import { speechesIn } from "./speech.ts";
import { speechesOf, linesText, type ConversationLine } from "./speeches.ts";
import { QUOTED_BELOW } from "../words.ts";

/** How many characters of a conversation are kept over a reset: enough to continue, few enough to be accepted. */
const MAX_TAIL = 12_000;
const MAX_SPEECH = 2_000;

/** Options of {@link tailText}. */
export interface TailOptions {
  /** The sentence that explains why the conversation begins again. */
  opening: string;
  /**
   * True for a message that is the tail of an earlier reset; its speeches are carried over. To be decided by a mark,
   * never by text.
   */
  isTail?: (message: unknown) => boolean;
}

/**
 * Returns the end of a conversation as one plain text: speeches from the last one backwards, each shortened in its
 * middle to 2,000 characters, 12,000 in all, each under a line that names the speaker. Undefined when there are none.
 * Deterministic.
 */
export function tailText(
  messages: readonly unknown[],
  { opening, isTail = () => false }: TailOptions,
): string | undefined {
  const lines: ConversationLine[] = [];
  let length = 0;
  for (let at = messages.length - 1; at >= 0 && length < MAX_TAIL; at--) {
    const message = messages[at];
    const said = isTail(message) && isObject(message) ? speechesIn(textOf(message.content)) : speechesOf(message);
    for (let nth = said.length - 1; nth >= 0; nth--) {
      const line = cut(said[nth]!);
      length += "words" in line ? line.words.length + 40 : 40;
      if (length > MAX_TAIL && lines.length > 0) break;
      lines.push(line);
    }
  }
  return lines.length === 0 ? undefined : [`${opening} ${QUOTED_BELOW}`, linesText(lines.toReversed())].join("\n\n");
}

/** Shortens a long speech in its middle, never inside a surrogate pair. */
function cut(line: ConversationLine): ConversationLine {
  if (!("words" in line) || line.words.length <= MAX_SPEECH) return line;
  const half = MAX_SPEECH / 2;
  return {
    ...line,
    words: `${line.words.slice(0, half).toWellFormed()} […] ${line.words.slice(-half).toWellFormed()}`,
  };
}
