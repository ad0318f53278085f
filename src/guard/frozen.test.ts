import { expect, test } from "vitest";
import { healthyFrom } from "../../harness/arbitrary/history.ts";
import { carelessBody } from "../../harness/arbitrary/bodies.ts";
import { guardHistory, guardSession } from "./gates.ts";
import type { Agent, GuardedSession } from "./openclaw/session.ts";

type Json = Record<string, unknown>;

const API = "anthropic-messages";
const MODEL = { api: API, id: "claude-x" };

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) frozen(part);
  }
  return value;
}

test("no gate changes a message in place: OpenClaw stores and shows the same object", async () => {
  for (let seed = 1; seed <= 40; seed++) {
    const sent: unknown[] = [];
    const messages = healthyFrom(seed, 12) as Json[];
    messages.push({ role: "user", content: "go on", timestamp: 1 });
    // Every other history has something to repair: a call without its result.
    const result = messages.findIndex(({ role }) => role === "toolResult");
    if (seed % 2 === 0 && result >= 0) messages.splice(result, 1);
    const before = JSON.stringify(messages);
    const agent: Agent = {
      state: { messages: messages.map(frozen) },
      streamFn: (_model, context, options) => {
        const given = (context as { messages: Json[] }).messages;
        for (const message of given) frozen(message);
        // The body's own list is what a gate may change.
        const body = structuredClone(carelessBody(API, given, MODEL.id));
        (options as { onPayload: (payload: unknown, model: unknown) => unknown }).onPayload(body, MODEL);
        sent.push(body);
        return undefined;
      },
    };
    const session: GuardedSession = { agent };
    const context = { api: API, point: "attempt-history-gate" };
    const lines: unknown[][] = [];
    const { warn, error } = console;
    console.warn = console.error = (...words: unknown[]) => void lines.push(words);
    try {
      await guardHistory(session, context);
      guardSession(session, context);
      const list = agent.state!.messages as Json[];
      for (let round = 0; round < 4; round++) {
        agent.streamFn!(MODEL, { messages: [...list], tools: [] }, {});
        const id = `round_${round}`;
        const call = { type: "toolCall", id, name: "exec", arguments: { command: `ls ${round}` } };
        list.push({ role: "assistant", api: API, content: [call], stopReason: "toolUse" });
        list.push({ role: "toolResult", toolCallId: id, toolName: "exec", content: [{ type: "text", text: "done" }] });
      }
    } finally {
      Object.assign(console, { warn, error });
    }
    // A gate that fails at a frozen message says so, and uses the messages unchanged.
    expect(lines.filter((words) => words.join(" ").includes("TypeError"))).toEqual([]);
    expect(sent).toHaveLength(4);
    expect(JSON.stringify(messages)).toBe(before);
  }
});
