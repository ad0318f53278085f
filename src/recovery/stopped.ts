import { isObject, toJson, type JsonObject } from "../transcript/json.ts";
import { DO_IT_DIFFERENTLY, REFUSED_MESSAGE, REFUSED_RESULT, STOPPED_ANSWERS, STOPPED_REQUEST } from "./words.ts";

/** Whether a filter stopped this assistant's message, and what it stopped; known by the words it ends with. */
export function stoppedPart(message: unknown): "prompt" | "answer" | undefined {
  if (!isObject(message) || message.role !== "assistant") return undefined;
  const { content } = message;
  const last: unknown = Array.isArray(content) ? (content as unknown[]).at(-1) : content;
  const words = isObject(last) ? last.text : last;
  if (typeof words !== "string") return undefined;
  if (words.endsWith(STOPPED_REQUEST)) return "prompt";
  return STOPPED_ANSWERS.some((ending) => words.endsWith(ending)) ? "answer" : undefined;
}

/**
 * The history without what a content filter refused: what stood before a refusal, back to the assistant's last message, is
 * replaced by a word on it, so that the blocked request is never sent again. Pairs stay pairs. With `all` also what stood before
 * answers that were stopped in earlier turns, unless the agent then found another. The same list when no filter stopped anything. Deterministic and idempotent. Issue 4.
 */
export function withoutRefused<T>(messages: T[], all = false): T[] {
  const turn = all ? messages.findLastIndex(isAsked) : -1;
  let out: T[] | undefined;
  messages.forEach((message, at) => {
    const part = stoppedPart(message);
    if (part === undefined || (part === "answer" && (at > turn || isAnsweredAfter(messages, at)))) return;
    for (let before = at - 1; before >= 0; before--) {
      const refused: unknown = messages[before];
      if (!isObject(refused) || refused.role === "assistant") break;
      out ??= messages.slice();
      out[before] = replaced(refused) as T;
    }
  });
  return out ?? messages;
}

/** True when an answer that was not stopped came after this one in the same turn. */
function isAnsweredAfter(messages: readonly unknown[], at: number): boolean {
  for (const message of messages.slice(at + 1)) {
    if (isAsked(message)) return false;
    if (isObject(message) && message.role === "assistant" && stoppedPart(message) === undefined) return true;
  }
  return false;
}

/** True for a message of the user's that is no word of ours to the agent. */
function isAsked(message: unknown): boolean {
  return isObject(message) && message.role === "user" && !toJson(message.content).includes(DO_IT_DIFFERENTLY.slice(0, 60));
}

function replaced(message: JsonObject): JsonObject {
  if (message.role === "toolResult") return { ...message, content: [{ type: "text", text: REFUSED_RESULT }] };
  return message.role === "user" ? { ...message, content: [{ type: "text", text: REFUSED_MESSAGE }] } : message;
}
