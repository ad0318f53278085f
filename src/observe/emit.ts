import { channel, subscribe, unsubscribe, type Channel } from "node:diagnostics_channel";
import { consoleLine } from "../base/console-line.ts";
import { countDuration, countEvent, countKinds } from "./counters.ts";
import { EVENT_NAMES, type EventName, type Kinds, type Measured, type ObservedEvent, type Payloads } from "./events.ts";

/**
 * The channel of each event, named like the event. Held here, because Node forgets channels to which nobody holds a
 * reference.
 */
const channels = Object.fromEntries(EVENT_NAMES.map((name) => [name, channel(name)])) as Record<EventName, Channel>;

/**
 * Counts an event and publishes it on the `node:diagnostics_channel` of its name. The payload is built only when
 * somebody listens, and copied, so that no observer can change what the guard works on. Never throws.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { subscribe } from "node:diagnostics_channel";
 * import { emit } from "openclaw-integrity/observe";
 *
 * const seen: unknown[] = [];
 * subscribe("l0:session:healed", (event) => seen.push(event));
 * emit("l0:session:healed", () => ({ sessionId: "s1", messages: 12 }));
 * const [{ at, ...event }] = seen as [{ at: number }];
 * assert.deepEqual(event, { event: "l0:session:healed", sessionId: "s1", messages: 12 });
 * assert.ok(at <= Date.now());
 * ```
 */
export function emit<Name extends EventName>(
  event: Name,
  payload?: (() => Payloads[Name]) | undefined,
  measured?: Measured<Name>,
): void {
  try {
    const { since, kind, kinds } = (measured ?? {}) as { since?: number; kind?: string; kinds?: Kinds };
    const durationMs = since === undefined ? undefined : performance.now() - since;
    countEvent(event);
    if (durationMs !== undefined) countDuration(event, durationMs);
    if (kind !== undefined) countKinds(event, kind);
    else if (kinds !== undefined) countKinds(event, kinds);
    const observers = channels[event];
    if (!observers.hasSubscribers) return;
    const observed = {
      event,
      at: Date.now(),
      ...(durationMs !== undefined && { durationMs }),
      ...(kind !== undefined && { kind }),
      ...(kinds && { kinds }),
      ...payload?.(),
    };
    observers.publish(structuredClone(observed));
  } catch {
    // A failing observer must not affect the observed code.
  }
}

/**
 * Calls `listener` with every event, or with the named ones; the returned function ends this. The place of the
 * listener's first error is printed on the console, all others are ignored: without this, Node treats the exception of
 * a diagnostics channel's subscriber as an uncaught exception, which ends OpenClaw. Throws a TypeError, which lists the
 * names, for an event that does not exist, and when `listener` is no function.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { createSessionIntegrity, MemorySession, openJournal } from "openclaw-integrity/integrity";
 * import { observe } from "openclaw-integrity/observe";
 *
 * const found: Record<string, number>[] = [];
 * const stop = observe(({ kinds }) => found.push(kinds), ["l0:repair:complete"]);
 * const journal = openJournal(":memory:");
 * const integrity = createSessionIntegrity({ journal });
 * await integrity.repair(
 *   new MemorySession({
 *     id: "example",
 *     messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_gone", content: "done" }] }],
 *   }),
 * );
 * assert.deepEqual(found, [{ orphaned_tool_result: 1 }]);
 * stop();
 * journal.close();
 * ```
 */
export function observe<Name extends EventName = EventName>(
  listener: (event: ObservedEvent<Name>) => void,
  events: readonly Name[] = EVENT_NAMES as Name[],
): () => void {
  assertObserver(listener, events);
  let hasFailed = false;
  const fail = (error: unknown): void => {
    if (hasFailed) return;
    hasFailed = true;
    consoleLine(
      `[openclaw-integrity] an observer failed (${kindAndPlace(error)}); it is still called, and further errors ` +
        "are not printed",
    );
  };
  const safely = (message: unknown): void => {
    try {
      const pending: unknown = listener(message as ObservedEvent<Name>);
      if (pending instanceof Promise) pending.catch(fail);
    } catch (error) {
      fail(error);
    }
  };
  for (const name of events) subscribe(name, safely);
  return () => {
    for (const name of events) unsubscribe(name, safely);
  };
}

function assertObserver(listener: unknown, events: unknown): void {
  if (typeof listener !== "function")
    throw new TypeError(
      "observe() expects a function that is called with each event, " +
        `found ${listener === null ? "null" : typeof listener}.`,
    );
  const unknown = Array.isArray(events)
    ? events.filter((name) => !EVENT_NAMES.includes(name as EventName)).map((name) => `${JSON.stringify(name)}`)
    : [`a value of type ${typeof events}`];
  if (unknown.length > 0)
    throw new TypeError(
      `observe() expects a list of names of events (${EVENT_NAMES.join(", ")}), found ${unknown.join(", ")}.`,
    );
}

/**
 * Returns the class of an error and the place where it was thrown. Its message may repeat a conversation, of which no
 * log may hold a word.
 */
function kindAndPlace(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const [, place] = /^ +at (?:[^\n(]*\()?([^\n()]+:\d+:\d+)\)?$/m.exec(String(error.stack)) ?? [];
  return place === undefined ? error.name : `${error.name} at ${place}`;
}
