import { describe, expect, test } from "vitest";
import type { AssistantMessage, EventStream, StreamEvent } from "../openclaw/stream-events.ts";
import { Answer, type Decider } from "./answer.ts";

const MESSAGE = { role: "assistant", content: [], stopReason: "stop" } as AssistantMessage;
const DONE: StreamEvent = { type: "done", reason: "stop", message: MESSAGE };
const PASS: Decider = { after: () => ({ do: "pass" }) };

const delta = (at: number): StreamEvent => ({ type: "text_delta", contentIndex: 0, delta: `word ${at}` });

/** A stream with these events; `pauses` are places before which it waits for a turn of the event loop. */
function makeStream(events: readonly StreamEvent[], pauses: readonly number[] = [], failure?: Error): EventStream {
  return {
    async *[Symbol.asyncIterator](): AsyncGenerator<StreamEvent> {
      for (const [at, event] of events.entries()) {
        if (pauses.includes(at)) await new Promise((resolve) => setImmediate(resolve));
        yield event;
      }
      if (failure) throw failure;
    },
    result: () => (failure ? Promise.reject(failure) : Promise.resolve(MESSAGE)),
  };
}

async function read(answer: Answer): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of answer) events.push(event);
  return events;
}

describe("an answer that is passed on", () => {
  const events = [{ type: "start" }, ...Array.from({ length: 5000 }, (_, at) => delta(at)), DONE];

  test("no event of a burst is lost, doubled or out of order, read at once or late", async () => {
    expect(await read(new Answer(makeStream(events), PASS))).toEqual(events);
    const late = new Answer(makeStream(events), PASS);
    await late.result();
    expect(await read(late)).toEqual(events);
  });

  test("a reader who waits for each event gets the same ones as one who comes late", async () => {
    expect(await read(new Answer(makeStream(events.slice(0, 50), [0, 1, 7, 49]), PASS))).toEqual([
      ...events.slice(0, 50),
      { type: "done", reason: "stop", message: MESSAGE },
    ]);
  });

  test("an event is given before the model says anything more, so that nothing is held back", async () => {
    let more!: () => void;
    const waits = new Promise<void>((resolve) => (more = resolve));
    const stream: EventStream = {
      async *[Symbol.asyncIterator](): AsyncGenerator<StreamEvent> {
        yield delta(0);
        await waits;
        yield DONE;
      },
      result: async () => MESSAGE,
    };
    const reader = new Answer(stream, PASS)[Symbol.asyncIterator]();
    expect(await reader.next()).toEqual({ done: false, value: delta(0) });
    more();
    expect(await reader.next()).toEqual({ done: false, value: DONE });
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });

  test("a reader who asks for several events at once gets them in order, and an end for each", async () => {
    const reader = new Answer(makeStream([delta(0), DONE], [0, 1]), PASS)[Symbol.asyncIterator]();
    const asked = await Promise.all([reader.next(), reader.next(), reader.next(), reader.next()]);
    expect(asked.map(({ value }) => value as unknown)).toEqual([delta(0), DONE, undefined, undefined]);
    expect(asked.map(({ done }) => done)).toEqual([false, false, true, true]);
  });

  test("a failure is thrown once, behind the events before it, and is the result's too", async () => {
    const failure = new Error("cut off");
    for (const pauses of [[], [0, 1]]) {
      const answer = new Answer(makeStream([delta(0), delta(1)], pauses, failure), PASS);
      const reader = answer[Symbol.asyncIterator]();
      expect((await reader.next()).value).toEqual(delta(0));
      expect((await reader.next()).value).toEqual(delta(1));
      await expect(reader.next()).rejects.toBe(failure);
      expect(await reader.next()).toEqual({ done: true, value: undefined });
      await expect(answer.result()).rejects.toBe(failure);
    }
  });

  test("who leaves a stream gets no more of it", async () => {
    const answer = new Answer(makeStream([delta(0), delta(1), DONE]), PASS);
    const reader = answer[Symbol.asyncIterator]();
    await reader.next();
    await reader.return!();
    expect(await reader.next()).toEqual({ done: true, value: undefined });
    expect(await answer.result()).toBe(MESSAGE);
  });
});

describe("an answer that may become the sign of silence", () => {
  const text = (...parts: string[]): StreamEvent[] => [
    { type: "text_start", contentIndex: 0 },
    ...parts.map((part) => ({ type: "text_delta", contentIndex: 0, delta: part })),
  ];
  const words: Decider = { after: () => ({ do: "end", message: MESSAGE, words: ["[a notice]"] }) };

  test("is not shown in pieces where words take its place", async () => {
    const events = await read(new Answer(makeStream([{ type: "start" }, ...text("NO_R", "EPLY"), DONE]), words));
    expect(JSON.stringify(events)).not.toContain("NO_R");
    expect(JSON.stringify(events)).toContain("[a notice]");
  });

  test.each([
    ["is passed on whole where it is the answer", ["NO_R", "EPLY"]],
    ["is passed on whole where it becomes another", ["NO", "BODY ", "was there"]],
    ["is passed on whole where it goes on behind the sign", ["NO_REPLY", " is what I said"]],
  ])("%s", async (_name, parts) => {
    const events = [{ type: "start" }, ...text(...parts), DONE];
    expect(await read(new Answer(makeStream(events), PASS))).toEqual(events);
  });
});
