import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createSessionIntegrity,
  MemorySession,
  MemoryStore,
  openJournal,
  type IntegrityEvent,
  type Journal,
  type Layer0Config,
  type SessionIntegrity,
  type ToolExecutor,
  type CycleCall,
} from "../../src/integrity/index.ts";
import { failing } from "../../harness/openclaw/overriding.ts";
import { WRITERS } from "./messages.ts";

const { user, says, calls, results } = WRITERS.anthropic;
const called = (id: string): CycleCall => calls(id) as unknown as CycleCall;
const REFUSED = (words: string): Error =>
  Object.assign(new Error(`400 {"type":"error","error":{"type":"invalid_request_error","message":"${words}"}}`), {
    status: 400,
  });
const UNEXPLAINED = REFUSED("messages.3: tool results of Tuesdays are not allowed: `tool_result` toolu_1");
const OVERLOADED = Object.assign(
  new Error('529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'),
  { status: 529 },
);
const FILTERED = REFUSED("Output blocked by content filtering policy");

let journal: Journal;
let events: IntegrityEvent[];
beforeEach(() => {
  journal = openJournal(":memory:");
  events = [];
});
afterEach(() => journal.close());

function integrityWith(config: Partial<Layer0Config> = {}, log?: (line: string) => void): SessionIntegrity {
  return createSessionIntegrity({ journal, config, onEvent: (event) => events.push(event), ...(log && { log }) });
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

describe("a refused history", () => {
  it("climbs one rung with each refusal: other form of the place, all as words, then a reset is offered and not made; a success begins anew", async () => {
    const store = new MemoryStore();
    const session = new MemorySession({
      id: "s",
      messages: [
        ...healthy().messages,
        calls("toolu_2"),
        ...results(["toolu_2", "heard"]),
        says("Done"),
        user("Go on"),
      ],
      store,
    });
    const integrity = integrityWith();
    const before = session.messages;
    expect(await integrity.handleError(session, UNEXPLAINED)).toMatchObject({
      action: "repaired",
      details: { rung: "calls_as_text" },
    });
    const said = (): string => JSON.stringify(session.messages);
    expect(said()).not.toContain('"id":"toolu_1"');
    expect(said()).toContain('"id":"toolu_2"');
    expect(
      await integrity.handleError(session, REFUSED("messages.7: `tool_result` toolu_2 is no better")),
    ).toMatchObject({ action: "repaired", details: { rung: "flat" } });
    expect(said()).not.toContain('"id":"toolu_2"');
    expect(said()).toMatch(/seen.*heard/);
    expect(integrity.validate(session)).toEqual({ valid: true });
    const treated = session.messages;
    for (let turn = 0; turn < 3; turn++)
      expect(await integrity.handleError(session, UNEXPLAINED)).toMatchObject({
        action: "escalate",
        message: expect.stringMatching(/kept as it is/),
        details: { offer: "reset" },
      });
    expect(session.messages).toEqual(treated);
    expect(store.everything("s")).toEqual(expect.arrayContaining([...before]));
    await session.append([...healthy().messages]);
    expect(await integrity.guardCall(session, async () => "fine")).toMatchObject({ outcome: "answered" });
    expect(await integrity.handleError(session, UNEXPLAINED)).toMatchObject({ action: "repaired" });
  });

  it("is sent again at most twice in one call", async () => {
    let sent = 0;
    const result = await integrityWith().guardCall(healthy(), async () => {
      sent++;
      throw UNEXPLAINED;
    });
    expect(result).toMatchObject({ outcome: "failed", recovery: { action: "escalate" } });
    expect(sent).toBeLessThanOrEqual(3);
  });

  it("is only told without autoRepair, with the repair that would help", async () => {
    const session = new MemorySession({ id: "s", messages: [user("Hello"), ...results(["toolu_gone", "x"])] });
    const before = [...session.messages];
    expect(
      await integrityWith({ autoRepair: false }).handleError(
        session,
        REFUSED("messages.1: unexpected `tool_use_id` found in `tool_result` blocks: toolu_gone"),
      ),
    ).toMatchObject({
      action: "escalate",
      details: { offer: "repair" },
    });
    expect(session.messages).toEqual(before);
  });
});

describe("another error", () => {
  it("in the middle of a call takes its unfinished part back and leaves the user's messages", async () => {
    const session = healthy();
    const before = [...session.messages];
    const result = await integrityWith().guardCall(session, async () => {
      await session.append([says("half an ans")]);
      throw OVERLOADED;
    });
    expect(result).toMatchObject({
      outcome: "failed",
      recovery: { action: "rolled_back", details: { failure: "overload", messagesRemoved: 1 } },
    });
    expect(session.messages).toEqual(before);
    const meanwhile = user("are you there?");
    await integrityWith().guardCall(session, async () => {
      await session.append([meanwhile, says("half an ans")]);
      throw OVERLOADED;
    });
    expect(session.messages).toEqual([...before, meanwhile]);
  });

  it("before anything was added is not this room's business, and takes nothing back to a checkpoint made by hand", async () => {
    const session = healthy();
    const integrity = integrityWith();
    await integrity.checkpoint(session, "manual");
    await session.append([says("Answer"), user("And?"), says("Indeed")]);
    const before = [...session.messages];
    expect(await integrity.handleError(session, OVERLOADED)).toMatchObject({
      action: "escalate",
      details: { failure: "overload" },
    });
    expect(session.messages).toEqual(before);
  });
});

describe("a content filter", () => {
  it("without a checkpoint: the session is looked at and repaired", async () => {
    const session = new MemorySession({
      id: "s",
      messages: [user("Hello"), ...results(["toolu_gone", "x"]), says("Hi")],
    });
    const integrity = integrityWith();
    expect(await integrity.handleError(session, FILTERED)).toMatchObject({ action: "repaired" });
    expect(integrity.validate(session)).toEqual({ valid: true });
    expect(await integrity.handleError(session, FILTERED)).toMatchObject({ action: "escalate" });
    const untouched = new MemorySession({ id: "t", messages: [user("Hello"), ...results(["toolu_gone", "x"])] });
    const before = untouched.messages;
    expect(await integrityWith({ autoRepair: false }).handleError(untouched, FILTERED)).toMatchObject({
      action: "escalate",
    });
    expect(untouched.messages).toBe(before);
  });

  it.each([
    { stop_reason: "refusal" },
    { choices: [{ finish_reason: "content_filter" }] },
    { candidates: [{ finishReason: "SAFETY" }] },
  ])("in an answer is one too: %j", async (answer) => {
    expect(await integrityWith().guardCall(healthy(), async () => answer)).toMatchObject({
      outcome: "failed",
      recovery: { action: "rolled_back" },
    });
  });

  it("of a later turn leaves the answer there, also when recovery closed cycles whose checkpoints were pruned", async () => {
    const session = healthy();
    const integrity = integrityWith({ checkpointRetention: 2 });
    await session.append([says("Yes")]);
    const works: ToolExecutor = { execute: async () => ({ output: "done" }) };
    const unstored = failing(session, "persistToolCycle", "disk full");
    for (const id of ["toolu_2", "toolu_3", "toolu_4"]) await integrity.executeToolCycle(unstored, called(id), works);
    const didNothing: ToolExecutor = { execute: () => Promise.reject(new Error("did nothing")) };
    await integrity.executeToolCycle(session, called("toolu_5"), didNothing);
    await integrity.recover(session);
    await session.append([user("Next"), says("A whole answer")]);
    const before = [...session.messages];
    await integrity.handleError(session, FILTERED);
    expect(session.messages).toEqual(before);
  });
});

describe("configuration", () => {
  it("enabled: false lets everything through and journals nothing", async () => {
    const session = new MemorySession({ id: "s", messages: [user("Hello"), ...results(["toolu_gone", "x"])] });
    const integrity = integrityWith({ enabled: false });
    expect(integrity.validate(session)).toEqual({ valid: true });
    expect(await integrity.guardCall(session, async (messages) => messages.length)).toEqual({
      outcome: "answered",
      response: 2,
    });
    const use = { type: "tool_use", id: "toolu_1", name: "exec", input: {} } as const;
    expect(await integrity.executeToolCycle(session, use, { execute: () => ({ output: "ran" }) })).toMatchObject({
      success: true,
    });
    expect(
      await integrity.executeToolCycle(
        session,
        { ...use, id: "toolu_2" },
        { execute: () => Promise.reject(new Error("no")) },
      ),
    ).toMatchObject({ success: false, rolledBack: true });
    expect(session.messages.length).toBe(4);
    expect(await integrity.handleError(session, FILTERED)).toMatchObject({ action: "escalate" });
    expect(journal.checkpoints.list("s")).toEqual([]);
    // What is asked for expressly still works.
    expect(await integrity.repair(session)).toMatchObject({ repaired: true });
  });

  it("verbose logs each event as a line, without words of the conversation", async () => {
    const lines: string[] = [];
    const session = healthy();
    await integrityWith({ verbose: true }, (line) => lines.push(line)).guardCall(session, async () => "fine");
    expect(lines.length).toBeGreaterThan(2);
    expect(lines.join("\n")).toContain("l0:checkpoint:committed");
    expect(lines.join("\n")).not.toContain("Hello");
    await integrityWith({}, (line) => lines.push(`quiet ${line}`)).guardCall(session, async () => "fine");
    expect(lines.filter((line) => line.startsWith("quiet"))).toEqual([]);
  });

  it("an observer that throws stops nothing", async () => {
    const integrity = createSessionIntegrity({
      journal,
      onEvent: () => {
        throw new Error("observer");
      },
    });
    expect(integrity.validate(healthy())).toEqual({ valid: true });
  });

  it.each([{ retention: 3 }, { checkpointRetention: -1 }, { checkpointRetention: 1.5 }, { enabled: "yes" }])(
    "refuses %j",
    (config) => {
      expect(() => integrityWith(config as Partial<Layer0Config>)).toThrow(/^expected .+; found .+\. .+/);
    },
  );
});

describe("Anthropic's own blocks", () => {
  it("are valid, and a repair beside them leaves them as they are", async () => {
    const thought = { type: "redacted_thinking", data: "abc" };
    const document = { type: "document", source: { type: "text", media_type: "text/plain", data: "x" } };
    const messages = [
      { role: "user", content: [document, { type: "text", text: "Read" }] },
      { role: "assistant", content: [thought, { type: "tool_use", id: "toolu_1", name: "exec", input: {} }] },
      ...results(["toolu_1", "seen"]),
      { role: "assistant", content: "Done" },
      user("More"),
    ];
    const integrity = integrityWith();
    expect(integrity.validate(new MemorySession({ id: "a", messages }))).toEqual({ valid: true });
    const broken = new MemorySession({ id: "b", messages: messages.filter((_, at) => at !== 2) });
    expect(await integrity.repair(broken)).toMatchObject({ repairs: [{ kind: "missing_tool_result" }] });
    expect(broken.messages[0]).toEqual(messages[0]);
    expect(broken.messages[1]).toEqual(messages[1]);
    expect(broken.messages[3]).toEqual({ role: "assistant", content: "Done" });
    const cut = new MemorySession({
      id: "c",
      messages: [
        messages[0],
        { role: "assistant", content: [thought, { type: "tool_use", id: "", name: "exec", input: {} }] },
        user("More"),
      ],
    });
    await integrity.repair(cut);
    expect((cut.messages[1] as { content: unknown[] }).content[0]).toEqual(thought);
  });
});
