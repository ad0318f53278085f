/** Messages of OpenClaw's for the histories of suspected cards; what they say is marked with `end`. */
import type { Json } from "../card.ts";

export const asks = (words: string): Json => ({ role: "user", content: `${words} end` });

export const answer = (...content: Json[]): Json => ({
  role: "assistant",
  content,
  stopReason: content.some(({ type }) => type === "toolCall") ? "toolUse" : "stop",
  usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { total: 0 } },
});

export const said = (words: string): Json => ({ type: "text", text: `${words} end` });

export const calling = (id: string): Json => ({ type: "toolCall", id, name: "read", arguments: { path: "a.txt" } });

export const result = (id: string): Json => ({
  role: "toolResult",
  toolCallId: id,
  toolName: "read",
  content: [{ type: "text", text: "its output end" }],
  isError: false,
});
