import { isBlank, isObject, type JsonObject } from "../transcript/json/json.ts";
import { inWordsOf } from "../transcript/origin.ts";
import { isCallBlock, isResultBlock, isResultRole, readResult } from "../transcript/read.ts";
import { textOf } from "../transcript/json/text.ts";
import { callSpeech, isThought, resultSpeech } from "./as-text.ts";
import { speechesIn, speechText, type Speech, type Speaker } from "./speech.ts";
import { blocksOf } from "./turns.ts";
import { REFUSED_MEDIA } from "./words.ts";

/** One line of a conversation told as text: what somebody said, or that a picture or file stood there. */
export type Told = Speech | { media: number };

const SUMMARIES: ReadonlySet<unknown> = new Set(["compactionSummary", "branchSummary"]);

/**
 * Who says what in a message, in order, thinking left out; none when the message has no words. OpenClaw's own messages,
 * which no person and no model wrote, are notes or summaries.
 */
export function speechesOf(message: unknown): Told[] {
  if (!isObject(message)) return [];
  const { role } = message;
  if (isResultRole(role)) return resultTold(message);
  if (role === "user" || role === "assistant") return joined(toldBy(message, role));
  return spoken(SUMMARIES.has(role) ? "summary" : "note", textOf(message.content ?? message.summary ?? message.output));
}

/** The lines as one text, an empty line between two. */
export function toldText(lines: readonly Told[]): string {
  return lines
    .map((line) =>
      "media" in line ? Array.from({ length: line.media }, () => REFUSED_MEDIA).join("\n") : speechText(line),
    )
    .join("\n\n");
}

function toldBy(message: JsonObject, role: "user" | "assistant"): Told[] {
  const isInWords = inWordsOf(message);
  return blocksOf(message).flatMap((block) => toldIn(block, role, isInWords));
}

function toldIn(block: unknown, role: "user" | "assistant", isInWords: (text: string) => boolean): Told[] {
  if (isThought(block)) return [];
  if (isCallBlock(block)) return [callSpeech(block)];
  if (isResultBlock(block)) return resultTold(block);
  if (isObject(block) && block.type === "image") return [{ media: 1 }];
  const text = textOf(block);
  // Tool traffic that stands in words already goes on as what it is.
  return isInWords(text) ? speechesIn(text) : spoken(role, text);
}

function resultTold(source: JsonObject): Told[] {
  const { media, ...speech } = resultSpeech(readResult(source));
  return [speech, ...(media > 0 ? [{ media }] : [])];
}

function spoken(speaker: Speaker, words: string): Speech[] {
  return isBlank(words) ? [] : [{ speaker, words }];
}

/** Neighbouring texts of one person or model are one speech. */
function joined(lines: readonly Told[]): Told[] {
  const out: Told[] = [];
  for (const line of lines) {
    const last = out.at(-1);
    if (
      last &&
      "words" in last &&
      "words" in line &&
      last.speaker === line.speaker &&
      (line.speaker === "user" || line.speaker === "assistant")
    ) {
      out[out.length - 1] = { ...last, words: `${last.words}\n${line.words}` };
    } else out.push(line);
  }
  return out;
}
