import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createSessionIntegrity,
  MemorySession,
  MemoryStore,
  openJournal,
  type AssistantMessage,
  type IntegrityEvent,
  type Journal,
  type Session,
  type SessionIntegrity,
  type ToolUseContent,
} from "../../src/integrity/index.ts";
import { inputHash } from "../../src/journal/index.ts";
import { UNKNOWN_OUTCOME } from "../../src/transcript/json/text.ts";
import { WRITERS } from "./messages.ts";
import { failing, overriding } from "../../harness/openclaw/overriding.ts";

const { user, says, calls, results } = WRITERS.anthropic;
let journal: Journal;
let events: IntegrityEvent[];
beforeEach(() => {
  journal = openJournal(":memory:");
  events = [];
});
afterEach(() => journal.close());

function integrityWith(): SessionIntegrity {
  return createSessionIntegrity({ journal, onEvent: (event) => events.push(event) });
}

function healthy(): MemorySession {
  return new MemorySession({
    id: "s",
    messages: [
      user("Hello"),
      says("Hi"),
      user("Look"),
      calls("toolu_1"),
      ...results(["toolu_1", "seen"]),
      says("Done"),
      user("More"),
    ],
  });
}

function use(id: string): ToolUseContent {
  return { type: "tool_use", id, name: "exec", input: {} };
}

function pause(ms = 20): Promise<void> {
  return new Promise((done) => {
    setTimeout(done, ms);
  });
}

