import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import { withJournal } from "../base/journal.ts";
import { waitingHere } from "../base/memory.ts";
import { noteAccepted } from "./accepted.ts";
import { beginPath, branch, journalledFor, manager } from "./load-fixture.ts";
import { inboxName, noteWaiting, settleTaken } from "./waiting.ts";

const KEY = "agent:main:Ada";
const SESSION = { sessionId: "s", sessionKey: KEY };

beforeEach(() => {
  vi.stubEnv("OPENCLAW_STATE_DIR", newFolder());
  vi.spyOn(console, "warn").mockImplementation(() => {});
  beginPath();
});
afterEach(() => {
  waitingHere.clear();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** Has OpenClaw accept a message; what it gives ends the dispatch as OpenClaw does. */
function accept(
  text: string,
  more: object = {},
  options: object = {},
  isDropped = false,
): { end: () => unknown; abort: () => void } {
  const stop = new AbortController();
  const dispatcher = {
    getQueuedCounts: () => ({ final: 1 }),
    ...(isDropped && { [Symbol.for("openclaw-integrity.dropped")]: true }),
  };
  const ctx = { SessionKey: KEY, Provider: "webchat", Body: text, BodyForAgent: text, BodyForCommands: text, ...more };
  void noteAccepted({ ctx, dispatcher, cfg: {}, replyOptions: { abortSignal: stop.signal, ...options } });
  return { end: () => dispatcher.getQueuedCounts(), abort: () => stop.abort() };
}

const given = (prompt = "next"): unknown[] => journalledFor({ ...SESSION, prompt });

/** How many messages are journalled for the conversation, in whatever process. */
function kept(): number {
  return withJournal(({ unanswered }) => unanswered.list(inboxName(KEY)).length) ?? 0;
}

it("has a message that was accepted before a kill, with its pictures, in the next request once", () => {
  const picture = { type: "image", data: "AA==", mimeType: "image/png" };
  accept("[10:00] look at this", {}, { images: [picture] });
  expect(given()).toEqual([]);
  waitingHere.clear();
  const first = given();
  expect(first).toMatchObject([{ role: "user", content: [{ type: "text", text: "[10:00] look at this" }, picture] }]);
  expect(given()).toEqual(first);
  expect(kept()).toBe(0);
});

it("forgets it when OpenClaw is done with the message, and says what OpenClaw's own count says", () => {
  expect(accept("hello").end()).toEqual({ final: 1 });
  waitingHere.clear();
  expect(kept()).toBe(0);
});

it("leaves what the path, a queue or a question that was asked has already, and what the run asks itself", () => {
  for (const text of ["stored", "queued", "asked", "now"]) accept(text);
  branch.push({
    id: "e2",
    parentId: "e1",
    type: "message",
    message: { role: "user", content: "stored", timestamp: Date.now() },
  });
  noteWaiting("s", { role: "user", content: "queued" }, { fate: () => "waiting" });
  withJournal(({ unanswered }) =>
    unanswered.note({ sessionId: "s", entryId: "q", parentId: "e0", message: { role: "user", content: "asked" } }),
  );
  waitingHere.clear();
  expect(given("now")).toMatchObject([{ content: "asked" }, { content: "queued" }]);
  expect(kept()).toBe(1);
});

it("gives in the order of acceptance what a kill has met half-way into a queue", () => {
  const [first] = ["first", "second", "third"].map((text) => accept(text));
  for (const content of ["second", "first"])
    noteWaiting("s", { role: "user", content }, { fate: () => "waiting" }, KEY);
  // OpenClaw is done with the first one: the queue alone has it now.
  first!.end();
  waitingHere.clear();
  expect(JSON.stringify(given())).toMatch(/first.*second.*third/);
});

it("tells what was stopped before a run had it as unread, and nothing of what a run has had", async () => {
  const read = accept("read");
  branch.push({
    id: "e2",
    parentId: "e1",
    type: "message",
    message: { role: "user", content: "read", timestamp: Date.now() },
  });
  settleTaken({ ...SESSION, prompt: "read" }, manager);
  await new Promise(setImmediate);
  const unread = accept("unread");
  for (const one of [read, unread]) {
    one.abort();
    one.end();
  }
  expect(given()).toMatchObject([{ role: "custom", content: expect.stringMatching(/> unread$/) as string }]);
});

it("keeps a message from its acknowledgement on, once, in the words that the dispatch has for it", () => {
  const ctx = { SessionKey: KEY, Provider: "webchat", RawBody: "look", MessageSid: "run-1" };
  const acknowledge = (runId: string): unknown =>
    noteAccepted({ ctx: { ...ctx, MessageSid: runId }, replyOptions: { runId } });
  acknowledge("run-1");
  expect(given()).toEqual([]);
  const { end } = accept("[10:00] look", { MessageSid: "run-1" }, { runId: "run-1" });
  expect(kept()).toBe(1);
  acknowledge("run-2");
  waitingHere.clear();
  expect(given()).toMatchObject([
    { content: [{ type: "text", text: "[10:00] look" }] },
    { content: [{ type: "text", text: "look" }] },
  ]);
  end();
  acknowledge("run-3");
  accept("[10:00] /status", { BodyForCommands: "/status" }, { runId: "run-3" });
  expect(kept()).toBe(0);
});

it("gives in the order of acknowledgement what a kill has met between two dispatches", () => {
  const say = (runId: string): object => ({ RawBody: runId, Body: runId, BodyForAgent: runId, MessageSid: runId });
  for (const runId of ["first", "second"])
    void noteAccepted({ ctx: { SessionKey: KEY, Provider: "webchat", ...say(runId) }, replyOptions: { runId } });
  accept("first", say("first"), { runId: "first" });
  waitingHere.clear();
  expect(JSON.stringify(given())).toMatch(/first.*second/);
});

it("keeps no command, and nothing of OpenClaw's own", () => {
  accept("/status");
  accept("[10:00] /new", { BodyForCommands: "/new" });
  accept("are you there", { Provider: "heartbeat" });
  accept("pressed", { CommandSource: "native" });
  accept("secret", { SessionKey: "agent:main:main:incognito-1" });
  accept("  ");
  void noteAccepted(undefined);
  void noteAccepted({ ctx: { SessionKey: KEY, Body: "x" } });
  expect(waitingHere.size).toBe(0);
});

it("has a message that OpenClaw dropped, as a stopped run had not ended yet, in the next request", () => {
  accept("dropped", {}, {}, true).end();
  expect(given()).toMatchObject([{ role: "user", content: [{ type: "text", text: "dropped" }] }]);
  expect(kept()).toBe(0);
});

it("keeps words that a client's settings stand before, and those of a file", () => {
  accept("[10:00] hello", { BodyForCommands: "/think high hello" });
  accept("<media:audio>", { MediaPath: "/tmp/voice.ogg" });
  waitingHere.clear();
  expect(JSON.stringify(given())).toMatch(/hello.*media attached: \/tmp\/voice.ogg/);
});

it("forgets a message that a run may have in other words when the run begins", async () => {
  accept("please /think high about it");
  accept("and of this");
  settleTaken({ ...SESSION, prompt: "please about it" }, manager);
  await new Promise(setImmediate);
  waitingHere.clear();
  expect(JSON.stringify(given())).toMatch(/^(?!.*about it).*and of this/);
});

it("forgets a message when the run that has stored it asks a model, where OpenClaw says no prompt", async () => {
  accept("stored");
  accept("waits");
  branch.push({ id: "e2", parentId: "e1", type: "message", message: { role: "user", content: "stored" } });
  settleTaken(SESSION as never, manager);
  await new Promise(setImmediate);
  waitingHere.clear();
  branch.pop();
  expect(JSON.stringify(given())).toMatch(/^(?!.*stored).*waits/);
});

it("forgets what was killed when the person begins anew, and nothing that another message of this process waits with", () => {
  accept("killed");
  waitingHere.clear();
  accept("waits");
  accept("/new", { BodyForCommands: "/new" });
  waitingHere.clear();
  expect(JSON.stringify(given())).toMatch(/^(?!.*killed).*waits/);
});

it("gives a message that an interrupt has removed from OpenClaw's lane, when one behind it is asked a minute later", () => {
  const now = vi.spyOn(performance, "now").mockReturnValue(0);
  accept("removed");
  now.mockReturnValue(59_000);
  accept("second");
  expect(given("second")).toEqual([]);
  now.mockReturnValue(61_000);
  accept("third");
  expect(given("of another program")).toEqual([]);
  expect(given("third")).toMatchObject([{ content: [{ text: "removed" }] }]);
  expect(kept()).toBe(2);
});

it("has a message once that its channel sends again after a kill, with another time before it", () => {
  accept("[10:00] book it", { From: "ada", MessageSid: "17" });
  accept("[10:00] and this", { From: "bob", MessageSid: "17" });
  waitingHere.clear();
  accept("[10:01] book it", { From: "ada", MessageSid: "17" });
  expect(given("[10:01] book it")).toMatchObject([{ content: [{ text: "[10:00] and this" }] }]);
});
