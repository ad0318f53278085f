import type { Json } from "../card.ts";

export const user = (...content: Json[]): Json => ({ role: "user", content });
export const assistant = (...content: Json[]): Json => ({ role: "assistant", content });
export const text = (words: string): Json => ({ text: words });
export const call = (id: string, more: Json = {}): Json => ({
  toolUse: { toolUseId: id, name: "exec", input: {}, ...more },
});
export const result = (id: string, ...content: Json[]): Json => ({ toolResult: { toolUseId: id, content } });
