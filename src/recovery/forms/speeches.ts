import { isBlank, isObject, type JsonObject } from "../../transcript/json/json.ts";
import { inWordsTest } from "../../transcript/origin.ts";
import { isCallBlock, isResultBlock, isResultRole, readResult } from "../../transcript/read.ts";
import { readText } from "../../transcript/json/text.ts";
import { callSpeech, isThought, resultSpeech } from "./as-text.ts";
import { isPictureOrFile } from "./images.ts";
import { speechesIn, speechText, type Speech, type Speaker } from "./speech.ts";
import { toBlocks } from "./blocks.ts";
import { LEFT_OUT_MEDIA } from "../words.ts";

/** One item of a conversation as text: a speech, or a number of images or files. */
export type ConversationLine = Speech | { media: number };

const SUMMARIES: ReadonlySet<unknown> = new Set(["compactionSummary", "branchSummary"]);

/**
 * Returns the speeches of a message, in order and without thinking; empty when the message has no text. OpenClaw's own
 * messages, which no person and no model wrote, are notes or summaries.
 */
export function readSpeeches(message: unknown): ConversationLine[] {
  if (!isObject(message)) return [];
  const { role } = message;
  if (isResultRole(role)) return resultLines(message);
  if (role === "user" || role === "assistant") return joined(readSpeech(message, role));
  return spoken(
    SUMMARIES.has(role) ? "summary" : "note",
    readText(message.content ?? message.summary ?? message.output),
  );
}

/** Formats the items as one text, with an empty line between two. */
export function linesText(lines: readonly ConversationLine[]): string {
  return lines
    .map((line) =>
      "media" in line ? Array.from({ length: line.media }, () => LEFT_OUT_MEDIA).join("\n") : speechText(line),
    )
    .join("\n\n");
}

function readSpeech(message: JsonObject, role: "user" | "assistant"): ConversationLine[] {
  const isInWords = inWordsTest(message);
  return toBlocks(message).flatMap((block) => linesIn(block, role, isInWords));
}

function linesIn(block: unknown, role: "user" | "assistant", isInWords: (text: string) => boolean): ConversationLine[] {
  if (isThought(block)) return [];
  if (isCallBlock(block)) return [callSpeech(block)];
  if (isResultBlock(block)) return resultLines(block);
  if (isPictureOrFile(block)) return [{ media: 1 }];
  const text = readText(block);
  // Tool traffic that was turned into text before is read back into its speeches.
  return isInWords(text) ? speechesIn(text) : spoken(role, text);
}

function resultLines(source: JsonObject): ConversationLine[] {
  const { media, ...speech } = resultSpeech(readResult(source));
  return [speech, ...(media > 0 ? [{ media }] : [])];
}

function spoken(speaker: Speaker, words: string): Speech[] {
  return isBlank(words) ? [] : [{ speaker, words }];
}

/** Joins neighbouring speeches of the user, and those of the assistant. */
function joined(lines: readonly ConversationLine[]): ConversationLine[] {
  const out: ConversationLine[] = [];
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
