import { isObject } from "../../transcript/json/json.ts";
import { readText } from "../../transcript/json/text.ts";
import { cutMiddle } from "./cut-middle.ts";
import { speechesIn } from "./speech.ts";
import { readSpeeches, linesText, type ConversationLine } from "./speeches.ts";
import { QUOTED_BELOW } from "../words.ts";

/** How many characters of a conversation are kept over a reset: enough to continue, few enough to be accepted. */
const MAX_TAIL = 12_000;

/** How much of the text one speech may have. */
const SPEECH_SHARE = 6;

/** Options of {@link tailText}. */
export interface TailOptions {
  /** The sentence that explains why the conversation begins again. */
  opening: string;
  /**
   * True for a message that is the tail of an earlier reset; its speeches are carried over. To be decided by a mark,
   * never by text.
   */
  isTail?: (message: unknown) => boolean;
  /** How many characters of speeches are kept, 12,000 without it. */
  characters?: number;
}

/**
 * Returns the end of a conversation as one plain text: speeches from the last one backwards, each shortened in its
 * middle to a sixth of `characters`, each under a line that names the speaker. Undefined when there are none.
 * Deterministic.
 */
export function tailText(
  messages: readonly unknown[],
  { opening, isTail = () => false, characters = MAX_TAIL }: TailOptions,
): string | undefined {
  const lines: ConversationLine[] = [];
  let length = 0;
  for (let at = messages.length - 1; at >= 0 && length < characters; at--) {
    const message = messages[at];
    const said = isTail(message) && isObject(message) ? speechesIn(readText(message.content)) : readSpeeches(message);
    for (let nth = said.length - 1; nth >= 0; nth--) {
      const line = shortened(said[nth]!, Math.floor(characters / SPEECH_SHARE));
      length += "words" in line ? line.words.length + 40 : 40;
      if (length > characters && lines.length > 0) break;
      lines.push(line);
    }
  }
  return lines.length === 0 ? undefined : [`${opening} ${QUOTED_BELOW}`, linesText(lines.toReversed())].join("\n\n");
}

function shortened(line: ConversationLine, most: number): ConversationLine {
  return "words" in line && line.words.length > most ? { ...line, words: cutMiddle(line.words, most) } : line;
}
