import { expect, test } from "vitest";
import { isWeak, refuse } from "./endpoint.ts";

const ask = (model: string, body: object): number | undefined =>
  refuse({ api: "openai-completions", model, raw: JSON.stringify(body) })?.status;

const PICTURE = { messages: [{ role: "user", content: [{ type: "image_url" }] }] };
const PROMPT = { messages: [{ role: "system", content: "You are" }] };
const LONG = { messages: [{ role: "user", content: "x".repeat(100_000) }] };
const PLAIN = { messages: [{ role: "user", content: "hello" }] };

test.each([
  ["small-1", LONG, PICTURE],
  ["blind-1", PICTURE, LONG],
  ["gemma-3-27b-it", PROMPT, PICTURE],
])("%s refuses what it cannot take, and nothing else; other models take that", (model, refused, taken) => {
  expect(ask(model, refused)).toBe(400);
  expect(ask(model, taken)).toBeUndefined();
  expect(ask(model, PLAIN)).toBeUndefined();
  expect(ask("gpt-5", refused)).toBeUndefined();
  expect([isWeak({ model }), isWeak({ model: "gpt-5" })]).toEqual([true, false]);
});
