/** What a cycle stores is valid at once, whatever the model made of its calls, and the tool gets what the model gave. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createSessionIntegrity,
  MemorySession,
  openJournal,
  type AssistantMessage,
  type MessageFormat,
  type ToolCycleResult,
} from "../../src/integrity/index.ts";
import { listViolations } from "../../harness/providers/index.ts";
import { WRITERS } from "./messages.ts";

const use = { type: "tool_use", id: "toolu_1", name: "exec", input: {} } as const;

const CALLS: [string, object][] = [
  ["without an input", { ...use, input: undefined }],
  ["whose input is a text", { ...use, input: "words" }],
  ["whose input is a list", { ...use, input: [1] }],
  ["with a name that no API accepts", { ...use, name: "bad name" }],
  ["with a name of half a character", { ...use, name: "exec\ud800" }],
  ["with half a character in its input", { ...use, input: { "k\udc00": ["a\ud800b"] } }],
  ["with an id that Anthropic refuses", { ...use, id: "functions.exec:0" }],
  ["with a field that no API has", { ...use, index: 0 }],
];

async function stored(
  format: MessageFormat,
  given: unknown,
): Promise<{ session: MemorySession; result: ToolCycleResult; got: unknown[] }> {
  const journal = openJournal(":memory:");
  const session = new MemorySession({ id: "s", format, messages: [WRITERS[format].user("Look")] });
  const got: unknown[] = [];
  const result = await createSessionIntegrity({ journal }).executeToolCycle(session, given as AssistantMessage, {
    execute: (name, input) => {
      got.push([name, input]);
      return { output: "ran" };
    },
  });
  const integrity = createSessionIntegrity({ journal });
  expect(integrity.validate(session, { allowOpenEnd: false })).toEqual({ valid: true });
  if (format === "anthropic")
    expect(listViolations("anthropic-messages", { model: "m", max_tokens: 9, messages: session.messages })).toEqual([]);
  expect(await integrity.repair(session)).toMatchObject({ repaired: false });
  expect(journal.cycles.open("s")).toEqual([]);
  journal.close();
  return { session, result, got };
}

describe.each(["anthropic", "openclaw"] as const)("in %s's format, a call", (format) => {
  it.each(CALLS)("%s is stored as it can be sent, alone and in a message", async (_what, call) => {
    for (const given of [call, { role: "assistant", content: [{ type: "text", text: "Now" }, call] }]) {
      const { session, result, got } = await stored(format, given);
      expect(result).toMatchObject({ success: true });
      expect(session.messages).toHaveLength(3);
      expect(JSON.stringify(session.messages[2])).toContain(result.result!.tool_use_id);
      expect(got).toEqual([[(call as { name: string }).name, (call as { input?: unknown }).input ?? {}]]);
    }
  });

  it("is not changed where nothing is wrong with it", async () => {
    const given = WRITERS[format].calls("toolu_a", "toolu_b");
    const { session } = await stored(format, given);
    expect(session.messages[1]).toEqual(given);
  });

  it("with any input and name leaves a valid history", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.anything({ withBigInt: true, withDate: true, maxDepth: 3 }),
        fc.string({ minLength: 1, unit: "binary" }),
        async (input, name) => {
          const { result, got } = await stored(format, { ...use, name, input });
          expect(result).toMatchObject({ success: true });
          expect(got).toHaveLength(1);
        },
      ),
      { numRuns: Number(process.env.PROPERTY_RUNS ?? 60) },
    );
  });
});
