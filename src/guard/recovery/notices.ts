import { isObject } from "../../transcript/json/json.ts";
import { marked, readOrigin, type Origin } from "../../transcript/origin.ts";
import { endedWith, type AssistantMessage } from "../openclaw/stream-events.ts";
import type { Step } from "./answer.ts";

/** Ends an answer with a text of the guard alone. */
export function notice(message: AssistantMessage, words: string, origin: Origin): Step {
  return { do: "end", message: marked(endedWith(message, []), origin), words: [words] };
}

/** True when the messages hold an assistant message that is not a notice of the guard. */
export function hasHistory(messages: readonly unknown[]): boolean {
  return messages.some((message) => isObject(message) && message.role === "assistant" && !isOwnNotice(message));
}

/** True for an assistant message that consists only of a notice of the guard. */
function isOwnNotice(message: Record<string, unknown>): boolean {
  return readOrigin(message).notice !== undefined && Array.isArray(message.content) && message.content.length <= 1;
}
