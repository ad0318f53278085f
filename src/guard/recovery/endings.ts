import { reasonOf } from "../../base/coded-error.ts";
import { withoutEnd } from "../../base/without-end.ts";
import { wordOf, type JsonObject } from "../../transcript/json/json.ts";
import type { Ending } from "./answer.ts";
import type { AssistantMessage } from "../openclaw/stream-events.ts";

/**
 * What is put in place of a clean end inside a tool call; OpenClaw 2026.2 takes the first word for a reason to try
 * again.
 */
export const CUT_OFF = "terminated: the provider's stream ended inside a tool call";

/** What JSON.parse says of half a text. */
const HALF_JSON = /^(Unterminated string in JSON|Unexpected end of JSON input|Expected .{1,60} in JSON at position)/;

/** True for a call that runs only when the answer has ended; the others OpenClaw 2026.9 has begun to run by then. */
export function isCall({ type, async }: JsonObject): boolean {
  return type === "toolCall" && async !== true;
}

/**
 * True when a tool call lacks its end although the stream ended cleanly: OpenClaw 2026.2 would run the half command.
 */
export function isCutOff({ content }: AssistantMessage): boolean {
  return content.some((block) => {
    if (block.type !== "toolCall" || typeof block.partialJson !== "string" || block.partialJson === "") return false;
    try {
      JSON.parse(block.partialJson);
      return false;
    } catch {
      return true;
    }
  });
}

/**
 * True for calls in an answer that ended at a limit, which OpenClaw 2026.2 would run and later releases leave out
 * without a word; and for an error that says only that a call's arguments are no JSON, after which 2026.2 would send
 * the same request again.
 */
export function isCutShort({ content, stopReason, errorMessage = "" }: AssistantMessage): boolean {
  return content.some(isCall) && (stopReason === "length" || (stopReason === "error" && HALF_JSON.test(errorMessage)));
}

/** The error of an ending, with what later releases keep of the provider's answer besides its text. */
export function errorOf(ending: Ending): { text: string; code?: string; type?: string } {
  if ("thrown" in ending) return { text: reasonOf(ending.thrown) };
  const { errorMessage = "", errorCode, errorType } = ending.message;
  return {
    text: errorMessage,
    ...(typeof errorCode === "string" && { code: errorCode }),
    ...(typeof errorType === "string" && { type: errorType }),
  };
}

const LONGEST_REASON = 200;

/** The provider's own words, short: what a person needs to look the error up. */
export function shortReason(text: string): string {
  const quoted = /"message"\s*:\s*("(?:[^"\\]|\\.){1,400}")/.exec(text)?.[1];
  const said = withoutEnd(quoted === undefined ? text : plainOf(quoted), /[.\s]/);
  return said.length > LONGEST_REASON ? `${said.slice(0, LONGEST_REASON).toWellFormed()} […]` : said;
}

function plainOf(quoted: string): string {
  try {
    return wordOf(JSON.parse(quoted));
  } catch {
    return quoted;
  }
}
