/** A route without a system prompt: the prompt's words go on in the user's, in the form of each API. */
import { expect, it } from "vitest";
import { withoutSystem } from "./system-prompt.ts";

it.each([
  ["messages", { role: "system", content: "Be brief." }, { role: "user", content: "Hello" }],
  ["messages", { role: "system", content: [{ text: "Be brief." }] }, { role: "user", content: [{ text: "Hello" }] }],
  ["input", { role: "developer", content: "Be brief." }, { role: "user", content: "Hello" }],
  ["contents", { role: "system", parts: [{ text: "Be brief." }] }, { role: "user", parts: [{ text: "Hello" }] }],
])("loses no words of a leading system message in %s", (field, prompt, asked) => {
  const body = withoutSystem({ [field]: [prompt, asked] });
  expect(body[field]).toHaveLength(1);
  expect(JSON.stringify(body)).toMatch(/Be brief\..*Hello/);
  expect(JSON.stringify(body)).not.toMatch(/system|developer/);
  expect(withoutSystem(body)).toBe(body);
});

it("is the same object without a prompt, and where the history is a text", () => {
  for (const body of [
    { messages: [{ role: "user", content: "Hello" }] },
    { input: "Hello", instructions: "Be brief." },
  ])
    expect(withoutSystem(body)).toBe(body);
});
