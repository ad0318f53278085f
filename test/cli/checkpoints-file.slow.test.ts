import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import {
  contentHash,
  inputHash,
  journalFile,
  openJournal,
  type Checkpoint,
  type Journal,
} from "../../src/journal/index.ts";
import { entryId, toTranscript, type StoredMessage } from "../../harness/openclaw/transcript.ts";
import { assistant, result, says, user } from "../../harness/openclaw/samples.ts";
import { cli, rollBack, smallPackage, userEnvironment, type Run } from "./fixture.ts";

const KEY = "agent:main:main";
const SESSION = "5b2d6a52-0000-4000-8000-000000000001";
const call = (id: string, name = "exec"): Record<string, unknown> => ({
  type: "toolCall",
  id,
  name,
  arguments: { for: id },
});

/** Two turns, and one with tools behind them. */
const HISTORY: StoredMessage[] = [
  user("first question"),
  says("first answer"),
  user("second question"),
  assistant(call("toolu_1"), "toolUse"),
  result("toolu_1", "files removed"),
  assistant(call("toolu_2", "read"), "toolUse"),
  result("toolu_2", "text"),
  says("second answer"),
];

describe("the commands on checkpoints, with transcripts that are files", () => {
  let root: string;
  let stateDir: string;
  let transcript: string;

  beforeAll(async () => {
    root = await smallPackage("2026.2.3");
  });
  beforeEach(() => {
    stateDir = newFolder();
    const folder = join(stateDir, "agents", "main", "sessions");
    mkdirSync(folder, { recursive: true });
    transcript = join(folder, `${SESSION}.jsonl`);
    writeFileSync(transcript, toTranscript(HISTORY));
    writeFileSync(
      join(folder, "sessions.json"),
      JSON.stringify({ [KEY]: { sessionId: SESSION, updatedAt: 1, model: "kept" } }),
    );
  });

  const run = (...args: string[]): Run =>
    cli(["checkpoints", ...args, "--path", root], newFolder(), {
      ...userEnvironment(newFolder()),
      OPENCLAW_STATE_DIR: stateDir,
    });
  const json = (...args: string[]): Run => run(...args, "--json");
  const rollback = (...args: string[]): Run =>
    rollBack(root, args, { ...userEnvironment(newFolder()), OPENCLAW_STATE_DIR: stateDir });
  const withJournal = <Value>(work: (journal: Journal) => Value): Value => {
    const journal = openJournal(journalFile(stateDir));
    try {
      return work(journal);
    } finally {
      journal.close();
    }
  };
  /** A checkpoint behind the first `count` messages. */
  const checkpointBehind = (count: number, change: Partial<Checkpoint> = {}): string =>
    withJournal(
      (journal) =>
        journal.checkpoints.create({
          sessionId: SESSION,
          operation: "api_call",
          firstEntryId: entryId("transcript", 0),
          leafEntryId: entryId("transcript", count - 1),
          ...hashFirst(count),
          ...change,
        }).id,
    );
  const hashFirst = (count: number): Pick<Checkpoint, "messageIndex" | "contentHash"> => ({
    messageIndex: count,
    contentHash: contentHash(storedMessages(transcript).slice(0, count)),
  });

  test("without a journal there is nothing to list, and no journal is made by looking", () => {
    expect(json("list")).toMatchObject({ status: 0, data: { ok: true, checkpoints: [], total: 0 } });
    expect(json("show", "a")).toMatchObject({ status: 1, data: { ok: false, code: "checkpoint-missing" } });
    expect(existsSync(journalFile(stateDir))).toBe(false);
  });

  test("list: youngest first, of one session, of one agent, so many", () => {
    const ids = [2, 4, 8].map((count) => checkpointBehind(count));
    const other = checkpointBehind(2, { sessionId: "another" });
    const listed = (...args: string[]): unknown =>
      (json("list", ...args).data["checkpoints"] as { id: string }[]).map(({ id }) => id);
    expect(listed()).toEqual([other, ...ids.toReversed()]);
    for (const session of [SESSION, KEY, "main", SESSION.slice(0, 8)])
      expect(listed("--session", session)).toEqual(ids.toReversed());
    // OpenClaw has deleted it, and the journal still has its checkpoint.
    expect(listed("--session", "another")).toEqual([other]);
    expect(json("list", "--session", "nosuch")).toMatchObject({ status: 1, data: { code: "session-missing" } });
    expect(listed("--agent", "main")).toEqual(ids.toReversed());
    expect(json("list", "--agent", "nobody")).toMatchObject({ status: 1, data: { code: "agent-missing" } });
    expect(json("list", "--limit", "1")).toMatchObject({ data: { checkpoints: [{ id: other }], total: 4 } });
    expect(run("list", "--limit", "1").stdout).toMatch(/before a turn, 2 messages, session another\nand 3 older ones/);
    expect(run("list", "--limit", "0").status).toBe(2);
  });

  test("show: whether it holds, the messages behind it in their first words, and what became of the calls", () => {
    const id = checkpointBehind(2);
    withJournal(({ cycles }) =>
      cycles.pending([{ sessionId: SESSION, callId: "toolu_3", toolName: "write", inputHash: inputHash({}) }]),
    );
    appendFileSync(
      transcript,
      `${JSON.stringify({ type: "message", id: "open", parentId: entryId("transcript", 7), message: assistant(call("toolu_3", "write"), "toolUse") })}\n`,
    );
    const without = json("show", id);
    expect(without.data["messagesBehind"]).toContainEqual({ role: "user" });
    const bare = run("show", id).stdout;
    expect(bare).toMatch(/\n {2}7 messages after it:\n {4}user\n/);
    for (const text of [without.stdout, bare]) expect(text).not.toMatch(/second question|files removed/);
    const shown = json("show", id, "--content");
    expect(shown).toMatchObject({
      status: 0,
      data: {
        verdict: "holds",
        isLeaf: false,
        session: { sessionKey: KEY, kind: "file" },
        checkpoint: { id, messageIndex: 2 },
      },
    });
    expect(shown.data["calls"]).toMatchObject([
      { tool: "exec", outcome: "done" },
      { tool: "read", outcome: "done" },
      { tool: "write", outcome: "not-started" },
    ]);
    expect(shown.data["messagesBehind"]).toMatchObject([
      { role: "user", words: "second question" },
      { role: "assistant" },
      { role: "toolResult", words: "files removed" },
      {},
      {},
      { words: "second answer" },
      {},
    ]);
    const { stdout } = run("show", id, "--content");
    for (const line of [
      `checkpoint ${id}, before a turn`,
      "  valid: the messages are unchanged",
      "user: second question",
      "exec: done",
      "write: not started",
    ])
      expect(stdout).toContain(line);
  });

  test("rollback: one line is added, the agent is told which tools ran, the journal knows, and twice is once", () => {
    const id = checkpointBehind(2);
    const [pending] = withJournal(({ cycles }) => {
      const ids = cycles.pending([
        { sessionId: SESSION, callId: "toolu_3", toolName: "write", inputHash: inputHash({}) },
        { sessionId: SESSION, callId: "toolu_4", toolName: "send", inputHash: inputHash({}) },
      ]);
      cycles.start(ids[1]!);
      return ids;
    });
    const last = {
      type: "message",
      id: "open",
      parentId: entryId("transcript", 7),
      message: {
        ...assistant(call("toolu_3", "write"), "toolUse"),
        content: [call("toolu_3", "write"), call("toolu_4", "send")],
      },
    };
    appendFileSync(transcript, `${JSON.stringify(last)}\n`);
    const before = readFileSync(transcript, "utf8");

    expect(rollback(id, "--dry-run")).toMatchObject({
      status: 0,
      data: { action: "would-roll-back", messagesLeft: 7 },
    });
    expect(readFileSync(transcript, "utf8")).toBe(before);
    const done = rollback(id);
    expect(done).toMatchObject({
      status: 0,
      data: { ok: true, action: "rolled-back", sessionKey: KEY, messagesLeft: 7, messagesBack: 0 },
    });
    const after = readFileSync(transcript, "utf8");
    expect(after.startsWith(before)).toBe(true);
    const note = JSON.parse(after.slice(before.length)) as Record<string, unknown>;
    expect(note).toMatchObject({
      type: "custom_message",
      parentId: entryId("transcript", 1),
      details: { checkpointId: id },
    });
    expect(note["content"]).toBe(
      "The conversation was rolled back to this point. What was said after it is no longer part of it. Tool calls made after this point were carried out, and their effects remain: exec 1, read 1. " +
        "Tool calls made after this point that may have been carried out: send 1. Check what is there before repeating any of them.",
    );
    withJournal(({ checkpoints, cycles }) => {
      expect(checkpoints.get(id)?.rolledBackAt).toBeGreaterThan(0);
      expect(cycles.get(pending!)?.state).toBe("rolled_back");
      expect(cycles.open(SESSION)).toMatchObject([{ callId: "toolu_4", state: "executing" }]);
    });
    expect(readIndexEntry(transcript)).toMatchObject({ sessionId: SESSION, model: "kept" });
    expect(Number(readIndexEntry(transcript)["updatedAt"])).toBeGreaterThan(1);

    expect(rollback(id)).toMatchObject({ status: 0, data: { action: "already" } });
    expect(json("show", id)).toMatchObject({ status: 0, data: { isLeaf: true } });
    expect(readFileSync(transcript, "utf8")).toBe(after);
    expect(run("list").stdout).toContain("before a rollback, or by a program, 9 messages");
    expect(rollback(String(done.data["kept"]))).toMatchObject({ data: { messagesBack: 7 } });
    // The cycle of the call that was never started is closed by now, so that nobody can tell it from one of unknown
    // outcome.
    expect(rollback(id).data["calls"]).toMatchObject(["exec", "read", "write", "send"].map((tool) => ({ tool })));
  });

  test("refused, and nothing is changed: changed messages, an entry that is gone, a session that is gone, one that is being answered", () => {
    const before = readFileSync(transcript, "utf8");
    const wrong = "0".repeat(64);
    const { contentHash: found } = hashFirst(2);
    const cases: readonly (readonly [string, string, string])[] = [
      [checkpointBehind(2, { contentHash: wrong }), "checkpoint-damaged", wrong],
      [checkpointBehind(2, { contentHash: wrong }), "checkpoint-damaged", found],
      [checkpointBehind(2, { leafEntryId: "gone" }), "checkpoint-damaged", "that entry is no longer stored"],
      [checkpointBehind(2, { firstEntryId: "gone" }), "checkpoint-damaged", "a path that begins elsewhere"],
      [checkpointBehind(2, { sessionId: "another" }), "session-missing", "a session or conversation another"],
      ["no-such-checkpoint", "checkpoint-missing", "found none with this id"],
    ];
    for (const [id, code, text] of cases)
      expect(rollback(id)).toMatchObject({
        status: 1,
        data: { ok: false, code, message: expect.stringContaining(text) },
      });
    expect(json("show", cases[0]![0])).toMatchObject({ status: 0, data: { verdict: "changed", foundHash: found } });
    expect(json("show", cases[2]![0])).toMatchObject({ status: 0, data: { verdict: "gone" } });
    expect(json("show", cases[4]![0])).toMatchObject({ status: 0, data: { verdict: "no-session" } });

    const id = checkpointBehind(2);
    writeFileSync(`${transcript}.lock`, JSON.stringify({ pid: process.pid, createdAt: new Date().toISOString() }));
    for (const args of [[], ["--dry-run"]])
      expect(rollback(id, ...args)).toMatchObject({
        status: 1,
        data: { code: "session-busy", message: expect.stringContaining(String(process.pid)) },
      });
    expect(readFileSync(transcript, "utf8")).toBe(before);
    withJournal(({ checkpoints }) => expect(checkpoints.get(id)?.rolledBackAt).toBeUndefined());
  });

  test("a session that its conversation has left: refused; with --session-key that conversation goes on in it", () => {
    const id = checkpointBehind(2);
    const index = join(transcript, "..", "sessions.json");
    writeFileSync(index, JSON.stringify({ [KEY]: { sessionId: "younger", updatedAt: 1 } }));
    expect(rollback(id)).toMatchObject({ status: 1, data: { code: "session-left" } });
    expect(rollback(id, "--session-key", "agent:main:nobody")).toMatchObject({
      status: 1,
      data: { code: "session-missing" },
    });
    expect(readFileSync(transcript, "utf8")).toBe(toTranscript(HISTORY));
    expect(rollback(id, "--session-key", KEY)).toMatchObject({
      status: 0,
      data: { action: "rolled-back", sessionKey: KEY },
    });
    expect(readIndexEntry(transcript)).toMatchObject({ sessionId: SESSION });
  });

  test("a last line that was cut off stays as it is, and the note is on a line of its own", () => {
    const torn = '{"type":"message","id":"half","parentId":"';
    const id = checkpointBehind(2);
    appendFileSync(transcript, torn);
    expect(rollback(id)).toMatchObject({
      status: 0,
      data: { action: "rolled-back", warnings: [expect.stringContaining("cut off")] },
    });
    const lines = readFileSync(transcript, "utf8").split("\n");
    expect(lines.at(-3)).toBe(torn);
    expect(JSON.parse(lines.at(-2)!)).toMatchObject({ type: "custom_message", parentId: entryId("transcript", 1) });
  });
});

function storedMessages(transcript: string): unknown[] {
  const rows = readFileSync(transcript, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { type: string; message: unknown });
  return rows.filter(({ type }) => type === "message").map(({ message }) => message);
}

function readIndexEntry(transcript: string): Record<string, unknown> {
  return (
    JSON.parse(readFileSync(join(transcript, "..", "sessions.json"), "utf8")) as Record<string, Record<string, unknown>>
  )[KEY]!;
}
