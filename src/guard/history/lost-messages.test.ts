import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { says, userText as user } from "../../../harness/messages.ts";
import { newFolder } from "../../../harness/temporary.ts";
import { journalFile, openJournal } from "../../journal/index.ts";
import { CARRYOVER_TYPE } from "../../timetravel/index.ts";

interface Entry {
  id: string;
  parentId: string | null;
  type: string;
  customType?: string | undefined;
  message?: unknown;
  timestamp?: string;
}

/** OpenClaw's session manager, as far as it is used here. */
class Manager {
  readonly entries: Entry[] = [];

  constructor(...messages: unknown[]) {
    for (const message of messages) this.appendMessage(message);
  }

  getBranch(): Entry[] {
    return this.entries;
  }
  getLeafId(): string | null {
    return this.entries.at(-1)?.id ?? null;
  }
  getEntry(id: string): Entry | undefined {
    return this.entries.find((entry) => entry.id === id);
  }
  appendMessage(message: unknown): string {
    return this.#append({ type: "message", message });
  }
  appendCustomEntry(customType?: string): string {
    return this.#append({ type: "custom", customType });
  }
  #append(fields: Pick<Entry, "type" | "message" | "customType">): string {
    const id = `e${this.entries.length}`;
    this.entries.push({ ...fields, id, parentId: this.getLeafId(), timestamp: new Date().toISOString() });
    return id;
  }
}

const arrival = (questionId: string) => ({
  type: "custom_message",
  customType: CARRYOVER_TYPE,
  details: { intentId: "i", departureId: "d", targetId: "e1", by: "agent", questionIds: [questionId] },
});

