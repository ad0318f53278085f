import { spokenLine } from "./one-message.ts";
import { TAIL_OPENING } from "./words.ts";

/** How much of a conversation goes over a reset: enough to go on, small enough to harm nothing. Characters. */
const MAX_TAIL = 12_000;
const MAX_MESSAGE = 2_000;

/**
 * The end of a conversation as one plain text: whole messages from the last one backwards, each cut in its middle at 2,000
 * characters, 12,000 in all; tool traffic in words. Undefined when nothing was said. Deterministic. Issue 4, rung 4.
 */
export function tailText(messages: readonly unknown[]): string | undefined {
  const lines: string[] = [];
  let length = 0;
  for (let at = messages.length - 1; at >= 0; at--) {
    const line = lineOf(messages[at]);
    if (line === undefined) continue;
    if (length + line.length > MAX_TAIL && lines.length > 0) break;
    lines.unshift(line);
    length += line.length;
  }
  return lines.length === 0 ? undefined : `${TAIL_OPENING}\n\n${lines.join("\n\n")}`;
}

function lineOf(message: unknown): string | undefined {
  const line = spokenLine(message);
  if (!line) return undefined;
  const { speaker, words } = line;
  // The tail of an earlier reset is carried on without its opening words.
  return words.startsWith(TAIL_OPENING) ? cut(words.slice(TAIL_OPENING.length).trim(), MAX_TAIL / 2) : `${speaker}: ${cut(words, MAX_MESSAGE)}`;
}

/** The text with its middle left out, never through half a character. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const half = Math.floor(length / 2);
  return `${text.slice(0, half).toWellFormed()} […] ${text.slice(-half).toWellFormed()}`;
}
