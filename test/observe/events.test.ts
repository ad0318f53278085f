import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Operation } from "../../src/journal/index.ts";
import type { JournalErrorCode } from "../../src/journal/errors.ts";
import { resetCounters } from "../../src/observe/counters.ts";
import type { HistoryProblem } from "../../src/recovery/failure.ts";
import { counters, emit, EVENTS, EVENT_NAMES, observe, type ObservedEvent } from "../../src/observe/index.ts";
import { documentedEvents } from "./documented.ts";
import { emitSample, PAYLOADS } from "./samples.ts";

const PROBLEMS: Record<HistoryProblem, true> = {
  tool_pairing: true,
  tool_id: true,
  tool_fields: true,
  role_order: true,
  empty_content: true,
  thinking: true,
  image: true,
  media: true,
  too_many_images: true,
  block_form: true,
  route: true,
  size: true,
  unspecified: true,
};
const CODES: Record<JournalErrorCode, true> = {
  "no-sqlite": true,
  missing: true,
  newer: true,
  foreign: true,
  locked: true,
  damaged: true,
  "not-writable": true,
  full: true,
  failed: true,
  closed: true,
  "bad-input": true,
};
const OPERATIONS: Record<Operation, true> = { api_call: true, tool_cycle: true, compaction: true, manual: true };

const stops: (() => void)[] = [];
beforeEach(resetCounters);
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

describe("docs/operations.md", () => {
  it("tells every event and no other, so that nobody listens for one that never comes", () => {
    expect(documentedEvents().map(({ name }) => name)).toEqual(EVENT_NAMES);
  });

  it.each(documentedEvents())(
    "tells of $name what an observer gets, no field more or less",
    ({ name, fields, by, isTimed }) => {
      const event = name as keyof typeof EVENTS;
      expect({ by, isTimed }).toEqual({
        by: "by" in EVENTS[event] ? EVENTS[event].by : undefined,
        isTimed: "isTimed" in EVENTS[event],
      });
      expect(fields).toEqual(Object.keys(PAYLOADS[event]));
    },
  );

  it.each([
    ["l0:recovery:refused", PROBLEMS],
    ["l0:journal:failed", CODES],
    ["l0:checkpoint:created", OPERATIONS],
  ])("names every kind of %s", (event, kinds) => {
    expect(documentedEvents().find(({ name }) => name === event)?.kinds).toEqual(Object.keys(kinds));
  });
});

describe("an event", () => {
  it.each(EVENT_NAMES)("%s is heard on the diagnostics channel of its name, with all its fields", (name) => {
    const heard: unknown[] = [];
    const listener = (message: unknown): void => void heard.push(message);
    subscribe(name, listener);
    stops.push(() => unsubscribe(name, listener));
    emitSample(name);
    expect(heard).toEqual([expect.objectContaining({ event: name, at: expect.any(Number), ...PAYLOADS[name] })]);
  });

  it("that nobody listens to is counted, and its payload is not built", () => {
    const payload = vi.fn<() => { sessionId: string; callId: string }>(() => ({ sessionId: "one", callId: "a" }));
    emit("l0:cycle:pending", payload);
    stops.push(observe(() => undefined, ["l0:cycle:executing"]));
    emit("l0:cycle:pending", payload);
    expect(payload).not.toHaveBeenCalled();
    expect(counters().events["l0:cycle:pending"]).toBe(2);
  });

  it("reaches an observer as a copy: what it does to it does not reach the guard", () => {
    const ids = ["toolu_1"];
    stops.push(
      observe<"l0:recovery:refused">((event) => void (event.ids as string[]).push("forged"), ["l0:recovery:refused"]),
    );
    emit("l0:recovery:refused", () => ({ sessionId: "one", ids }), { kind: "tool_pairing" });
    expect(ids).toEqual(["toolu_1"]);
  });

  it("whose payload cannot be built or sent is counted and does no harm", () => {
    stops.push(observe(() => undefined));
    emit("l0:cycle:pending", () => {
      throw new Error("broken");
    });
    emit("l0:cycle:pending", () => ({ callId: "a", sessionId: (() => undefined) as unknown as string }));
    expect(counters().events["l0:cycle:pending"]).toBe(2);
  });

  it("has the time since it began where it is timed, and the kinds where it has them", () => {
    const heard: ObservedEvent[] = [];
    stops.push(observe((event) => void heard.push(event)));
    emit("l0:repair:complete", () => ({ gate: "history", messages: 3 }), {
      since: performance.now() - 40,
      kinds: { orphaned_tool_result: 2 },
    });
    emit("l0:cycle:interrupted", () => ({ callId: "a" }), { kind: "unknown" });
    emit("l0:cycle:executing", () => ({ callId: "a" }));
    expect(heard).toEqual([
      expect.objectContaining({ kinds: { orphaned_tool_result: 2 } }),
      expect.objectContaining({ kind: "unknown" }),
      { event: "l0:cycle:executing", at: expect.any(Number), callId: "a" },
    ]);
    expect((heard[0] as { durationMs: number }).durationMs).toBeGreaterThanOrEqual(40);
  });
});

describe("an observer", () => {
  it("that fails, at once or later, is told of on the console once, and stops neither the guard nor other observers nor the process", async () => {
    const said = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const uncaught = vi.fn<(error: unknown) => void>();
    process.on("uncaughtException", uncaught);
    process.on("unhandledRejection", uncaught);
    try {
      const heard: string[] = [];
      stops.push(
        observe(() => {
          throw new TypeError("with words of a conversation");
        }),
        observe(async () => {
          throw new RangeError("with words of a conversation");
        }),
        observe(({ event }) => void heard.push(event)),
      );
      emit("l0:cycle:pending", () => ({ callId: "a" }));
      emit("l0:cycle:executing", () => ({ callId: "a" }));
      await new Promise((resolve) => setImmediate(resolve));
      expect(heard).toEqual(["l0:cycle:pending", "l0:cycle:executing"]);
      expect(uncaught).not.toHaveBeenCalled();
      expect(said.mock.calls.map(([line]) => line as string)).toEqual([
        expect.stringContaining("TypeError"),
        expect.stringContaining("RangeError"),
      ]);
      expect(said.mock.calls.join()).not.toContain("conversation");
    } finally {
      process.off("uncaughtException", uncaught);
      process.off("unhandledRejection", uncaught);
      said.mockRestore();
    }
  });

  it("hears nothing more once it is stopped", () => {
    const heard = vi.fn<(event: ObservedEvent) => void>();
    observe(heard)();
    for (const name of EVENT_NAMES) emitSample(name);
    expect(heard).not.toHaveBeenCalled();
  });
});