let home = "";
beforeEach(() => {
  home = newFolder();
  vi.stubEnv("OPENCLAW_STATE_DIR", home);
  vi.spyOn(console, "warn").mockImplementation(() => {});
  vi.resetModules();
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** What an earlier process asked a model with, behind the entry `parentId`. */
function noted(entryId: string, parentId: string | null, content: string, at = 1): void {
  const journal = openJournal(journalFile(home), { now: () => at });
  journal.unanswered.note({ sessionId: "s", entryId, parentId, message: user(content) });
  journal.close();
}

const still = (): string[] => {
  const journal = openJournal(journalFile(home));
  const ids = journal.unanswered.list("s").map(({ entryId }) => entryId);
  journal.close();
  return ids;
};

async function load(manager: Manager): Promise<unknown[]> {
  const { withLostMessages } = await import("./lost-messages.ts");
  return withLostMessages(
    "s",
    manager,
    manager.entries.flatMap(({ message }) => message ?? []),
  );
}

it("puts a message back that OpenClaw took off the path before it was killed again, once and for all", async () => {
  noted("gone", "e1", "magpie");
  const manager = new Manager(user("heron"), says("yes"));
  expect(await load(manager)).toEqual([user("heron"), says("yes"), user("magpie")]);
  expect(manager.entries.map(({ type, message }) => message ?? type)).toEqual([
    user("heron"),
    says("yes"),
    user("magpie"),
    "custom",
  ]);
  expect(still()).toEqual(["e2"]);
  manager.appendMessage(user("wren"));
  manager.appendMessage(says("ok"));
  expect(await load(manager)).toHaveLength(5);
  expect(still()).toEqual([]);
});

it("puts it where it was said when the conversation has gone on, without a word in the store", async () => {
  noted("gone", "e1", "magpie");
  const manager = new Manager(user("heron"), says("yes"), user("wren"), says("ok"));
  for (let times = 0; times < 2; times++)
    expect(await load(manager)).toEqual([user("heron"), says("yes"), user("magpie"), user("wren"), says("ok")]);
  expect(manager.entries).toHaveLength(4);
});

it("takes one for said where its words are lines of a later message, and no others", async () => {
  noted("gone", "e1", "magpie\nand wren");
  noted("other", "e1", "wren");
  const manager = new Manager(user("heron"), says("yes"), user("[queued]\nmagpie\nand wren\n\nrobin"), says("ok"));
  const loaded = await load(manager);
  expect(loaded).toEqual([
    user("heron"),
    says("yes"),
    user("wren"),
    ...manager.entries.slice(2).map(({ message }) => message),
  ]);
  expect(still()).toEqual(["other"]);
});

it("stays journalled while it stands on the path without an answer: its own words are not said again", async () => {
  noted("e2", "e1", "magpie");
  const { settleAnswered } = await import("./lost-messages.ts");
  const manager = new Manager(user("heron"), says("yes"), user("magpie"));
  expect(settleAnswered("s", manager)).toBe(1);
  expect(still()).toEqual(["e2"]);
});

it("of another run is put back, and one that this run asks in its own prompt is not", async () => {
  const { keepSuperseded, withLostMessages } = await import("./lost-messages.ts");
  const manager = new Manager(user("heron"), says("yes"));
  const messageEntry = { type: "message", id: "gone", parentId: "e1", message: user("magpie") };
  const loadedBy = (runId: string, orphanRepair?: object) => {
    keepSuperseded({ sessionId: "s", runId, ...(orphanRepair && { orphanRepair }) });
    return withLostMessages("s", manager, [user("heron"), says("yes")]);
  };
  expect(loadedBy("one", { messageEntry })).toHaveLength(2);
  expect(loadedBy("one")).toHaveLength(2);
  expect(loadedBy("two")).toEqual([user("heron"), says("yes"), user("magpie")]);
});

it("gives back what another session said and OpenClaw takes off the path without asking it, and nothing of its own", async () => {
  const { keepSuperseded, withLostMessages } = await import("./lost-messages.ts");
  const manager = new Manager(user("heron"), says("yes"));
  const history = [user("heron"), says("yes")];
  const takenOff = (kind: string, prompt: string) => {
    const message = { ...user("the result"), provenance: { kind } };
    const messageEntry = { type: "message", id: `gone ${kind} ${prompt}`, parentId: "e1", message };
    keepSuperseded({ sessionId: "s", runId: "one", orphanRepair: { messageEntry, contextEnginePrompt: prompt } });
    return withLostMessages("s", manager, history);
  };
  expect(takenOff("internal_system", "go on")).toEqual(history);
  expect(takenOff("inter_session", "[queued]\nthe result\n\ngo on")).toEqual(history);
  expect(takenOff("inter_session", "go on")).toMatchObject([...history, user("the result")]);
});

it("puts several messages back in their order", async () => {
  for (const bird of ["magpie", "wren", "robin"]) noted(bird, "e1", bird);
  const manager = new Manager(user("heron"), says("yes"));
  const whole = [user("heron"), says("yes"), user("magpie"), user("wren"), user("robin")];
  expect(await load(manager)).toEqual(whole);
  expect(manager.entries.flatMap(({ message }) => message ?? [])).toEqual(whole);
  expect(await load(manager)).toEqual(whole);
});

it("puts it before the message of this turn where that is stored already and is no part of the history", async () => {
  noted("gone", "e1", "magpie");
  const { withLostMessages } = await import("./lost-messages.ts");
  const manager = new Manager(user("heron"), says("yes"), user("of this turn"));
  const history = [user("heron"), says("yes")];
  expect(withLostMessages("s", manager, history)).toEqual([...history, user("magpie")]);
  expect(manager.entries).toHaveLength(3);
});

it("is stored behind the answer, where it stood in the list alone: a compaction reads the transcript", async () => {
  noted("gone", "e1", "magpie");
  const { storePlaced } = await import("./placed.ts");
  const manager = new Manager(user("heron"), says("yes"), user("wren"));
  storePlaced("s", manager as never);
  expect(manager.entries).toHaveLength(3);
  manager.appendMessage(says("ok"));
  const stored: unknown[] = [];
  const storing = Object.assign(manager, { appendCustomMessageEntry: (...given: unknown[]) => stored.push(given) });
  for (let times = 0; times < 2; times++) storePlaced("s", storing as never);
  expect(stored).toEqual([["openclaw-integrity", expect.stringMatching(/before your last answer.\n> magpie$/), false]]);
  expect(still()).toEqual([]);
});

it("stores no message that is none of a person's", async () => {
  const note = { role: "custom", customType: "openclaw-integrity", content: "unread", display: false };
  const journal = openJournal(journalFile(home));
  journal.unanswered.note({ sessionId: "s", entryId: "input", parentId: "e1", message: note });
  journal.close();
  const manager = new Manager(user("heron"), says("yes"));
  expect(await load(manager)).toEqual([user("heron"), says("yes"), note]);
  expect(manager.entries).toHaveLength(2);
  expect(still()).toEqual(["input"]);
});

it("leaves it off where it was said again, answered, put aside, or is this process's own", async () => {
  noted("again", "e1", "wren");
  const manager = new Manager(user("heron"), says("yes"), user("wren"), says("ok"));
  expect(await load(manager)).toHaveLength(4);
  noted("e2", "e1", "wren");
  expect(await load(manager)).toHaveLength(4);
  expect(still()).toEqual([]);
  noted("behind-a-reset", "not-on-the-path", "magpie");
  expect(await load(manager)).toHaveLength(4);
  const { noteUnanswered } = await import("./lost-messages.ts");
  manager.appendMessage(user("tried again"));
  noteUnanswered("s", manager);
  await new Promise((resolve) => setImmediate(resolve));
  manager.entries.pop();
  expect(still()).toEqual(["behind-a-reset", "e4"]);
  expect(await load(manager)).toHaveLength(4);
  expect(manager.entries).toHaveLength(4);
});

it("puts a message back that was said by the clock of an earlier boot, which was ahead of this one's", async () => {
  noted("gone", "e1", "magpie", Date.now() + 3_600_000);
  expect(await load(new Manager(user("heron"), says("yes")))).toEqual([user("heron"), says("yes"), user("magpie")]);
});

it("tells what an earlier process has left by what was noted, not by the clock", async () => {
  const { isLeftBehind } = await import("./left-behind.ts");
  const { noteUnanswered } = await import("./lost-messages.ts");
  const at = (seconds: number): { timestamp: string } => ({
    timestamp: new Date(Date.now() + seconds * 1000).toISOString(),
  });
  noted("theirs", null, "magpie");
  const manager = new Manager(user("mine"));
  noteUnanswered("s", manager);
  await new Promise((resolve) => setImmediate(resolve));
  for (const seconds of [-1e6, 0, 3600]) {
    expect(isLeftBehind({ id: "theirs", ...at(seconds) }), `theirs, ${seconds} s`).toBe(true);
    expect(isLeftBehind({ id: "e0", ...at(seconds) }), `mine, ${seconds} s`).toBe(false);
  }
  // No model was asked with these: the message of this turn, and one that a kill has left before its request.
  expect(isLeftBehind({ id: "now", ...at(0) })).toBe(false);
  expect(isLeftBehind({ id: "before", ...at(-1e6) })).toBe(true);
  expect(isLeftBehind({ id: "ahead", ...at(3600) })).toBe(true);
  // Suspended for an hour: this process has run for a shorter time than the clock.
  vi.spyOn(process, "uptime").mockReturnValue(0);
  expect(isLeftBehind({ id: "mine too", ...at(-0.01) })).toBe(false);
});

it("looks at an entry as often for many messages as for a few", async () => {
  const readsFor = async (messages: number): Promise<number> => {
    let reads = 0;
    const manager = new Manager(...Array.from({ length: 40 }, (_, at) => user(`wren ${at}`)));
    const entries = manager.entries.map((entry) =>
      Object.defineProperty({ ...entry }, "type", { get: () => (reads++, "message") }),
    );
    manager.getBranch = () => entries;
    for (let at = 0; at < messages; at++) noted(`gone${at}`, "not-on-the-path", `magpie ${at}`);
    const { settleAnswered } = await import("./lost-messages.ts");
    expect(await load(manager)).toHaveLength(40);
    expect(settleAnswered("s", manager)).toBe(messages);
    return reads;
  };
  const few = await readsFor(2);
  expect(few).toBeGreaterThan(0);
  expect(await readsFor(30)).toBe(few);
});

it("does not ask again what a move has taken along, when OpenClaw was killed before the move was settled", async () => {
  noted("asked", "e1", "magpie");
  const manager = new Manager(user("heron"), says("yes"));
  manager.entries.push({ id: "carryover", parentId: "e1", ...arrival("asked") });
  expect(await load(manager)).toEqual([user("heron"), says("yes")]);
  expect(manager.entries).toHaveLength(3);
  expect(still()).toEqual([]);
});

it("takes the message down that a model is asked with, and nothing when the last entry is none", async () => {
  const { noteUnanswered } = await import("./lost-messages.ts");
  noteUnanswered("s", new Manager(user("heron"), says("yes")));
  const asked = new Manager(user("heron"), says("yes"), user("magpie"));
  // OpenClaw's own note, which 2026.9.6 writes behind a message in a conversation with tool results.
  asked.appendCustomEntry();
  noteUnanswered("s", asked);
  await new Promise((resolve) => setImmediate(resolve));
  const journal = openJournal(journalFile(home));
  expect(journal.unanswered.list("s")).toMatchObject([{ entryId: "e2", parentId: "e1", message: user("magpie") }]);
  journal.unanswered.clear("s");
  expect(journal.unanswered.list("s")).toEqual([]);
  journal.close();
});
