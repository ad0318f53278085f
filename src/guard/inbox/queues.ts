import { isObject } from "../../transcript/json/json.ts";
import { logFailure } from "../base/log.ts";
import { type WaitingHere, waitingHere } from "../base/memory.ts";
import { isEnabled } from "../base/switch.ts";
import { type GuardContext, isOccasion } from "../openclaw/session.ts";
import { isIncognito } from "../../store/sessions/session-coordinates.ts";
import { noteSession } from "./first-session.ts";
import { inboxName, noteWaiting } from "./waiting.ts";

/** Where a release has its queues: up to 2026.3.11 an inserted line puts each file's map into a list. */
const PUBLISHED = Symbol.for("openclaw-integrity.followupQueues");
/** Where the releases after these have their one map themselves. */
const SHARED = Symbol.for("openclaw.followupQueues");

/** OpenClaw's queue of one conversation: the fields that are read here, none of them certain. */
interface Queue {
  readonly items: unknown[];
  readonly draining?: unknown;
  /** 0 in a queue that a stop has emptied, and in no other that had a message. */
  readonly lastEnqueuedAt?: unknown;
  readonly cap?: unknown;
  readonly dropPolicy?: unknown;
  readonly droppedCount?: unknown;
}

const watched = new WeakSet<object>();

/**
 * Has each message that OpenClaw queues behind a run journalled, in releases that have the queue in memory alone. A
 * message is queued only while a run goes on, and each run calls this before. Never throws.
 */
export function watchQueues({ prompt }: GuardContext): void {
  // From 2026.8 on a run tells no prompt.
  if (prompt === undefined) return;
  try {
    const published: unknown = Reflect.get(globalThis, PUBLISHED);
    const maps: unknown[] = Array.isArray(published) ? published : [];
    for (const map of [...maps, Reflect.get(globalThis, SHARED)]) if (map instanceof Map) watchMap(map);
  } catch (error) {
    logFailure("queue", error, "a message that waits is lost when OpenClaw is killed");
  }
}

function watchMap(map: Map<unknown, unknown>): void {
  if (watched.has(map)) return;
  watched.add(map);
  for (const queue of map.values()) watchQueue(queue);
  define(map, "set", (key: unknown, queue: unknown) => {
    watchQueue(queue);
    return Map.prototype.set.call(map, key, queue);
  });
}

function watchQueue(queue: unknown): void {
  if (!isQueue(queue) || watched.has(queue)) return;
  watched.add(queue);
  const { items } = queue;
  const dropped = new WeakSet<object>();
  const journalled = new Set<object>();
  const note = (item: unknown): void => {
    if (!isObject(item) || journalled.has(item)) return;
    journalled.add(item);
    journalQueued(item, () => judgeFate(queue, item, dropped));
  };
  for (const item of items) note(item);
  define(items, "push", (...added: unknown[]) => {
    const length = Array.prototype.push.apply(items, added);
    // OpenClaw has just made room where the queue was full.
    const isFull = typeof queue.cap === "number" && length >= queue.cap;
    for (const item of journalled) {
      if (items.includes(item)) continue;
      if (isFull) dropped.add(item);
      journalled.delete(item);
    }
    for (const item of added) note(item);
    return length;
  });
}

function isQueue(value: unknown): value is Queue {
  return isObject(value) && Array.isArray(value.items);
}

/** Defines a method on an object of OpenClaw's, where a loop over its properties does not find it. */
function define(owner: object, name: string, value: (...given: never[]) => unknown): void {
  Object.defineProperty(owner, name, { value, writable: true, configurable: true });
}

function journalQueued(item: Record<string, unknown>, fate: WaitingHere["fate"]): void {
  if (!isEnabled()) return;
  try {
    const { prompt, images, run } = item;
    const { sessionId, sessionKey, messageProvider, inputProvenance } = isObject(run) ? run : {};
    if (typeof sessionId !== "string" || typeof sessionKey !== "string" || isIncognito(sessionKey)) return;
    if (typeof prompt !== "string" || isOccasion({ messageProvider: String(messageProvider) })) return;
    noteSession(inboxName(sessionKey));
    // Steered into the running turn and queued as well: it is journalled once, and its fate is then the queue's.
    const steered = [...waitingHere].find(
      ([, one]) => one.isSteered && one.sessionId === sessionId && one.text === prompt,
    );
    if (steered) {
      waitingHere.set(steered[0], { ...steered[1], fate });
      return;
    }
    const pictures = Array.isArray(images) ? images.filter(isObject) : [];
    const content = [{ type: "text", text: prompt }, ...pictures];
    const provenance = isObject(inputProvenance) ? { provenance: inputProvenance } : {};
    noteWaiting(sessionId, { role: "user", content, timestamp: Date.now(), ...provenance }, { fate }, sessionKey);
  } catch (error) {
    logFailure("queue", error, "the message is lost when OpenClaw is killed");
  }
}

/** What became of a queued message: see `WaitingHere.fate`. The order matters: a stop also empties the queue. */
function judgeFate(
  queue: Queue,
  item: Record<string, unknown>,
  dropped: WeakSet<object>,
): ReturnType<WaitingHere["fate"]> {
  if (queue.items.includes(item)) return "waiting";
  const { abortSignal } = item;
  if (queue.lastEnqueuedAt === 0 || (abortSignal instanceof AbortSignal && abortSignal.aborted)) return "cancelled";
  // OpenClaw tells the model of each dropped message in a line, unless it is set up to drop them without a word.
  if (dropped.has(item)) return queue.dropPolicy === "summarize" && queue.droppedCount !== 0 ? "waiting" : "gone";
  return queue.draining === true ? "waiting" : "interrupted";
}
