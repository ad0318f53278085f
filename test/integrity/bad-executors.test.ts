/** Executors of others: whatever one gives back is stored, nothing of its siblings is lost, and no call runs twice. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createSessionIntegrity,
  MemorySession,
  openJournal,
  type AssistantMessage,
  type Journal,
  type MessageFormat,
  type SessionIntegrity,
  type ToolExecutor,
  type ToolOutput,
} from "../../src/integrity/index.ts";
import { HOSTILE_OUTPUTS } from "../../harness/arbitrary/hostile-outputs.ts";
import { listViolations } from "../../harness/providers/index.ts";
import { WRITERS } from "./messages.ts";
import { failing } from "../../harness/openclaw/overriding.ts";

let journal: Journal;
let integrity: SessionIntegrity;
beforeEach(() => {
  journal = openJournal(":memory:");
  integrity = createSessionIntegrity({ journal });
});
afterEach(() => journal.close());

const FORMATS: MessageFormat[] = ["anthropic", "openclaw"];
const makeSession = (format: MessageFormat): MemorySession =>
  new MemorySession({ id: "s", format, messages: [WRITERS[format].user("Look")] });
const writeCalls = (format: MessageFormat, ...ids: string[]): AssistantMessage =>
  WRITERS[format].calls(...ids) as unknown as AssistantMessage;
const giving = (values: Record<string, () => unknown>): ToolExecutor => ({
  execute: (_name, input) => values[(input as { for: string }).for]!() as ToolOutput,
});
const pause = (ms: number): Promise<void> =>
  new Promise((done) => {
    setTimeout(done, ms);
  });

function expectSound(session: MemorySession): string {
  expect(integrity.validate(session, { allowOpenEnd: false })).toEqual({ valid: true });
  if (session.format === "anthropic")
    expect(listViolations("anthropic-messages", { model: "m", max_tokens: 100, messages: session.messages })).toEqual(
      [],
    );
  return JSON.stringify(session.messages);
}

/** What is given back, and what must be told of it. */
const SHAPES: [string, () => unknown, string][] = [
  ["undefined", () => undefined, "(no output)"],
  ["null", () => null, "(no output)"],
  ["a bare text", () => "bare words", "bare words"],
  ["a number", () => 42, "42"],
  ["false", () => false, "false"],
  ["a list of texts", () => ["one word", "another"], "another"],
  ["a list of numbers", () => [1, 2], "[1,2]"],
  ["a list of nothing", () => [null], "null"],
  ["an empty list", () => [], "(no output)"],
  ["a list of blocks", () => [{ type: "text", text: "in a block" }], "in a block"],
  ["one block", () => ({ type: "text", text: "alone" }), "alone"],
  ["an object without output", () => ({ temperature: 21 }), "temperature"],
  [
    "the result of an MCP server",
    () => ({ content: [{ type: "text", text: "from afar" }], isError: true }),
    "from afar",
  ],
  ["output that is a number", () => ({ output: 7 }), "7"],
  ["output that is an object", () => ({ output: { deep: "words" } }), "words"],
  ['output that is ["a"]', () => ({ output: ["a"] }), "a"],
  ["output that is [null]", () => ({ output: [null, "b"] }), "b"],
  ["an error with nothing in it", () => ({ output: "", isError: true }), "(no output)"],
  ["an error that is blank", () => ({ output: [{ type: "text", text: " " }], isError: true }), ""],
  ["an Error that was not thrown", () => new Error("went wrong"), "went wrong"],
  ["a map", () => new Map([["key", "in a map"]]), "in a map"],
  ["a promise of a text", () => Promise.resolve("promised"), "promised"],
  [
    "a picture",
    () => ({ output: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } }] }),
    "aGk=",
  ],
];

