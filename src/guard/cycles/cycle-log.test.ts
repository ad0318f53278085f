import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { result as toolResult, user } from "../../../harness/messages.ts";
import { newFolder } from "../../../harness/temporary.ts";
import { journalFile, openJournal, type Checkpoint, type ToolCycle } from "../../journal/index.ts";
import { MISSING_RESULT_TEXT } from "../../transcript/json/text.ts";
import type { GuardedSession } from "../openclaw/session.ts";

const MODEL = { api: "anthropic-messages", provider: "anthropic", id: "m" };
const CONTEXT = { api: "anthropic-messages", sessionId: "s-1", point: "attempt-history-gate" };
const says = (text: string) => ({
  role: "assistant",
  api: "anthropic-messages",
  content: [{ type: "text", text }],
  stopReason: "stop",
  usage: { output: 1 },
});
const calling = (...ids: string[]) => ({
  ...says(""),
  content: ids.map((id) => ({ type: "toolCall", id, name: "exec", arguments: { command: id } })),
  stopReason: "toolUse",
});

let home: string;
let lines: string[];
beforeEach(() => {
  home = newFolder();
  lines = [];
  vi.stubEnv("OPENCLAW_STATE_DIR", home);
  vi.spyOn(console, "warn").mockImplementation((line: string) => void lines.push(line));
  // A new process: what the guard remembers of its runs is gone.
  vi.resetModules();
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** A run of OpenClaw's agent over `stored`, whose model gives these answers one after the other. */
class AgentRun {
  readonly listeners: ((event: unknown) => unknown)[] = [];
  readonly session: GuardedSession;
  readonly entries: { id: string; parentId: string | null; type: string; message: unknown }[] = [];
  readonly tools: { name: string; execute: (...given: unknown[]) => unknown }[];

  constructor(stored: unknown[], answers: unknown[], early: boolean) {
    let next = 0;
    this.tools = [
      {
        name: "exec",
        execute: async (id: unknown) => ({
          content: [{ type: "text", text: `done ${String(id)}` }],
          details: { exitCode: 0 },
        }),
      },
    ];
    for (const message of stored) this.store(message);
    const state = { messages: stored };
    const streamFn = () => {
      const message = answers[next++];
      return {
        async *[Symbol.asyncIterator]() {
          yield { type: "done", message };
        },
        result: async () => message,
      };
    };
    this.session = {
      agent: {
        state,
        streamFn: streamFn as never,
        subscribe: (listener) => this.listeners.push(listener),
        ...(early && { replaceMessages: (messages: unknown[]) => void (state.messages = messages) }),
      },
      sessionManager: {
        getBranch: () => this.entries,
        getLeafId: () => this.entries.at(-1)?.id ?? null,
        getEntry: (id) => this.entries.find((entry) => entry.id === id),
      },
    };
  }

  async start(): Promise<void> {
    const { guardHistory, guardSession } = await import("../gates.ts");
    await guardHistory(this.session, CONTEXT);
    guardSession(this.session, CONTEXT);
  }

  store(message: unknown): void {
    this.entries.push({
      id: `e${this.entries.length}`,
      parentId: this.entries.at(-1)?.id ?? null,
      type: "message",
      message,
    });
  }

  /** A model call, whose answer the agent's listeners store. */
  async answer(): Promise<unknown> {
    const stream = this.session.agent.streamFn!(MODEL, { messages: this.messages, tools: this.tools }, {}) as {
      result(): Promise<unknown>;
    };
    const message = await stream.result();
    this.store(message);
    return message;
  }

  get messages(): unknown[] {
    return this.session.agent.state!.messages!;
  }

  emit(type: string, toolCallId: string, more: object = {}): void {
    for (const listener of this.listeners)
      listener({ type, toolCallId, toolName: "exec", args: { command: toolCallId }, ...more });
  }
}

function cycles(): ToolCycle[] {
  const journal = openJournal(journalFile(home), { readOnly: true });
  try {
    return Array.from({ length: 9 }, (_, at) => journal.cycles.get(at + 1)).filter((cycle) => cycle !== undefined);
  } finally {
    journal.close();
  }
}
const states = () => cycles().map(({ callId, state }) => `${callId} ${state}`);

describe.each([true, false])("a run (early release: %s)", (early) => {
  /** OpenClaw carries a call out, in the release's way. */
  async function carryOut(run: AgentRun, id: string): Promise<void> {
    run.emit("tool_execution_start", id);
    const result = (await run.tools[0]!.execute(id, { command: id })) as object;
    run.emit("tool_execution_end", id, { result, isError: false });
  }

  it("journals a call before it runs, its result when it returns, and lets go of it when the transcript holds it", async () => {
    const run = new AgentRun([user("go")], [calling("a", "b"), says("done")], early);
    await run.start();
    await run.answer();
    expect(states()).toEqual(["a pending", "b pending"]);
    if (early) void run.tools[0]!.execute("a", {});
    else run.emit("tool_execution_start", "a");
    expect(states()[0]).toBe("a executing");
    await carryOut(run, "a");
    expect(cycles()[0]).toMatchObject({
      state: "recording",
      result: { content: [{ type: "text", text: "done a" }], details: { exitCode: 0 }, isError: false },
    });
    run.store(toolResult("a", "done a"));
    await run.answer();
    expect(cycles()[0]).toMatchObject({ state: "committed" });
    expect(cycles()[0]).not.toHaveProperty("result");
    expect(states()[1]).toBe("b pending");
  });

  it("after a kill tells each call's own outcome in the next run, with the same bytes every time", async () => {
    const run = new AgentRun([user("go")], [calling("a", "b", "c")], early);
    await run.start();
    await run.answer();
    await carryOut(run, "a");
    if (early) void run.tools[0]!.execute("b", {});
    else run.emit("tool_execution_start", "b");
    vi.resetModules();
    const stored = [user("go"), calling("a", "b", "c")];
    const sent = [];
    for (const more of [[], [user("and?"), says("well")]]) {
      const later = new AgentRun([...stored, ...more], [says("ok")], early);
      await later.start();
      sent.push(JSON.stringify(later.messages.slice(0, 5)));
      const told = later.messages
        .slice(2, 5)
        .map((message) => JSON.stringify((message as { content: unknown }).content));
      expect(told).toEqual([
        expect.stringContaining("done a"),
        expect.stringMatching(early ? /done b|interrupted/ : /interrupted/),
        expect.stringContaining("not started"),
      ]);
    }
    expect(sent[0]).toBe(sent[1]);
  });

  it("keeps a result for which OpenClaw has stored an invented one, and tells it in every request", async () => {
    const run = new AgentRun([user("go")], [calling("a", "b"), says("done")], early);
    await run.start();
    await run.answer();
    await carryOut(run, "a");
    if (early) void run.tools[0]!.execute("b", {});
    else run.emit("tool_execution_start", "b");
    const invented = ["a", "b"].map((id) => ({ ...toolResult(id, MISSING_RESULT_TEXT), isError: true }));
    for (const message of invented) run.store(message);
    for (const listener of run.listeners) listener({ type: "agent_end" });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(states()[0]).toBe("a recording");
    // The same process, and a history in which each call has something that looks like a result.
    for (let turn = 0; turn < 2; turn++) {
      const later = new AgentRun([user("go"), calling("a", "b"), ...invented, user("and?")], [], early);
      await later.start();
      const told = JSON.stringify(later.messages);
      expect(told).toContain("done a");
      expect(told).toMatch(early ? /done b|interrupted/ : /interrupted/);
      expect(told).not.toContain("missing tool result");
    }
  });

  it("tells a call that OpenClaw no longer waits for after a stop as one that may have run", async () => {
    const run = new AgentRun([user("go")], [calling("a"), says("done")], early);
    await run.start();
    await run.answer();
    const aborted = { content: [{ type: "text", text: "Aborted" }], details: {} };
    run.tools[0]!.execute = () => Promise.reject(new Error("Aborted"));
    run.emit("tool_execution_start", "a");
    run.emit("tool_execution_end", "a", { result: aborted, isError: true });
    expect(states()).toEqual(["a executing"]);
    const stored = { ...toolResult("a", "Aborted"), details: {}, isError: true };
    for (const result of [stored, { ...toolResult("a", MISSING_RESULT_TEXT), isError: true }]) {
      const later = new AgentRun([user("go"), calling("a"), result, user("and?")], [], early);
      await later.start();
      expect(JSON.stringify(later.messages)).toContain("interrupted while it was being carried out");
    }
    expect(states()).toEqual(["a executing"]);
  });

  it("tells the journal's result within the run whose broken answer OpenClaw has asked for again", async () => {
    const run = new AgentRun([user("go")], [calling("a"), says("done")], early);
    const sent: unknown[] = [];
    const inner = run.session.agent.streamFn!;
    run.session.agent.streamFn = (model, context, options) => {
      sent.push((context as { messages: unknown[] }).messages);
      return inner(model, context, options);
    };
    await run.start();
    await run.answer();
    await carryOut(run, "a");
    run.session.agent.state!.messages = [
      user("go"),
      calling("a"),
      { ...toolResult("a", MISSING_RESULT_TEXT), isError: true },
    ];
    await run.answer();
    expect(JSON.stringify(sent[1])).toContain("done a");
    expect(JSON.stringify(sent[1])).not.toContain("missing tool result");
  });

  it("commits what the store turned out to hold when it is next loaded", async () => {
    const run = new AgentRun([user("go")], [calling("a")], early);
    await run.start();
    await run.answer();
    await carryOut(run, "a");
    vi.resetModules();
    const later = new AgentRun([user("go"), calling("a"), toolResult("a", "done a"), says("ok")], [], early);
    await later.start();
    expect(states()).toEqual(["a committed"]);
    expect(later.messages).toHaveLength(4);
  });
});

it("does not tell a call that still runs in this process as interrupted", async () => {
  const run = new AgentRun([user("go")], [calling("a")], false);
  await run.start();
  await run.answer();
  run.emit("tool_execution_start", "a");
  const beside = new AgentRun([user("go"), calling("a")], [], false);
  await beside.start();
  expect(JSON.stringify(beside.messages)).toContain("No result of this tool call was recorded");
});

it("does not tell a call as interrupted whose run ended before it: it was not started", async () => {
  const run = new AgentRun([user("go")], [calling("a", "b")], false);
  await run.start();
  await run.answer();
  run.emit("tool_execution_start", "a");
  for (const listener of run.listeners) listener({ type: "agent_end" });
  const later = new AgentRun([user("go"), calling("a", "b")], [], false);
  await later.start();
  const told = new Map(
    later.messages.slice(2).map((message) => [(message as { toolCallId: string }).toolCallId, JSON.stringify(message)]),
  );
  expect(told.get("a")).toContain("No result of this tool call was recorded");
  expect(told.get("b")).toContain("was not started");
});

it("leaves calls of a tool alone that are not this session's: a tool may serve several", async () => {
  const run = new AgentRun([user("go")], [calling("a")], true);
  await run.start();
  await run.answer();
  await run.tools[0]!.execute("of-another-session", {});
  expect(states()).toEqual(["a pending"]);
});

it("journals a call that OpenClaw 2026.9 begins before the answer is complete", async () => {
  const run = new AgentRun([user("go")], [calling("a")], false);
  await run.start();
  run.emit("tool_execution_start", "a");
  await run.answer();
  expect(states()).toEqual(["a executing"]);
});

it("keeps a place before each turn and each batch of calls, and lets the oldest go", async () => {
  vi.stubEnv("OPENCLAW_INTEGRITY_CHECKPOINTS", "2");
  for (let turn = 0; turn < 4; turn++) {
    const run = new AgentRun([user("go"), says(`turn ${turn}`)], [calling(`a${turn}`), says("done")], false);
    await run.start();
    await run.answer();
    await run.answer();
  }
  const journal = openJournal(journalFile(home), { readOnly: true });
  const kept = journal.checkpoints
    .list("s-1")
    .map(({ operation, committedAt, messageIndex }) => `${operation} ${messageIndex} ${committedAt !== undefined}`);
  journal.close();
  expect(kept.toSorted()).toEqual(["api_call 2 true", "api_call 2 true", "tool_cycle 2 true", "tool_cycle 2 true"]);
});

it.each([
  ["", [1, 2, 3, 4]],
  ["3", [3]],
  ["2", [2, 4]],
  ["none", [1, 2, 3, 4]],
])(
  "makes checkpoints within a turn no more often than it is told to (interval %j: before batches %j)",
  async (interval, batches) => {
    vi.stubEnv("OPENCLAW_INTEGRITY_CHECKPOINT_INTERVAL", interval);
    const run = new AgentRun(
      [user("go")],
      [1, 2, 3, 4].map((batch) => calling(`a${batch}`)),
      false,
    );
    await run.start();
    const made: number[] = [];
    for (let batch = 1; batch <= 4; batch++) {
      const before = checkpoints("tool_cycle").length;
      await run.answer();
      if (checkpoints("tool_cycle").length > before) made.push(batch);
    }
    expect(made).toEqual(batches);
  },
);

it("keeps a copy of the messages in checkpoints only when it is told to", async () => {
  const snapshots: unknown[] = [];
  for (const setting of ["", "on"]) {
    vi.stubEnv("OPENCLAW_INTEGRITY_SNAPSHOTS", setting);
    const run = new AgentRun([user("go"), says("well")], [calling(`a${setting}`)], false);
    await run.start();
    await run.answer();
    snapshots.push(checkpoints("tool_cycle").at(-1)?.snapshot);
  }
  expect(snapshots).toEqual([undefined, [user("go"), says("well")]]);
});

function checkpoints(operation: string): Checkpoint[] {
  const journal = openJournal(journalFile(home), { readOnly: true });
  try {
    return journal.checkpoints
      .list("s-1")
      .filter((one) => one.operation === operation)
      .map(({ id }) => journal.checkpoints.get(id)!);
  } finally {
    journal.close();
  }
}

it("keeps the place before the message that a turn answers, which is stored before the load since 2026.8", async () => {
  const run = new AgentRun([user("go"), says("gone"), user("the next")], [], false);
  await run.start();
  const journal = openJournal(journalFile(home), { readOnly: true });
  expect(journal.checkpoints.list("s-1")).toMatchObject([
    { operation: "api_call", messageIndex: 2, firstEntryId: "e0", leafEntryId: "e1" },
  ]);
  journal.close();
});

it("lets every turn go on when the journal cannot be written, and says so once", async () => {
  rmSync(home, { recursive: true });
  vi.stubEnv("OPENCLAW_STATE_DIR", join("/dev/null", "state"));
  const run = new AgentRun([user("go")], [calling("a"), says("done")], true);
  await run.start();
  await run.answer();
  expect(await run.tools[0]!.execute("a", {})).toMatchObject({ content: [{ text: "done a" }] });
  expect(await run.answer()).toMatchObject({ content: [{ text: "done" }] });
  // Tried again after a while, but not said again.
  vi.spyOn(Date, "now").mockReturnValue(Date.now() + 120_000);
  await new AgentRun([user("go")], [], true).start();
  expect(lines.filter((line) => line.includes("journal"))).toHaveLength(1);
});
