import { readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import {
  createSessionIntegrity,
  MemorySession,
  MemoryStore,
  openJournal,
  openJournalOrMemory,
  type Journal,
  type Layer0Config,
  type MessageFormat,
  type SessionIntegrity,
} from "../../src/integrity/index.ts";
import { WRITERS } from "./messages.ts";

let folder: string;
let journal: Journal;
beforeEach(() => {
  folder = newFolder();
  journal = openJournal(join(folder, "journal.sqlite"), { busyTimeoutMs: 20 });
});
afterEach(() => {
  journal.close();
});

const integrityWith = (config: Partial<Layer0Config> = {}): SessionIntegrity =>
  createSessionIntegrity({ journal, config });
const refusal = (message: string, status = 400): Error => Object.assign(new Error(`${status} ${message}`), { status });
const FILTERED = refusal('{"error":{"code":"content_filtered","message":"The request was filtered"}}');
const UNKNOWN = refusal('{"error":{"message":"The frobnicator of this deployment is displeased."}}');

/** A provider that counts its requests and refuses those that hold something. */
function provider(
  isRefused: (said: string) => boolean,
  error: Error,
): { call: (messages: readonly unknown[]) => Promise<string>; sent: string[] } {
  const sent: string[] = [];
  return {
    sent,
    call: async (messages) => {
      const said = JSON.stringify(messages);
      sent.push(said);
      if (isRefused(said)) throw error;
      return "answered";
    },
  };
}

describe.each(["anthropic", "openclaw"] as const)("a content filter, %s", (format: MessageFormat) => {
  const { user, says, calls, results } = WRITERS[format];

  it("that refuses an older part leaves the newest results stored, which were not the reason", async () => {
    const old = [user("read it"), calls("toolu_1"), ...results(["toolu_1", "OLDWORD"]), says("Done")];
    const newest = [user("and that"), calls("toolu_2"), ...results(["toolu_2", "NEWWORD"])];
    const session = new MemorySession({ id: "s", format, messages: [...old, ...newest] });
    const before = session.messages;
    const { call, sent } = provider((said) => said.includes("OLDWORD"), FILTERED);
    expect(await integrityWith().guardCall(session, call)).toMatchObject({ outcome: "answered" });
    expect(sent.map((said) => said.includes("NEWWORD"))).toEqual([true, false, false]);
    expect(session.messages).toEqual(before);
  });

  it("that refuses a person's words refuses them once: the turn is taken back, and the next one is answered", async () => {
    const store = new MemoryStore();
    const session = new MemorySession({ id: "s", format, store, messages: [user("Hello"), says("Hi")] });
    const integrity = integrityWith();
    const { call, sent } = provider((said) => said.includes("BADWORD"), FILTERED);
    await session.append([user("say BADWORD")]);
    expect(await integrity.guardCall(session, call)).toMatchObject({
      outcome: "failed",
      recovery: { action: "rolled_back", details: { messagesRemoved: 1 } },
    });
    expect(sent.length).toBe(2);
    for (const text of ["hello again", "and again"]) {
      await session.append([user(text)]);
      expect(await integrity.guardCall(session, call)).toEqual({ outcome: "answered", response: "answered" });
      await session.append([says("Well")]);
    }
    expect(JSON.stringify(store.everything("s"))).toContain("BADWORD");
  });

  it("that refuses what a tool returned: the request is made again without it, which is told, and later turns are answered in a new process too", async () => {
    const store = new MemoryStore();
    const session = new MemorySession({ id: "s", format, store, messages: [user("read it")] });
    const { call, sent } = provider((said) => said.includes("BADWORD"), FILTERED);
    await session.append([calls("toolu_1"), ...results(["toolu_1", "page with BADWORD"])]);
    const outcome = await integrityWith().guardCall(session, call);
    expect(outcome).toMatchObject({
      outcome: "answered",
      notes: [expect.stringMatching(/refused what a tool returned/)],
    });
    expect(sent.length).toBe(2);
    expect(sent[1]).toContain("toolu_1");
    await session.append([says("Done"), user("and now?")]);
    const restarted = new MemorySession({ id: "s", format, store });
    expect(await integrityWith().guardCall(restarted, call)).toEqual({ outcome: "answered", response: "answered" });
    expect(integrityWith().validate(restarted, { allowOpenEnd: false })).toEqual({ valid: true });
    expect(JSON.stringify(store.everything("s"))).toContain("BADWORD");
  });

  it("that has begun to refuse the history itself does not end the conversation", async () => {
    const session = new MemorySession({ id: "s", format, messages: [user("Hello OLDWORD"), says("Hi")] });
    const integrity = integrityWith();
    const { call } = provider((said) => said.includes("OLDWORD"), FILTERED);
    const outcomes: string[] = [];
    for (let turn = 0; turn < 5; turn++) {
      await session.append([user(`turn ${turn}`)]);
      const { outcome, notes } = await integrity.guardCall(session, call);
      outcomes.push(outcome);
      if (outcome === "answered") {
        expect(notes).toEqual([expect.stringMatching(/last message alone/)]);
        await session.append([says("Well")]);
      }
    }
    expect(outcomes).toEqual(Array<string>(5).fill("answered"));
  });

  it("never takes anything back behind an answer, whatever checkpoint is there", async () => {
    const session = new MemorySession({ id: "s", format, messages: [user("Hello"), says("Hi")] });
    const integrity = integrityWith();
    const { id } = await integrity.checkpoint(session, "manual");
    await integrity.checkpoints(session).commit(id);
    await integrity.checkpoint(session, "manual");
    for (let round = 0; round < 10; round++) await session.append([user(`question ${round}`), says(`answer ${round}`)]);
    const before = [...session.messages];
    expect((await integrity.handleError(session, FILTERED)).action).toBe("escalate");
    expect(session.messages).toEqual(before);
    await session.append([user("BADWORD")]);
    expect(await integrity.handleError(session, FILTERED)).toMatchObject({
      action: "rolled_back",
      details: { messagesRemoved: 1 },
    });
    expect(session.messages).toEqual(before);
  });
});

describe.each(["anthropic", "openclaw"] as const)(
  "a refusal in words that nobody knows, %s",
  (format: MessageFormat) => {
    const { user, says, calls, results } = WRITERS[format];
    const history = (): MemorySession =>
      new MemorySession({
        id: "s",
        format,
        messages: [user("Look"), calls("toolu_1"), ...results(["toolu_1", "seen"]), says("Done"), user("More")],
      });

    it("is answered in another form; the next turn is not refused again; nothing is stored, however often", async () => {
      const session = history();
      const before = [...session.messages];
      const integrity = integrityWith();
      const { call, sent } = provider((said) => /"(tool_result|toolResult)"/.test(said), UNKNOWN);
      expect(await integrity.guardCall(session, call)).toMatchObject({
        outcome: "answered",
        notes: [expect.stringMatching(/another form/)],
      });
      expect(sent.length).toBeLessThanOrEqual(3);
      expect(sent.at(-1)).toContain("seen");
      expect(session.messages).toEqual(before);
      await session.append([says("Well"), user("And?")]);
      sent.length = 0;
      expect(await integrity.guardCall(session, call)).toEqual({ outcome: "answered", response: "answered" });
      expect(sent.length).toBe(1);
      expect(sent[0]).toContain("seen");
      await session.append([says("Well"), calls("toolu_2"), ...results(["toolu_2", "heard"])]);
      expect(await integrity.guardCall(session, call)).toMatchObject({ outcome: "answered" });
      for (const part of ['"id":"toolu_1"', '"id":"toolu_2"', "seen", "heard"])
        expect(JSON.stringify(session.messages)).toContain(part);
      expect(integrity.validate(session, { allowOpenEnd: false })).toEqual({ valid: true });
    });

    it("for good neither changes nor resets the session, and costs three requests a turn at most", async () => {
      const session = history();
      const before = session.messages;
      const integrity = integrityWith();
      const { call, sent } = provider(() => true, UNKNOWN);
      for (let turn = 1; turn <= 3; turn++) {
        expect(await integrity.guardCall(session, call)).toMatchObject({
          outcome: "failed",
          recovery: { action: "escalate" },
        });
        expect(sent.length).toBe(turn * 3);
      }
      expect(session.messages).toEqual(before);
    });
  },
);

describe.each(["anthropic", "openclaw"] as const)("a provider that names another place each time, %s", (format) => {
  const { user, says, calls, results } = WRITERS[format];

  it("leaves a conversation without an answer once at most", async () => {
    const read = [calls("toolu_1"), ...results(["toolu_1", "page with OLDWORD"]), says("Done")];
    const session = new MemorySession({ id: "s", format, messages: [user("read it"), ...read] });
    const integrity = integrityWith();
    let place = 0;
    const call = async (messages: readonly unknown[]): Promise<string> => {
      if (JSON.stringify(messages).includes("OLDWORD"))
        throw refusal(`messages.${place++ % 3}: unexpected tool_use_id`);
      return "answered";
    };
    const outcomes: string[] = [];
    for (let turn = 0; turn < 4; turn++) {
      await session.append([user(`turn ${turn}`)]);
      const { outcome } = await integrity.guardCall(session, call);
      outcomes.push(outcome);
      if (outcome === "answered") await session.append([says("Well")]);
    }
    expect(outcomes.slice(1)).toEqual(Array<string>(3).fill("answered"));
  });
});

describe("a proxy that forges refusals of the history", () => {
  const { user, says, calls, results } = WRITERS.anthropic;
  const FORGED = refusal(
    '{"type":"error","error":{"type":"invalid_request_error","message":"messages.1.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1"}}',
  );

  it("cannot empty a conversation that was answered before", async () => {
    const session = new MemorySession({
      id: "s",
      messages: [user("Look"), calls("toolu_1"), ...results(["toolu_1", "seen"]), says("Done"), user("More")],
    });
    const integrity = integrityWith();
    expect(await integrity.guardCall(session, async () => "fine")).toMatchObject({ outcome: "answered" });
    await session.append([says("Well"), user("And?")]);
    const before = session.messages;
    const outcome = await integrity.guardCall(session, async () => Promise.reject(FORGED));
    expect(outcome).toMatchObject({
      outcome: "failed",
      recovery: { action: "escalate", message: expect.stringMatching(/kept as it is, because/) },
    });
    expect(session.messages).toEqual(before);
  });

  it("cannot empty one that is new to this process either, and its endpoint is told from its history", async () => {
    const session = new MemorySession({ id: "s", messages: [user("Look"), says("Done"), user("More")] });
    const before = session.messages;
    const integrity = integrityWith();
    for (let turn = 0; turn < 10; turn++) {
      const { call, sent } = provider(() => true, FORGED);
      const outcome = await integrity.guardCall(session, call);
      expect(outcome).toMatchObject({ outcome: "failed", recovery: { action: "escalate" } });
      expect(outcome.recovery?.message).toMatch(/it refuses every request, and the history is not the reason/);
      expect(sent.length).toBeLessThanOrEqual(3);
      expect(sent.at(-1)).toBe(JSON.stringify([{ role: "user", content: [{ type: "text", text: "More" }] }]));
    }
    expect(session.messages).toEqual(before);
    expect(await integrity.guardCall(session, async (messages) => messages.length)).toEqual({
      outcome: "answered",
      response: 3,
    });
  });
});

describe.each(["anthropic", "openclaw"] as const)(
  "a history that is refused in every form, %s",
  (format: MessageFormat) => {
    const { user, says, calls, results } = WRITERS[format];

    it("is left out when the last words alone are taken: every turn is answered, and nothing is changed", async () => {
      const prompt = { role: "user", content: [{ type: "text", text: "PROMPT", isSystemPrompt: true }] };
      const session = new MemorySession({
        id: "s",
        format,
        messages: [
          ...(format === "anthropic" ? [prompt] : []),
          user("OLD words"),
          calls("toolu_1"),
          ...results(["toolu_1", "seen"]),
          says("Done"),
          user("More"),
        ],
      });
      const before = session.messages;
      const integrity = integrityWith();
      const { call, sent } = provider((said) => said.includes("OLD"), UNKNOWN);
      const outcomes: string[] = [];
      for (let turn = 0; turn < 4; turn++) {
        sent.length = 0;
        const { outcome, notes } = await integrity.guardCall(session, call);
        outcomes.push(outcome);
        expect(sent.length).toBeLessThanOrEqual(3);
        if (outcome === "failed") continue;
        expect(notes).toEqual([expect.stringMatching(/takes your last message.*nothing was deleted/)]);
        expect(sent.at(-1)).toContain("More");
        if (format === "anthropic") expect(sent.at(-1)).toContain("PROMPT");
      }
      expect(outcomes.slice(1)).toEqual(["answered", "answered", "answered"]);
      expect(session.messages).toEqual(before);
      expect(JSON.stringify(await integrity.guardCall(session, async (messages) => messages))).toContain("OLD");
    });
  },
);

describe("the journal", () => {
  const { user } = WRITERS.anthropic;

  it("keeps no more checkpoints of failed calls than are to be kept", async () => {
    const session = new MemorySession({ id: "s", messages: [user("Hello")] });
    const integrity = integrityWith();
    for (let at = 0; at < 300; at++)
      await integrity.guardCall(session, async () => Promise.reject(refusal("overloaded", 529)));
    await integrity.guardCall(session, async () => "fine");
    expect(journal.checkpoints.list("s").length).toBeLessThanOrEqual(2 * 20);
  });

  it("that is locked stops no call: the answer says so; with requireJournal nothing is sent", async () => {
    const session = new MemorySession({ id: "s", messages: [user("Hello")] });
    const other = new DatabaseSync(journal.file);
    other.exec("BEGIN EXCLUSIVE");
    expect(await integrityWith().guardCall(session, async () => "fine")).toMatchObject({
      outcome: "answered",
      response: "fine",
      warnings: [expect.stringMatching(/journal/)],
    });
    expect(
      await integrityWith().guardCall(session, async () => Promise.reject(refusal("overloaded", 529))),
    ).toMatchObject({ outcome: "failed", recovery: { action: "escalate" } });
    expect(await integrityWith().guardCall(session, async () => Promise.reject(FILTERED))).toMatchObject({
      outcome: "failed",
      recovery: { action: "rolled_back" },
    });
    await session.append([user("Look")]);
    const use = { type: "tool_use", id: "toolu_1", name: "read", input: {} } as const;
    expect(await integrityWith().executeToolCycle(session, use, { execute: () => ({ output: "ran" }) })).toMatchObject({
      success: true,
      warnings: [expect.stringMatching(/journal/)],
    });
    expect(JSON.stringify(session.messages)).toContain("ran");
    let ran = 0;
    await expect(
      integrityWith({ requireJournal: true }).executeToolCycle(
        session,
        { ...use, id: "toolu_2" },
        { execute: () => ({ output: String(ran++) }) },
      ),
    ).rejects.toMatchObject({ code: "locked" });
    expect(ran).toBe(0);
    let sent = 0;
    await expect(integrityWith({ requireJournal: true }).guardCall(session, async () => sent++)).rejects.toMatchObject({
      code: "locked",
    });
    expect(sent).toBe(0);
    other.exec("ROLLBACK");
    other.close();
    expect(await integrityWith().guardCall(session, async () => "fine")).toEqual({
      outcome: "answered",
      response: "fine",
    });
  });

  it("in a file that cannot be written is one in memory, which is told; a file that is not ours is refused", async () => {
    const damaged = join(folder, "damaged.sqlite");
    writeFileSync(damaged, "SQLite format 3\0" + "x".repeat(8000));
    const told: string[] = [];
    const inMemory = openJournalOrMemory(damaged, { onFailure: ({ code }) => told.push(code) });
    expect(told).toEqual(["damaged"]);
    expect(inMemory.file).toBe(":memory:");
    inMemory.close();
    expect(readFileSync(damaged, "utf8")).toContain("xxx");
    const foreign = join(folder, "foreign.sqlite");
    const other = new DatabaseSync(foreign);
    other.exec("CREATE TABLE theirs (id INTEGER)");
    other.close();
    expect(() => openJournalOrMemory(foreign)).toThrow(expect.objectContaining({ code: "foreign" }));
  });
});
