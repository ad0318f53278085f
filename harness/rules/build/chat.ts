import type { Json } from "../card.ts";

export const user = (content: unknown): Json => ({ role: "user", content });
export const assistant = (content: unknown, more: Json = {}): Json => ({ role: "assistant", content, ...more });
export const call = (id: string, more: Json = {}): Json => ({
  id,
  type: "function",
  function: { name: "exec", arguments: "{}", ...more },
});
export const calls = (...list: Json[]): Json => ({ role: "assistant", content: null, tool_calls: list });
export const result = (id: string, content: unknown = "exit 0"): Json => ({ role: "tool", tool_call_id: id, content });
