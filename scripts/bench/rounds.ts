import { guardHistory, guardSession } from "../../src/guard/gates.ts";
import type { Agent, GuardedSession } from "../../src/guard/openclaw/session.ts";
import { carelessBody } from "../../harness/arbitrary/bodies.ts";
import { makeHistory } from "./calls.ts";
import { undisturbed } from "./measure.ts";

/** What both halves of the wire gate cost in one model call of a long run. */
export interface RoundCost {
  /** Which messages OpenClaw copies for each call. */
  readonly copies: string;
  readonly messages: number;
  readonly rounds: number;
  /** ms for the messages and for the body, in the first and the last quarter of the rounds. */
  readonly first: readonly [messages: number, body: number];
  readonly last: readonly [messages: number, body: number];
  /** Both, in times of JSON.stringify of the body, in the last quarter. */
  readonly jsonRatio: number;
}

type Json = Record<string, unknown>;

const API = "anthropic-messages";
const MODEL = { api: API, id: "claude-x" };
const ROUNDS = 200;
/** Runs before the measured one. */
const WARM_UP = 1;

/** How the releases hand their messages to a model call. */
const COPIES: Readonly<Record<string, (message: Json) => Json>> = {
  none: (message) => message,
  "users' (2026.9.6)": (message) => (message["role"] === "user" ? { ...message } : message),
  "all (2026.2.3)": (message) => structuredClone(message),
};

/** Measures runs of 200 tool rounds on a history of `size` messages. */
export async function measureRounds(size = 5000): Promise<RoundCost[]> {
  const costs: RoundCost[] = [];
  for (const [copies, copy] of Object.entries(COPIES)) {
    for (let run = 0; run < WARM_UP; run++) await measureRun(size, copies, copy);
    costs.push(await measureRun(size, copies, copy));
  }
  return costs;
}

function timed<T>(times: number[], work: () => T): T {
  const since = performance.now();
  const outcome = work();
  times.push(performance.now() - since);
  return outcome;
}

async function measureRun(size: number, copies: string, copy: (message: Json) => Json): Promise<RoundCost> {
  const before: number[] = [];
  const behind: number[] = [];
  const json: number[] = [];
  let asked = 0;
  const agent: Agent = {
    state: { messages: makeHistory(size) },
    streamFn: (_model, context, options) => {
      before.push(performance.now() - asked);
      const body = carelessBody(API, (context as { messages: unknown[] }).messages, MODEL.id);
      const { onPayload } = options as { onPayload: (payload: unknown, model: unknown) => unknown };
      const healed = timed(behind, () => onPayload(body, MODEL));
      if (healed !== undefined) throw new Error("The body of a healthy history was healed.");
      timed(json, () => JSON.stringify(body));
      return undefined;
    },
  };
  const session: GuardedSession = { agent };
  // Without a session's id nothing is journalled, which is measured apart.
  const context = { api: API, point: "attempt-history-gate" };
  await guardHistory(session, context);
  guardSession(session, context);
  const messages = agent.state!.messages as Json[];
  for (let round = 0; round < ROUNDS; round++) {
    const given = messages.map(copy);
    asked = performance.now();
    agent.streamFn!(MODEL, { messages: given, tools: [] }, {});
    const id = `round_${round}`;
    const call = { type: "toolCall", id, name: "exec", arguments: { command: `ls ${round}` } };
    messages.push(
      { role: "assistant", api: API, content: [call], stopReason: "toolUse", usage: { cost: {} }, timestamp: round },
      {
        role: "toolResult",
        toolCallId: id,
        toolName: "exec",
        content: [{ type: "text", text: "done" }],
        isError: false,
      },
    );
    // The collector works between the rounds, not in a measured one.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const part = ROUNDS / 4;
  const [first, last] = [
    [undisturbed(before.slice(0, part)), undisturbed(behind.slice(0, part))] as const,
    [undisturbed(before.slice(-part)), undisturbed(behind.slice(-part))] as const,
  ];
  const jsonRatio = (last[0] + last[1]) / undisturbed(json.slice(-part));
  return { copies, messages: size, rounds: ROUNDS, first, last, jsonRatio };
}
