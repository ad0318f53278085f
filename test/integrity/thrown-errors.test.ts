/** Tools that throw: a loop that asks the model again ends, and the model is told. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createSessionIntegrity,
  MemorySession,
  openJournal,
  type AssistantMessage,
  type Journal,
  type MessageFormat,
  type SessionIntegrity,
  type ToolCycleOptions,
} from "../../src/integrity/index.ts";
import { FILTERED } from "./cases/scene.ts";
import { WRITERS } from "./messages.ts";

let journal: Journal;
let integrity: SessionIntegrity;
beforeEach(() => {
  journal = openJournal(":memory:");
  integrity = createSessionIntegrity({ journal });
});
afterEach(() => journal.close());

const failing = {
  execute: (): never => {
    throw new Error("no such tool");
  },
};

/** The documented loop with a model that calls its tools until it is told of a result. */
async function loop(format: MessageFormat, ids: string[], options?: ToolCycleOptions): Promise<[number, string]> {
  const session = new MemorySession({ id: "s", format, messages: [WRITERS[format].user("Look")] });
  for (let requests = 1; ; requests++) {
    const call = await integrity.guardCall(session, async (messages) => JSON.stringify(messages));
    if (requests === 5 || call.response?.includes("no such tool")) {
      expect(integrity.validate(session, { allowOpenEnd: false })).toEqual({ valid: true });
      return [requests, JSON.stringify(session.messages)];
    }
    const { rolledBack } = await integrity.executeToolCycle(
      session,
      WRITERS[format].calls(...ids) as unknown as AssistantMessage,
      failing,
      options,
    );
    if (rolledBack) return [requests, JSON.stringify(session.messages)];
  }
}

describe.each(["anthropic", "openclaw"] as const)("a tool that throws, in %s's format", (format) => {
  it.each([[["toolu_a"]], [["toolu_a", "toolu_b"]]])("is told to the model with `record`: %j", async (ids) => {
    const [requests, stored] = await loop(format, ids, { thrown: "record" });
    expect(requests).toBe(2);
    expect(stored.match(/could not be run, and did nothing: no such tool/g)).toHaveLength(ids.length);
    expect(journal.cycles.open("s")).toEqual([]);
  });

  it.each([[["toolu_a"]], [["toolu_a", "toolu_b"]]])("leaves no trace without it, and says so: %j", async (ids) => {
    const [requests, stored] = await loop(format, ids);
    expect(requests).toBe(1);
    expect(stored).not.toContain("toolu_");
  });
});

it("a recorded error is told beside what it was: success is false, nothing is rolled back, a content filter is named", async () => {
  const session = new MemorySession({ id: "s", messages: [WRITERS.anthropic.user("Look")] });
  const use = { type: "tool_use", name: "exec", input: {} } as const;
  expect(
    await integrity.executeToolCycle(session, { ...use, id: "toolu_a" }, failing, { thrown: "record" }),
  ).toMatchObject({ success: false, rolledBack: false, error: "no such tool", result: { is_error: true } });
  const filtered = { execute: () => Promise.reject(FILTERED) };
  expect(
    await integrity.executeToolCycle(session, { ...use, id: "toolu_b" }, filtered, { thrown: "record" }),
  ).toMatchObject({ success: false, rolledBack: false, contentFilter: true });
});
