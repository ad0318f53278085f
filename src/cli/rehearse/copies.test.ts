import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import { copySessions } from "./copies.ts";

/** Bytes and times of everything in a folder. */
function picture(folder: string): object {
  const names = ["", ...readdirSync(folder, { recursive: true, encoding: "utf8" })].toSorted();
  return names.map((name) => {
    const { mtimeMs, mode, size } = lstatSync(join(folder, name));
    const isFile = lstatSync(join(folder, name)).isFile();
    return [name, mtimeMs, mode, size, isFile ? readFileSync(join(folder, name), "base64") : ""];
  });
}

const message = (id: string, parentId: string | null, role: string, text: string): object => ({
  type: "message",
  id,
  parentId,
  timestamp: "2026-03-01T10:00:00.000Z",
  message: { role, content: [{ type: "text", text }], ...(role === "assistant" && { stopReason: "stop" }) },
});

function conversation(sessionId: string, turns: number): readonly object[] {
  const rows: object[] = [
    { type: "session", version: 3, id: sessionId, timestamp: "2026-03-01T10:00:00.000Z", cwd: "/" },
  ];
  for (let at = 0; at < turns; at++)
    rows.push(
      message(`u${at}`, at === 0 ? null : `a${at - 1}`, "user", `Question ${at} to ${sessionId}, please.`),
      message(`a${at}`, `u${at}`, "assistant", `Answer ${at} of ${sessionId}, gladly.`),
    );
  return rows;
}

/** A result without a call. */
const broken = (sessionId: string): readonly object[] => [
  ...conversation(sessionId, 1),
  {
    ...message("r", "a0", "toolResult", "9 files."),
    message: { role: "toolResult", toolCallId: "gone", toolName: "read", content: [], isError: false },
  },
  message("u9", "r", "user", "And the folders of it?"),
];

const lines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

function stateWith(sessions: Readonly<Record<string, readonly object[]>>): string {
  const state = newFolder();
  const folder = join(state, "agents", "main", "sessions");
  mkdirSync(folder, { recursive: true });
  for (const [id, rows] of Object.entries(sessions)) writeFileSync(join(folder, `${id}.jsonl`), lines(rows));
  const index = Object.keys(sessions).map((id) => [`agent:main:${id}`, { sessionId: id, updatedAt: 1 }]);
  writeFileSync(join(folder, "sessions.json"), JSON.stringify(Object.fromEntries(index)));
  return state;
}

function withDatabase(state: string, sessionId: string, rows: readonly object[]): void {
  const folder = join(state, "agents", "work", "agent");
  mkdirSync(folder, { recursive: true });
  const database = new DatabaseSync(join(folder, "openclaw-agent.sqlite"));
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA user_version = 7;
    CREATE TABLE session_windows (session_id TEXT, session_key TEXT, updated_at INTEGER);
    CREATE TABLE session_nodes (session_key TEXT, current_session_id TEXT);
    CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT)`);
  const key = `agent:work:${sessionId}`;
  database.prepare("INSERT INTO session_windows VALUES (?, ?, 5)").run(sessionId, key);
  database.prepare("INSERT INTO session_nodes VALUES (?, ?)").run(key, sessionId);
  const insert = database.prepare("INSERT INTO transcript_events VALUES (?, ?, ?)");
  for (const [at, row] of rows.entries()) insert.run(sessionId, at, JSON.stringify(row));
  database.close();
}

async function copied(state: string, most: number) {
  const [folder, mirror] = [newFolder(), newFolder()];
  return copySessions(state, { folder, mirror, most, onProgress: () => undefined });
}

test("the store stays as it is, bytes and times: SQLite leaves files beside a database that it only reads", async () => {
  const state = stateWith({ sound: conversation("sound", 2) });
  withDatabase(state, "rows", conversation("rows", 3));
  const before = picture(state);
  const copies = await copied(state, 5);
  expect(picture(state)).toEqual(before);
  expect(copies).toMatchObject({ all: 2, unread: 0, form: "database", version: 7 });
  const [rows, sound] = ["agent:work:rows", "agent:main:sound"].map((key) =>
    copies.sessions.find((one) => one.key === key),
  );
  expect(readFileSync(rows!.file, "utf8")).toBe(lines(conversation("rows", 3)));
  expect(readFileSync(sound!.file, "utf8")).toBe(lines(conversation("sound", 2)));
  expect(sound!.latest).toContain("Answer 1 of sound, gladly.");
});

test("with few places the broken ones, the largest and a sound one are taken, and no more than were asked for", async () => {
  const state = stateWith({
    small: conversation("small", 1),
    large: conversation("large", 40),
    ill: broken("ill"),
    ...Object.fromEntries([1, 2, 3, 4, 5].map((nth) => [`more-${nth}`, conversation(`more-${nth}`, 2)])),
  });
  const copies = await copied(state, 4);
  expect(copies.sessions.map(({ key, fault }) => [key, fault]).slice(0, 2)).toEqual([
    ["agent:main:ill", "a tool result without a call"],
    ["agent:main:large", "the largest"],
  ]);
  expect(copies.sessions.slice(2).map(({ fault }) => fault)).toEqual(["without a fault", "without a fault"]);
  expect((await copied(state, 1)).sessions.map(({ key }) => key)).toEqual(["agent:main:ill"]);
});

test("many broken ones leave room for the largest and for sound ones, which an update can break too", async () => {
  const state = stateWith({
    large: conversation("large", 40),
    ...Object.fromEntries([1, 2, 3, 4, 5].map((nth) => [`sound-${nth}`, conversation(`sound-${nth}`, 2)])),
    ...Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((nth) => [`ill-${nth}`, broken(`ill-${nth}`)])),
  });
  const kinds = (await copied(state, 8)).sessions.map(({ key }) => key.replace(/^agent:main:|-\d$/g, ""));
  expect(kinds.toSorted()).toEqual(["ill", "ill", "ill", "ill", "ill", "large", "sound", "sound"]);
});

test("a session that no conversation uses takes no place: no turn is sent from it", async () => {
  const state = stateWith({ used: conversation("used", 1) });
  writeFileSync(join(state, "agents", "main", "sessions", "left.jsonl"), lines(broken("left")));
  expect((await copied(state, 5)).sessions.map(({ key }) => key)).toEqual(["agent:main:used"]);
});
