import type { Json } from "../card.ts";

export const user = (...parts: Json[]): Json => ({ role: "user", parts });
export const model = (...parts: Json[]): Json => ({ role: "model", parts });
export const text = (words: string): Json => ({ text: words });
export const call = (more: Json = {}): Json => ({ functionCall: { name: "exec", args: {}, ...more } });
export const response = (more: Json = {}): Json => ({
  functionResponse: { name: "exec", response: { output: "exit 0" }, ...more },
});
