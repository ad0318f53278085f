import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import { withJournal } from "../base/journal.ts";
import { waitingHere } from "../base/memory.ts";
import { beginPath, branch, journalledFor, manager } from "./load-fixture.ts";
import { watchQueues } from "./queues.ts";
import { watchSteering } from "./steered.ts";
import { settleTaken } from "./waiting.ts";

const PUBLISHED = Symbol.for("openclaw-integrity.followupQueues");
const SESSION = { sessionId: "s", sessionKey: "agent:main:main" };

interface Item {
  prompt: string;
  images?: object[];
  run: object;
  abortSignal?: AbortSignal;
}

interface Queue {
  items: Item[];
  draining: boolean;
  lastEnqueuedAt: number;
  cap: number;
  dropPolicy: string;
  droppedCount: number;
}

const queues = new Map<string, Queue>();

beforeEach(() => {
  vi.stubEnv("OPENCLAW_STATE_DIR", newFolder());
  vi.spyOn(console, "warn").mockImplementation(() => {});
  queues.clear();
  beginPath();
  Reflect.set(globalThis, PUBLISHED, [queues]);
  watchQueues({ ...SESSION, prompt: "first" });
});
afterEach(() => {
  waitingHere.clear();
  Reflect.deleteProperty(globalThis, PUBLISHED);
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** Has OpenClaw accept messages while a run goes on. */
function accept(...prompts: string[]): Queue {
  const queue = queues.get("main") ?? {
    items: [],
    draining: false,
    lastEnqueuedAt: 1,
    cap: 20,
    dropPolicy: "summarize",
    droppedCount: 0,
  };
  if (!queues.has("main")) queues.set("main", queue);
  for (const prompt of prompts) queue.items.push({ prompt, run: SESSION });
  return queue;
}

function given(prompt: unknown = "next", session: object = SESSION): unknown[] {
  return journalledFor({ ...SESSION, prompt, ...session });
}

function restart(): void {
  waitingHere.clear();
  queues.clear();
}

const said = (text: string): object => ({ role: "user", content: [{ type: "text", text }] });

it("gives what waited when the process was killed to the next run, in its order, once, and nothing that waits here", () => {
  accept("heron", "wren");
  expect(given()).toEqual([]);
  restart();
  expect(given("next", { sessionId: "of another", sessionKey: "agent:main:other" })).toEqual([]);
  for (let times = 0; times < 2; times++) expect(given()).toMatchObject([said("heron"), said("wren")]);
  expect(JSON.stringify(given())).not.toContain("openclawIntegrity");
});

it("keeps the pictures that OpenClaw has queued with a message", () => {
  const picture = { type: "image", data: "aGVyb24=", mimeType: "image/png" };
  accept().items.push({ prompt: "heron", images: [picture], run: SESSION });
  restart();
  expect(given()).toMatchObject([{ content: [{ type: "text", text: "heron" }, picture] }]);
});

it("leaves what OpenClaw tells an agent itself, and forgets it", () => {
  accept().items.push({ prompt: "heron", run: { ...SESSION, inputProvenance: { kind: "internal_system" } } });
  restart();
  expect(given()).toEqual([]);
  expect(withJournal(({ unanswered }) => unanswered.list("s"))).toEqual([]);
});

it("leaves heartbeats, and what is said in a conversation that is kept in memory only", () => {
  accept().items.push(
    { prompt: "heron", run: { ...SESSION, messageProvider: "heartbeat" } },
    { prompt: "wren", run: { ...SESSION, sessionKey: "agent:main:main:incognito-1" } },
  );
  restart();
  expect(given()).toEqual([]);
});

it("leaves what the run itself carries, alone or among others, and forgets it when a model is asked", async () => {
  const queue = accept("heron", "wren", "robin");
  queue.items.splice(0, 2);
  const prompt = "[Queued messages while agent was busy]\n\n---\nQueued #1\nheron\n\n---\nQueued #2\nwren";
  expect(given(prompt)).toEqual([]);
  const isLeft = async (): Promise<number> => {
    settleTaken({ ...SESSION, prompt }, manager);
    await new Promise((resolve) => setImmediate(resolve));
    return withJournal(({ unanswered }) => unanswered.list("s"))!.length;
  };
  // OpenClaw stores nothing in a run that a stop has just ended.
  expect(await isLeft()).toBe(3);
  store({ role: "user", content: prompt });
  expect(await isLeft()).toBe(1);
  restart();
  expect(given()).toMatchObject([said("robin")]);
});

it("has its place behind the question that a kill has left, and before that of the turn", () => {
  const places = (timestamp: Date): (string | null)[] => {
    branch.splice(1, 1, {
      id: "e2",
      parentId: "e1",
      type: "message",
      timestamp: timestamp.toISOString(),
      message: { role: "user", content: "question", timestamp: timestamp.getTime() },
    });
    accept(`said at ${timestamp.getTime()}`);
    restart();
    given();
    return (withJournal(({ unanswered }) => unanswered.list("s")) ?? []).map(({ parentId }) => parentId);
  };
  expect(places(new Date(performance.timeOrigin - 1000))).toEqual(["e2"]);
  expect(places(new Date())).toEqual(["e2", "e1"]);
});

it("gives nothing that the path has since: a kill came between the prompt and the journal", () => {
  accept("heron", "wren");
  restart();
  // OpenClaw 2026.7 stores what it puts into a running turn a moment before.
  for (const [content, timestamp] of [
    ["heron", Date.now() - 100],
    ["wren", Date.now() - 60_000],
  ])
    branch.push({
      id: `e${branch.length + 1}`,
      parentId: "e1",
      type: "message",
      message: { role: "user", content, timestamp },
    });
  expect(given()).toMatchObject([said("wren")]);
});

it("tells what a stop has emptied as unread, and gives what a run has failed with", () => {
  const queue = accept("heron");
  queue.items.length = 0;
  queue.draining = true;
  expect(given()).toEqual([]);
  queue.draining = false;
  expect(given()).toMatchObject([said("heron")]);
  accept("wren");
  queue.items.length = 0;
  queue.lastEnqueuedAt = 0;
  expect(given()).toMatchObject([
    said("heron"),
    { role: "custom", content: expect.stringMatching(/> wren$/) as string },
  ]);
});

it("leaves to OpenClaw what it has dropped from a full queue", () => {
  const queue = accept("heron");
  queue.cap = 1;
  queue.items.splice(0, 1);
  queue.droppedCount = 1;
  accept("wren");
  expect(given()).toEqual([]);
  // It has told the model.
  queue.droppedCount = 0;
  expect(given()).toEqual([]);
  restart();
  expect(given()).toMatchObject([said("wren")]);
});

it("leaves what another process holds that lives", async () => {
  const other = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  await once(other, "spawn");
  vi.spyOn(process, "pid", "get").mockReturnValueOnce(other.pid!);
  accept("heron");
  restart();
  expect(given()).toEqual([]);
  other.kill("SIGKILL");
  await once(other, "exit");
  expect(given()).toMatchObject([said("heron")]);
});

/** A running turn into which messages are put. */
function runningTurn(): {
  steer: (message: object) => void;
  take: (message: object) => Promise<void>;
  stop: () => void;
} {
  const listeners: ((event: unknown) => unknown)[] = [];
  const own = vi.fn();
  const agent = { steer: own, subscribe: (listener: (event: unknown) => unknown) => listeners.push(listener) };
  const stop = new AbortController();
  const session = { agent, sessionManager: manager };
  watchSteering(session, { ...SESSION, prompt: "first", signal: stop.signal });
  return {
    steer: (message) => {
      agent.steer(message);
      expect(own).toHaveBeenLastCalledWith(message);
    },
    take: async (message) => {
      for (const listener of listeners) listener({ type: "message_end", message });
      await new Promise((resolve) => setImmediate(resolve));
    },
    stop: () => stop.abort(),
  };
}

const store = (message: object): number => branch.push({ id: `e${branch.length + 1}`, type: "message", message });

it("has what is put into a running turn until the turn has stored it, and as unread where a person stops that", async () => {
  const turn = runningTurn();
  const messages = ["heron", "wren", "robin"].map((text) => ({ ...said(text), timestamp: Date.now() }));
  const [stored, taken] = messages as [object, object, object];
  for (const message of messages) turn.steer(message);
  store(stored);
  await turn.take(stored);
  expect(waitingHere.size).toBe(2);
  turn.stop();
  // The run is over, and OpenClaw no longer stores what its agent takes.
  await turn.take(taken);
  expect(given().slice(-2)).toMatchObject(
    ["wren", "robin"].map((text) => ({
      role: "custom",
      content: expect.stringMatching(new RegExp(`> ${text}$`)) as string,
    })),
  );
});

it("has again what a turn has taken that was killed before it stored it", async () => {
  const turn = runningTurn();
  const message = { ...said("heron"), timestamp: Date.now() };
  turn.steer(message);
  await turn.take(message);
  restart();
  expect(given()).toMatchObject([said("heron")]);
});

it("has once what waits in the running turn and in the queue too", () => {
  runningTurn().steer(said("heron"));
  accept("heron");
  expect(given()).toEqual([]);
  restart();
  expect(given()).toMatchObject([said("heron")]);
});
