/** Servers that use an id again in each answer: every new call runs, once, and a call that is passed again does not. */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createSessionIntegrity,
  MemorySession,
  MemoryStore,
  openJournal,
  type AssistantMessage,
  type Journal,
  type SessionIntegrity,
} from "../../src/integrity/index.ts";
import { failing } from "../../harness/openclaw/overriding.ts";
import { WRITERS } from "./messages.ts";

let journal: Journal;
let integrity: SessionIntegrity;
beforeEach(() => {
  journal = openJournal(":memory:");
  integrity = createSessionIntegrity({ journal });
});
afterEach(() => journal.close());

const FORMATS = ["anthropic", "openclaw"] as const;
const read = (file: string, id = "call_0") => ({ type: "tool_use", id, name: "read", input: { file } }) as const;
const message = (...calls: object[]): AssistantMessage => ({ role: "assistant", content: calls });

/** A tool that counts its runs. */
function counting(): { runs: string[]; execute(name: string, input: unknown): Promise<{ output: string }> } {
  const runs: string[] = [];
  return {
    runs,
    execute: async (_name, input) => {
      const { file } = input as { file: string };
      runs.push(file);
      return { output: `run ${runs.length}: ${file}` };
    },
  };
}

describe.each(FORMATS)("an id that is used again, in %s's format", (format) => {
  const open = (store = new MemoryStore()): MemorySession =>
    new MemorySession({ id: "s", format, store, messages: [WRITERS[format].user("Read")] });
  const valid = (session: MemorySession) =>
    expect(integrity.validate(session, { allowOpenEnd: false })).toEqual({ valid: true });

  it("by a call with another input: it runs, under an id of its own that its result has; passed again it does not", async () => {
    const session = open();
    const tool = counting();
    for (const file of ["a", "b", "c"]) {
      const { success, result } = await integrity.executeToolCycle(session, read(file), tool);
      expect(success).toBe(true);
      expect(JSON.stringify(session.messages.at(-1))).toContain(result!.tool_use_id);
      expect(JSON.stringify(session.messages.at(-2))).toContain(result!.tool_use_id);
      valid(session);
    }
    for (const file of ["c", "a", "b"])
      expect(await integrity.executeToolCycle(session, read(file), tool)).toMatchObject({
        success: false,
        rolledBack: true,
        error: expect.stringMatching(/^Duplicate tool_use id: .*guardCall/) as string,
      });
    expect(tool.runs).toEqual(["a", "b", "c"]);
    valid(session);
  });

  it("by the same call in a new answer to guardCall: it runs, also when the process ended behind the answer", async () => {
    const store = new MemoryStore();
    const session = open(store);
    const tool = counting();
    const ask = async () => expect(await integrity.guardCall(session, async () => 1)).toMatchObject({ response: 1 });
    await ask();
    expect(await integrity.executeToolCycle(session, read("a"), tool)).toMatchObject({ success: true });
    await ask();
    expect(await integrity.executeToolCycle(session, read("a"), tool)).toMatchObject({ success: true });
    expect(await integrity.executeToolCycle(session, read("a"), tool)).toMatchObject({ success: false });
    await ask();
    integrity = createSessionIntegrity({ journal });
    const reopened = open(store);
    expect(await integrity.executeToolCycle(reopened, read("a"), tool)).toMatchObject({ success: true });
    expect(await integrity.executeToolCycle(reopened, read("a"), tool)).toMatchObject({ success: false });
    expect(tool.runs).toHaveLength(3);
    valid(reopened);
  });

  it("in a message: one other call makes it another message", async () => {
    const session = open();
    const tool = counting();
    const pass = (...files: string[]) =>
      integrity.executeToolCycle(session, message(...files.map((file, at) => read(file, `call_${at}`))), tool);
    expect(await pass("a", "b")).toMatchObject({ success: true });
    expect(await pass("a", "b")).toMatchObject({ success: false });
    expect(await pass("a", "c")).toMatchObject({ success: true });
    expect(await pass("a", "c")).toMatchObject({ success: false });
    expect(tool.runs).toEqual(["a", "b", "a", "c"]);
    valid(session);
  });

  it("and a result that could not be stored: it is stored, and the call does not run again", async () => {
    const session = open();
    const tool = counting();
    await integrity.executeToolCycle(session, read("a"), tool);
    const broken = failing(session, "persistToolCycle", "disk full");
    expect(await integrity.executeToolCycle(broken, read("b"), tool)).toMatchObject({ rolledBack: false });
    expect(await integrity.executeToolCycle(session, read("b"), tool)).toMatchObject({ success: false });
    expect(tool.runs).toEqual(["a", "b"]);
    expect(JSON.stringify(session.messages)).toContain("run 2: b");
    valid(session);
  });
});

it("any calls under few ids: valid after each, each new one runs, none runs twice, the same ids in a second run", async () => {
  const calls = fc.array(fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 3 }), { maxLength: 8 });
  const play = async (turns: string[][]): Promise<string> => {
    const own = openJournal(":memory:");
    const library = createSessionIntegrity({ journal: own });
    const session = new MemorySession({ id: "s", messages: [WRITERS.anthropic.user("Read")] });
    const tool = counting();
    for (const files of turns) {
      await library.guardCall(session, async () => 1);
      const turn = message(...files.map((file, at) => read(file, `call_${at}`)));
      expect(await library.executeToolCycle(session, turn, tool)).toMatchObject({ success: true });
      expect(await library.executeToolCycle(session, turn, tool)).toMatchObject({ success: false, rolledBack: true });
      expect(library.validate(session, { allowOpenEnd: false })).toEqual({ valid: true });
    }
    expect(tool.runs).toEqual(turns.flat());
    own.close();
    return JSON.stringify(session.messages);
  };
  await fc.assert(
    fc.asyncProperty(calls, async (turns) => {
      expect(await play(turns)).toBe(await play(turns));
    }),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 30) },
  );
});