describe("a tool cycle", () => {
  it("refuses what is no call, a call that the history has, and a part of the open calls; no tool is run", async () => {
    const session = healthy();
    const integrity = integrityWith();
    let runs = 0;
    const executor = { execute: () => ({ output: String(++runs) }) };
    await expect(
      integrity.executeToolCycle(session, { role: "assistant", content: [] }, executor),
    ).rejects.toMatchObject({ code: "bad-call" });
    await expect(
      integrity.executeToolCycle(session, { type: "tool_use", id: "", name: "exec", input: {} }, executor),
    ).rejects.toMatchObject({ code: "bad-call" });
    const again = { ...use("toolu_1"), input: { for: "toolu_1" } };
    expect(await integrity.executeToolCycle(session, again, executor)).toMatchObject({
      success: false,
      rolledBack: true,
      error: expect.stringContaining("Duplicate tool_use id") as string,
    });
    await session.append([calls("toolu_a", "toolu_b")]);
    await expect(integrity.executeToolCycle(session, use("toolu_a"), executor)).rejects.toMatchObject({
      code: "bad-call",
    });
    expect(runs).toBe(0);
  });

  it("whose message the caller has stored already gets its results only", async () => {
    const session = healthy();
    await session.append([calls("toolu_a", "toolu_b")]);
    const length = session.messages.length;
    const integrity = integrityWith();
    expect(
      await integrity.executeToolCycle(session, session.messages.at(-1) as { role: "assistant"; content: object[] }, {
        execute: () => ({ output: "ran" }),
      }),
    ).toMatchObject({ success: true });
    expect(session.messages.length).toBe(length + 1);
    expect(integrity.validate(session, { allowOpenEnd: false })).toEqual({ valid: true });
  });

  it("that runs blocks a call of the model instead of inventing its result, and a repair leaves it alone", async () => {
    const session = healthy();
    await session.append([calls("toolu_a")]);
    const integrity = integrityWith();
    const length = session.messages.length;
    const outcome = await integrity.executeToolCycle(session, use("toolu_a"), {
      execute: async () => {
        expect(await integrity.guardCall(session, async () => "sent")).toMatchObject({
          outcome: "blocked",
          validation: { incompleteIds: ["toolu_a"] },
        });
        expect(await integrity.repair(session)).toMatchObject({ repaired: false });
        return { output: "ran" };
      },
    });
    expect(outcome).toMatchObject({ success: true });
    expect(session.messages.length).toBe(length + 1);
  });

  it("two at once on one session are both stored whole, and the failure of one takes nothing of the other back", async () => {
    const session = healthy();
    const integrity = integrityWith();
    const outcomes = await Promise.all([
      integrity.executeToolCycle(session, use("toolu_a"), { execute: () => ({ output: "a" }) }),
      integrity.executeToolCycle(session, use("toolu_b"), {
        execute: async () => {
          await pause();
          throw new Error("no");
        },
      }),
      integrity.executeToolCycle(session, use("toolu_c"), {
        execute: async () => {
          await pause(5);
          await session.append([says("Meanwhile")]);
          await pause(50);
          return { output: "c" };
        },
      }),
    ]);
    expect(outcomes.map(({ success }) => success)).toEqual([true, false, true]);
    expect(integrity.validate(session, { allowOpenEnd: false })).toEqual({ valid: true });
    const said = JSON.stringify(session.messages);
    expect(said).toContain("toolu_a");
    expect(said).not.toContain("toolu_b");
    expect(said).toContain("toolu_c");
    expect(said).toContain("Meanwhile");
  });

  it("is stored after the one before it: one change of a session at a time", async () => {
    const session = healthy();
    let [now, most] = [0, 0];
    const slow = overriding(session, "persistToolCycle", async (own) => {
      most = Math.max(most, ++now);
      await pause(5);
      await own();
      now--;
    });
    const integrity = integrityWith();
    await Promise.all(
      ["toolu_a", "toolu_b", "toolu_c"].map((id) =>
        integrity.executeToolCycle(slow, use(id), { execute: () => ({ output: id }) }),
      ),
    );
    expect(most).toBe(1);
    expect(integrity.validate(session, { allowOpenEnd: false })).toEqual({ valid: true });
  });

  it("does not run the tool when the journal cannot be written", async () => {
    const session = healthy();
    const integrity = integrityWith();
    journal.close();
    let runs = 0;
    await expect(
      integrity.executeToolCycle(session, use("toolu_a"), { execute: () => ({ output: String(++runs) }) }),
    ).rejects.toThrow(/journal|database/i);
    expect(runs).toBe(0);
    expect(session.messages).toEqual(healthy().messages);
  });

  it("keeps a result whose journal fails meanwhile, and warns", async () => {
    const session = healthy();
    const integrity = integrityWith();
    const outcome = await integrity.executeToolCycle(session, use("toolu_a"), {
      execute: () => {
        journal.close();
        return { output: "ran" };
      },
    });
    expect(outcome).toMatchObject({
      success: true,
      warnings: [expect.stringContaining("journal"), expect.stringContaining("journal")],
    });
    expect(JSON.stringify(session.messages)).toContain("ran");
    expect(events.map(({ event }) => event)).toContain("l0:journal:failed");
  });

  it("is not told as failed when the store has it after all", async () => {
    const session = healthy();
    const unsure = overriding(session, "persistToolCycle", async (own) => {
      await own();
      throw new Error("no answer from the disk");
    });
    expect(
      await integrityWith().executeToolCycle(unsure, use("toolu_a"), { execute: () => ({ output: "ran" }) }),
    ).toMatchObject({ success: true });
    expect(journal.cycles.open("s")).toEqual([]);
    expect((await integrityWith().recover(session)).recovered).toEqual([]);
  });

  it("of several calls that cannot be stored: each comes back with what became of it, the one that did nothing too", async () => {
    const session = healthy();
    const integrity = integrityWith();
    const message = calls("toolu_a", "toolu_b") as unknown as { role: "assistant"; content: object[] };
    const outcome = await integrity.executeToolCycle(failing(session, "persistToolCycle", "disk full"), message, {
      execute: (_name, input) => {
        if (JSON.stringify(input).includes("toolu_b")) throw new Error("no such file");
        return { output: "ran" };
      },
    });
    expect(outcome).toMatchObject({ success: false, rolledBack: false });
    expect(await integrity.recover(session)).toMatchObject({
      recovered: [{ outcome: "result" }, { outcome: "result" }],
    });
    expect(JSON.stringify(session.messages.at(-1))).toMatch(/ran.*could not be run, and did nothing: no such file/);
  });

  it("of many calls keeps its message once in the journal, not once for each call, and is recovered whole from it", async () => {
    const ids = Array.from({ length: 300 }, (_, at) => `toolu_${at}`);
    const store = new MemoryStore();
    const open = (): MemorySession => new MemorySession({ id: "s", store, messages: [user("Look")] });
    let kept = 0;
    void createSessionIntegrity({ journal }).executeToolCycle(open(), calls(...ids) as unknown as AssistantMessage, {
      execute: (_name, input) => {
        kept = journal.cycles.open("s").filter(({ call }) => call !== undefined).length;
        // The last one never returns: the process ends before.
        return JSON.stringify(input).includes("toolu_299") ? new Promise(() => {}) : "ran";
      },
    });
    await pause(50);
    expect(kept).toBe(1);
    const session = open();
    const { recovered } = await createSessionIntegrity({ journal }).recover(session);
    expect(recovered.filter(({ outcome, stored }) => outcome === "result" && stored)).toHaveLength(299);
    expect(integrityWith().validate(session, { allowOpenEnd: false })).toEqual({ valid: true });
    expect(JSON.stringify(session.messages.at(-1)).match(/"tool_use_id"/g)).toHaveLength(300);
  });

  it("that throws and whose traces cannot be taken back says so", async () => {
    const session = healthy();
    const stuck = failing(session, "moveLeaf", "disk full");
    const outcome = await integrityWith().executeToolCycle(stuck, use("toolu_a"), {
      execute: async () => {
        await session.append([says("half a")]);
        throw new Error("no");
      },
    });
    expect(outcome).toMatchObject({
      success: false,
      error: "no",
      rolledBack: false,
      warnings: [expect.stringContaining("disk full")],
    });
  });
});