describe.each(FORMATS)("a tool of a session in %s's format that gives back", (format) => {
  it.each(SHAPES)("%s: it is stored, and its sibling's result too", async (_what, make, words) => {
    const session = makeSession(format);
    const { success, results } = await integrity.executeToolCycle(
      session,
      writeCalls(format, "toolu_a", "toolu_b"),
      giving({
        toolu_a: make,
        toolu_b: async () => {
          await pause(1);
          return { output: "of the sibling" };
        },
      }),
    );
    expect(success).toBe(true);
    const said = expectSound(session);
    expect(said.replaceAll(String.raw`\"`, '"')).toContain(words);
    expect(said).toContain("of the sibling");
    expect(results).toHaveLength(2);
  });

  it.each([...HOSTILE_OUTPUTS.keys()])("%s, or throws it: the history is sound and whole", async (what) => {
    const make = HOSTILE_OUTPUTS.get(what)!;
    const session = makeSession(format);
    const calls = writeCalls(format, "toolu_a", "toolu_b");
    expect(
      await integrity.executeToolCycle(
        session,
        calls,
        giving({ toolu_a: make, toolu_b: () => ({ output: "of the sibling" }) }),
      ),
    ).toMatchObject({ success: true });
    expect(expectSound(session)).toContain("of the sibling");
    const thrown = await integrity.executeToolCycle(
      session,
      writeCalls(format, "toolu_c", "toolu_d"),
      giving({
        toolu_c: () => {
          throw make();
        },
        toolu_d: () => ({ output: "of another sibling" }),
      }),
    );
    expect(thrown).toMatchObject({ success: false, rolledBack: false, error: expect.stringMatching(/./) as string });
    expect(expectSound(session)).toContain("of another sibling");
    const alone = await integrity.executeToolCycle(
      session,
      writeCalls(format, "toolu_e"),
      giving({ toolu_e: () => Promise.reject(make()) }),
    );
    expect(alone).toMatchObject({ success: false, rolledBack: true, error: expect.stringMatching(/./) as string });
    expect(expectSound(session)).not.toContain("toolu_e");
    await integrity.checkpoint(session, "manual");
    expect(await integrity.repair(session)).toMatchObject({ repaired: false });
  });

  it.each([undefined, null, "", "words", 5])("nothing, but throws %o: that it did nothing is told", async (thrown) => {
    const session = makeSession(format);
    const result = await integrity.executeToolCycle(
      session,
      writeCalls(format, "toolu_a"),
      giving({
        toolu_a: () => {
          throw thrown;
        },
      }),
    );
    expect(result).toMatchObject({
      success: false,
      rolledBack: true,
      error: thrown ? String(thrown) : "no reason was given",
    });
    expect(session.messages).toHaveLength(1);
  });

  it("what it changes later, or changes in its input: the history says what was", async () => {
    const session = makeSession(format);
    const output = [{ type: "text", text: "as it was" }];
    const executor = {
      execute: async (_name: string, input: unknown): Promise<ToolOutput> => {
        const { for: id } = input as { for: string };
        (input as { for: string }).for = "changed";
        if (id === "toolu_b") await pause(2);
        else
          setTimeout(() => {
            output[0]!.text = "changed";
          }, 0);
        return { output };
      },
    };
    await integrity.executeToolCycle(session, writeCalls(format, "toolu_a", "toolu_b"), executor);
    expect(expectSound(session).match(/as it was/g)).toHaveLength(1);
    expect(JSON.stringify(session.messages[1])).not.toContain("changed");
  });

  it("nothing for ever: its sibling's result is stored when the caller gives up, and a late one takes its place", async () => {
    const session = makeSession(format);
    const { promise, resolve } = Promise.withResolvers<ToolOutput>();
    const controller = new AbortController();
    const running = integrity.executeToolCycle(
      session,
      writeCalls(format, "toolu_a", "toolu_b"),
      giving({ toolu_a: () => promise, toolu_b: () => ({ output: "of the sibling" }) }),
      { signal: controller.signal },
    );
    await pause(2);
    controller.abort();
    expect(await running).toMatchObject({ success: false, rolledBack: false });
    const said = expectSound(session);
    expect(said).toContain("of the sibling");
    expect(said).toContain("may have run");
    resolve({ output: "late words" });
    await pause(5);
    expect(expectSound(session)).toContain("late words");
    expect(expectSound(session)).not.toContain("may have run");
    expect(journal.cycles.open("s")).toEqual([]);
  });
});

describe("an executor that is none", () => {
  it.each([undefined, null, {}, { execute: "run" }])("%o is refused before anything is stored", async (executor) => {
    const session = makeSession("anthropic");
    await expect(
      integrity.executeToolCycle(session, writeCalls("anthropic", "toolu_a"), executor as never),
    ).rejects.toMatchObject({ code: "bad-executor" });
    expect(session.messages).toHaveLength(1);
    expect(journal.cycles.open("s")).toEqual([]);
  });
});

describe("one call", () => {
  const counting = (): ToolExecutor & { runs: number } => ({
    runs: 0,
    async execute() {
      this.runs++;
      await pause(5);
      return { output: `run ${this.runs}` };
    },
  });

  it("given twice at once runs once, and both get its outcome; another one under its id is refused", async () => {
    const session = makeSession("anthropic");
    const executor = counting();
    const other = createSessionIntegrity({ journal });
    const both = [integrity, integrity, other].map((one) =>
      one.executeToolCycle(session, writeCalls("anthropic", "toolu_a"), executor),
    );
    const different = { type: "tool_use", id: "toolu_a", name: "exec", input: { for: "something else" } } as const;
    await expect(integrity.executeToolCycle(session, different, executor)).rejects.toMatchObject({
      code: "call-running",
    });
    const outcomes = await Promise.all(both);
    expect(executor.runs).toBe(1);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ success: true, result: { content: "run 1" } });
    expect(expectSound(session).match(/"tool_use"/g)).toHaveLength(1);
    expect(await integrity.executeToolCycle(session, writeCalls("anthropic", "toolu_a"), executor)).toMatchObject({
      success: false,
      rolledBack: true,
      error: expect.stringContaining("Duplicate") as string,
    });
    expect(executor.runs).toBe(1);
  });

  it("whose result could not be stored does not run again: the result that is known is stored", async () => {
    const session = makeSession("anthropic");
    const executor = counting();
    expect(
      await integrity.executeToolCycle(
        failing(session, "persistToolCycle", "disk full"),
        writeCalls("anthropic", "toolu_a"),
        executor,
      ),
    ).toMatchObject({ success: false, rolledBack: false });
    expect(await integrity.executeToolCycle(session, writeCalls("anthropic", "toolu_a"), executor)).toMatchObject({
      success: false,
      rolledBack: true,
    });
    expect(executor.runs).toBe(1);
    expect(expectSound(session)).toContain("run 1");
  });

  it("whose result could not be stored is not taken for an earlier call that had the same id", async () => {
    const session = makeSession("anthropic");
    const said = (text: string) => ({ execute: async () => ({ output: text }) });
    expect(
      await integrity.executeToolCycle(session, writeCalls("anthropic", "toolu_a"), said("the first")),
    ).toMatchObject({ success: true });
    // The model has used the id again, and the program has stored its message.
    await session.append([
      { role: "user", content: [{ type: "text", text: "again" }] },
      writeCalls("anthropic", "toolu_a"),
    ]);
    expect(
      await integrity.executeToolCycle(
        failing(session, "persistToolCycle", "disk full"),
        writeCalls("anthropic", "toolu_a"),
        said("the second"),
      ),
    ).toMatchObject({ success: false, rolledBack: false });
    await integrity.repair(session);
    const stored = expectSound(session);
    expect(stored).toContain("the first");
    expect(stored).toContain("the second");
  });
});
