import type { Json } from "../card.ts";

export const answer = (words: string, more: Json = {}): Json => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text: words, annotations: [] }],
  ...more,
});
export const call = (id: string, more: Json = {}): Json => ({
  type: "function_call",
  call_id: id,
  name: "exec",
  arguments: "{}",
  ...more,
});
export const output = (id: string, words = "exit 0"): Json => ({
  type: "function_call_output",
  call_id: id,
  output: words,
});
