import { Answer, type Decider } from "../../src/guard/recovery/answer.ts";
import type { AssistantMessage, EventStream, StreamEvent } from "../../src/guard/openclaw/stream-events.ts";
import { median } from "./measure.ts";

/** What an answer costs on its way through the recovery ladder when nothing is wrong with it. */
export interface StreamCost {
  events: number;
  /** Reading the model's stream, ms. */
  bareMs: number;
  /** Reading it through the ladder, ms. */
  guardedMs: number;
  /** Median of the ratios of neighbouring runs. */
  ratio: number;
}

const ROUNDS = 41;
const PASS: Decider = { after: () => ({ do: "pass" }) };

/**
 * Answers of a short, a usual and a very long length, each read directly and through the ladder in turn, in one
 * process.
 */
export async function measureStreams(sizes: readonly number[] = [20, 200, 5_000]): Promise<StreamCost[]> {
  const costs: StreamCost[] = [];
  for (const events of sizes) {
    const rounds: { bareMs: number; guardedMs: number }[] = [];
    for (let round = 0; round < ROUNDS + 5; round++) {
      const bareMs = await measureStream(makeStream(events));
      const guardedMs = await measureStream(new Answer(makeStream(events), PASS));
      // The first rounds warm both up.
      if (round >= 5) rounds.push({ bareMs, guardedMs });
    }
    costs.push({
      events,
      bareMs: median(rounds.map((one) => one.bareMs)),
      guardedMs: median(rounds.map((one) => one.guardedMs)),
      ratio: median(rounds.map((one) => one.guardedMs / one.bareMs)),
    });
  }
  return costs;
}

/** A stream whose events come one after the other, each in a turn of the event loop's microtasks. */
function makeStream(events: number): EventStream {
  const message = { role: "assistant", content: [], stopReason: "stop" } as AssistantMessage;
  return {
    async *[Symbol.asyncIterator](): AsyncGenerator<StreamEvent> {
      for (let at = 0; at < events - 1; at++) yield { type: "text_delta", contentIndex: 0, delta: "word " };
      yield { type: "done", reason: "stop", message };
    },
    result: async () => message,
  };
}

async function measureStream(stream: EventStream): Promise<number> {
  const started = performance.now();
  let length = 0;
  for await (const { delta } of stream) length += typeof delta === "string" ? delta.length : 0;
  await stream.result();
  if (length === 0) throw new Error("A measured stream had no words");
  return performance.now() - started;
}
