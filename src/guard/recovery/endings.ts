/** Reads how a model call ended: cut off, cut short at a limit, with an error, or with nothing. */
import { describeError } from "../../base/coded-error.ts";
import type { FilteredPart, ProviderError } from "../../recovery/failure.ts";
import { UNEXPLAINED_REFUSAL } from "../../recovery/errors/patterns/filters.ts";
import type { AskedModel } from "../../recovery/route-name.ts";
import { withoutEnd } from "../../base/without-end.ts";
import { isObject, toWord, type JsonObject } from "../../transcript/json/json.ts";
import type { Ending } from "./answer.ts";
import { endedWith, type AssistantMessage } from "../openclaw/stream-events.ts";

/**
 * Error message for an answer whose stream ended inside a tool call without an error. The first word makes OpenClaw
 * 2026.2 retry.
 */
export const CUT_OFF = "terminated: the provider's stream ended inside a tool call";

/** JSON.parse's error messages for truncated JSON. */
const HALF_JSON = /^(Unterminated string in JSON|Unexpected end of JSON input|Expected .{1,60} in JSON at position)/;

/** True for a call that runs only after the answer has ended; OpenClaw 2026.9 starts `async` calls earlier. */
function isCall({ type, async }: JsonObject): boolean {
  return type === "toolCall" && async !== true;
}

/**
 * True when a tool call's arguments are truncated although the stream ended without an error: OpenClaw 2026.2 would run
 * the truncated call.
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
 * True for an answer with calls that ended at the output limit: OpenClaw 2026.2 would run the calls, later releases
 * drop them silently. True also for an error that reports only that a call's arguments are truncated JSON: OpenClaw
 * 2026.2 would send the same request again.
 */
export function isCutShort({ content, stopReason, errorMessage = "" }: AssistantMessage): boolean {
  // A plugin's own stream may report an error without content.
  const calls = Array.isArray(content) ? content.filter(isCall) : [];
  return calls.length > 0 && (stopReason === "length" || (stopReason === "error" && HALF_JSON.test(errorMessage)));
}

/** How adapters before 2026.4 report an answer of Anthropic's that ended where the context window does. */
const WINDOW_FULL = "Unhandled stop reason: model_context_window_exceeded";

/**
 * Returns an answer that ended where the context window does as one that ended at the output limit, as later adapters
 * do: it is complete up to there. Any other ending is returned as it is.
 */
export function atLimit(ending: Ending): Ending {
  if (!("message" in ending) || ending.message.errorMessage !== WINDOW_FULL) return ending;
  const message = { ...endedWith(ending.message, ending.message.content), stopReason: "length" };
  return { message, event: { type: "done", reason: "length", message } };
}

/** APIs whose adapters leave out the status of an error that is not in the API's own form. */
const HIDES_STATUS: ReadonlySet<unknown> = new Set(["bedrock-converse-stream", "google-generative-ai"]);

/** Returns the error of an ending: its text, and the provider's code and type where the release keeps them. */
export function readEndingError(ending: Ending, api: unknown): ProviderError {
  const hidesStatus = HIDES_STATUS.has(api);
  if ("thrown" in ending) return { text: describeError(ending.thrown), hidesStatus };
  const { errorMessage = "", errorCode, errorType } = ending.message;
  return {
    text: errorMessage,
    hidesStatus,
    ...(typeof errorCode === "string" && { code: errorCode }),
    ...(typeof errorType === "string" && { type: errorType }),
  };
}

/** APIs on which early releases report nothing but a refusal and a content filter without a name. */
const FILTERS_ALONE: ReadonlySet<unknown> = new Set(["anthropic-messages", "openai-completions"]);

/** True for a stop without a name that may be a fault too: a call that Gemini could not write, a cancelled response. */
export function isNameless(part: FilteredPart, text: string, { api }: AskedModel): boolean {
  return part === "refusal" && UNEXPLAINED_REFUSAL.test(text.trim().toLowerCase()) && !FILTERS_ALONE.has(api);
}

const MAX_REASON = 200;

/** Returns the provider's own error message, shortened: enough for a person to look the error up. */
export function shortReason(text: string): string {
  const quoted = /"message"\s*:\s*("(?:[^"\\]|\\.){1,400}")/.exec(text)?.[1];
  const said = withoutEnd(quoted === undefined ? text : unquote(quoted), /[.\s]/);
  return said.length > MAX_REASON ? `${said.slice(0, MAX_REASON).toWellFormed()} […]` : said;
}

function unquote(quoted: string): string {
  try {
    return toWord(JSON.parse(quoted));
  } catch {
    return quoted;
  }
}

/** True for an answer with which the turn ends: no call of it is to be run. */
export function endsTurn({ content, stopReason }: AssistantMessage): boolean {
  return stopReason === "stop" && !content.some(({ type }) => type === "toolCall");
}

/** True for an answer without content or tokens: how OpenClaw 2026.2 reports a prompt that Gemini blocks. */
export function isEmpty({ content, stopReason, usage }: AssistantMessage): boolean {
  return content.length === 0 && stopReason === "stop" && isObject(usage) && usage.output === 0;
}
