/** Builders of stored messages. Each text of a session that a provider must be sent is a mark. */
import type { JsonObject } from "../../transcript/json/json.ts";

/** The provider, model and API that the sessions were written by, and go on with. */
export const MODEL = { provider: "anthropic", model: "claude-opus-4-5", api: "anthropic-messages" } as const;

const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const USAGE = { input: 1840, output: 62, cacheRead: 0, cacheWrite: 0, totalTokens: 1902, cost: NO_COST };

/** A message of the user. */
export function user(text: string): JsonObject {
  return { role: "user", content: [{ type: "text", text }] };
}

/** A message of the model: texts and calls. */
export function assistant(content: readonly (string | JsonObject)[], more: JsonObject = {}): JsonObject {
  const blocks = content.map((block) => (typeof block === "string" ? { type: "text", text: block } : block));
  const stopReason = blocks.some(({ type }) => type === "toolCall") ? "toolUse" : "stop";
  return { role: "assistant", content: blocks, ...MODEL, usage: USAGE, stopReason, ...more };
}

/** A tool call. */
export function call(id: string, name: string, args: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: "toolCall", id, name, arguments: args, ...more };
}

/** The result of a tool call. */
export function result(toolCallId: string, toolName: string, text: string): JsonObject {
  return { role: "toolResult", toolCallId, toolName, content: [{ type: "text", text }], isError: false };
}
