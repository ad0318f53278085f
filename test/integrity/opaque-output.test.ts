import { expect, it } from "vitest";
import { createSessionIntegrity, MemorySession, openJournal } from "../../src/integrity/index.ts";

it.each([
  ["a response of fetch", () => new Response("paid"), "[A value of type Response, which has no JSON.]"],
  ["a stream", () => new ReadableStream(), "[A value of type ReadableStream, which has no JSON.]"],
  ["a generator", () => (function* () {})(), "[A value of type Generator, which has no JSON.]"],
  ["a bigint", () => 17n, "17"],
])("a tool's result that is %s is stored as a text that says so", async (_what, make, stored) => {
  const journal = openJournal(":memory:");
  const integrity = createSessionIntegrity({ journal });
  const session = new MemorySession({ id: "s1", messages: [{ role: "user", content: "pay" }] });
  const call = { type: "tool_use", id: "toolu_1", name: "pay", input: {} } as const;
  await integrity.executeToolCycle(session, call, { execute: async () => make() as never });
  const { content } = session.messages.at(-1) as { content: { content: unknown }[] };
  expect(content[0]?.content).toBe(stored);
  expect(integrity.validate(session)).toEqual({ valid: true });
  journal.close();
});
