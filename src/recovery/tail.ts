import { isObject } from "../transcript/json/json.ts";
import { textOf } from "../transcript/json/text.ts";
import { speechesIn } from "./speech.ts";
import { speechesOf, toldText, type Told } from "./speeches.ts";
import { QUOTED_BELOW } from "./words.ts";

/** How much of a conversation goes over a reset: enough to go on, small enough to harm nothing. Characters. */
const MAX_TAIL = 12_000;
const MAX_SPEECH = 2_000;

/** What the tail of a conversation is made of. */
export interface TailOptions {
  /** Why the conversation begins again, in a sentence of ours. */
  opening: string;
  /**
   * Whether a message is the tail of an earlier reset, which is carried on as what it is. Told by a mark, never by
   * words.
   */
  isTail?: (message: unknown) => boolean;
}

/**
 * The end of a conversation as one plain text: whole speeches from the last one backwards, each cut in its middle at
 * 2,000 characters, 12,000 in all, each under a line that says whose words they are. Undefined when nothing was said.
 * Deterministic.
 */
export function tailText(
  messages: readonly unknown[],
  { opening, isTail = () => false }: TailOptions,
): string | undefined {
  const lines: Told[] = [];
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
  return lines.length === 0 ? undefined : [`${opening} ${QUOTED_BELOW}`, toldText(lines.toReversed())].join("\n\n");
}

/** The words with their middle left out, never through half a character. */
function cut(line: Told): Told {
  if (!("words" in line) || line.words.length <= MAX_SPEECH) return line;
  const half = MAX_SPEECH / 2;
  return {
    ...line,
    words: `${line.words.slice(0, half).toWellFormed()} […] ${line.words.slice(-half).toWellFormed()}`,
  };
}
