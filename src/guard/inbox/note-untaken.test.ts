import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import { loadSqlite } from "../../journal/sqlite.ts";
import { sessionMemory } from "../base/memory.ts";
import type { SessionManager } from "../openclaw/session.ts";
import { withJournal } from "../base/journal.ts";
import { noteUntaken } from "./note-untaken.ts";
import { inboxName, noteWaiting } from "./waiting.ts";

const OWNERS = Symbol.for("openclaw.sessionPendingInputOwners");
const SESSION = { sessionId: "s", sessionKey: "agent:main:main" };
const asked = { id: "e0", parentId: null, type: "message", message: { role: "user", content: "hello", timestamp: 10 } };
const said = { id: "e1", parentId: "e0", type: "message", message: { role: "assistant", content: "yes" } };
const manager: SessionManager = {
  getBranch: () => [asked, said],
  getLeafId: () => "e1",
  getEntry: (id) => [asked, said].find((entry) => entry.id === id),
};
const live = new Map<string, object>();
let add: (id: string, state: string, content: string, more?: { at?: number; provenance?: object }) => void;

beforeEach(() => {
  const state = newFolder();
  vi.stubEnv("OPENCLAW_STATE_DIR", state);
  vi.spyOn(console, "warn").mockImplementation(() => {});
  live.clear();
  Reflect.set(globalThis, OWNERS, { live });
  const folder = join(state, "agents", "main", "agent");
  mkdirSync(folder, { recursive: true });
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(join(folder, "openclaw-agent.sqlite"));
  database.exec(
    "CREATE TABLE session_pending_inputs (seq INTEGER PRIMARY KEY, input_id TEXT, session_id TEXT, state TEXT, accepted_at INTEGER, message_json TEXT, consumed_event_id TEXT)",
  );
  add = (id, disposition, content, { at = 20, provenance } = {}) => {
    const message = { role: "user", content, idempotencyKey: `${id}:user`, ...(provenance && { provenance }) };
    database
      .prepare(
        "INSERT INTO session_pending_inputs (input_id, session_id, state, accepted_at, message_json) VALUES (?, 's', ?, ?, ?)",
      )
      .run(id, disposition, at, JSON.stringify(message));
  };
});
afterEach(() => {
  Reflect.deleteProperty(globalThis, OWNERS);
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** What a load journals, by the id of the input. */
function noted(isBegun = true): Record<string, unknown> {
  const memory = sessionMemory(undefined);
  noteUntaken(SESSION, memory, manager, isBegun);
  const messages = withJournal(({ unanswered }) => unanswered.list("s")) ?? [];
  expect(messages.every(({ parentId }) => parentId === "e1")).toBe(true);
  return {
    ...Object.fromEntries(messages.map(({ entryId, message }) => [entryId, message])),
    ...(memory.unread && { unread: memory.unread }),
  };
}

it("has what was superseded or killed as the person's message, and what was stopped as a note, each once", () => {
  expect(noted(false)).toEqual({});
  add("superseded", "interrupted", "heron");
  add("killed", "queued", "wren");
  add("stopped", "cancelled", "magpie");
  add("waiting", "queued", "robin");
  live.set("waiting", {});
  const first = noted();
  expect(first).toMatchObject({
    superseded: { role: "user", content: "heron" },
    killed: { role: "user", content: "wren" },
    stopped: { role: "custom", content: expect.stringMatching(/stopped all work before.*\n> magpie$/) as string },
    unread: ["magpie"],
  });
  expect(JSON.stringify(first)).not.toMatch(/idempotencyKey|robin/);
  withJournal(({ unanswered }) => unanswered.clear("s"));
  expect(noted()).toEqual({});
});

it("leaves what was accepted in a conversation that had begun before the journal was first asked", () => {
  add("long-ago", "interrupted", "heron");
  expect(noted()).toEqual({});
  add("since", "interrupted", "wren");
  expect(Object.keys(noted())).toEqual(["since"]);
});

it("has what is older than an answered question as a note, and nothing of OpenClaw's own words", () => {
  noted(false);
  add("late", "interrupted", "heron", { at: 5 });
  add("system", "interrupted", "you were restarted", { provenance: { kind: "internal_system" } });
  add("agent", "interrupted", "the sub-agent is done", { provenance: { kind: "inter_session" } });
  add("stopped-agent", "cancelled", "the other one too", { provenance: { kind: "inter_session" } });
  const given = noted();
  expect(Object.keys(given)).toEqual(["late", "agent"]);
  expect(given["late"]).toMatchObject({
    role: "custom",
    content: expect.stringMatching(/not been shown it until now.\n> heron$/) as string,
  });
});

it("has a message once that was stopped after OpenClaw made a row of it, whichever of the two is settled first", () => {
  const inbox = inboxName(SESSION.sessionKey);
  const accepted = { role: "user", content: "in a row", timestamp: 20 };
  let fate: "waiting" | "cancelled" = "waiting";
  noteWaiting(inbox, accepted, { fate: () => fate });
  add("row", "cancelled", "in a row", { at: Date.now() });
  expect(Object.keys(noted(false))).toEqual(["row", "unread"]);
  fate = "cancelled";
  withJournal(({ unanswered }) => unanswered.settled("s", "row"));
  expect(noted()).toEqual({});
  expect(withJournal(({ unanswered }) => unanswered.list(inbox))).toEqual([]);
});

it("has what a session that began with a message without an answer was sent meanwhile, in its first load", () => {
  add("long-ago", "interrupted", "heron");
  // The guard was there when the conversation began: it has journalled what was accepted.
  noteWaiting(
    inboxName(SESSION.sessionKey),
    { role: "user", content: "first", timestamp: 20 },
    { fate: () => "waiting" },
  );
  add("stopped", "cancelled", "magpie", { at: Date.now() });
  expect(Object.keys(noted())).toEqual(["stopped", "unread"]);
});