describe("recovery of calls that the history has", () => {
  function interrupted(session: Session, id: string): number {
    const [cycle] = journal.cycles.pending([
      { sessionId: session.id, callId: id, toolName: "exec", inputHash: inputHash({ for: id }) },
    ]);
    journal.cycles.start(cycle!);
    return cycle!;
  }

  it.each(["anthropic", "openclaw"] as const)(
    "puts the real result in the place of invented words (%s)",
    async (format) => {
      const writer = WRITERS[format];
      const session = new MemorySession({
        id: "s",
        format,
        messages: [
          writer.user("Look"),
          writer.calls("toolu_a"),
          ...writer.results(["toolu_a", UNKNOWN_OUTCOME]),
          writer.user("Well?"),
        ],
      });
      journal.cycles.record(interrupted(session, "toolu_a"), { content: "seen after all", isError: false });
      expect(await integrityWith().recover(session)).toMatchObject({
        recovered: [{ callId: "toolu_a", outcome: "result", stored: true }],
      });
      const said = JSON.stringify(session.messages);
      expect(said).toContain("seen after all");
      expect(said).not.toContain(UNKNOWN_OUTCOME);
      expect(said.includes("toolResult"), "a message of the other format").toBe(format === "openclaw");
      expect(integrityWith().validate(session, { allowOpenEnd: false })).toEqual({ valid: true });
    },
  );

  it("does not write again what is there: words on an unknown outcome, or the result itself", async () => {
    const session = new MemorySession({
      id: "s",
      messages: [
        user("Look"),
        calls("toolu_a"),
        ...results(["toolu_a", UNKNOWN_OUTCOME]),
        user("Look"),
        calls("toolu_b"),
        ...results(["toolu_b", "seen"]),
      ],
    });
    const before = session.messages;
    interrupted(session, "toolu_a");
    journal.cycles.record(interrupted(session, "toolu_b"), { content: "seen", isError: false });
    expect(await integrityWith().recover(session)).toMatchObject({
      recovered: [
        { outcome: "unknown", stored: false },
        { outcome: "result", stored: false },
      ],
    });
    expect(session.messages).toBe(before);
    expect(journal.cycles.open("s")).toEqual([]);
    expect(events.map(({ event }) => event)).toEqual(["l0:cycle:interrupted", "l0:cycle:interrupted"]);
  });

  it("marks an open call in the middle, and leaves what it cannot find for whoever wrote it down", async () => {
    const session = new MemorySession({ id: "s", messages: [user("Look"), calls("toolu_a"), user("Well?")] });
    interrupted(session, "toolu_a");
    interrupted(session, "toolu_elsewhere");
    expect((await integrityWith().recover(session)).recovered).toMatchObject([
      { callId: "toolu_a", outcome: "unknown", stored: true },
    ]);
    expect(JSON.stringify(session.messages[2])).toContain("interrupted while it was being carried out");
    expect(integrityWith().validate(session)).toEqual({ valid: true });
    expect(journal.cycles.open("s").map(({ callId }) => callId)).toEqual(["toolu_elsewhere"]);
  });
});
