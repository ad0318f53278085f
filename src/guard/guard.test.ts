import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import type { GuardedSession } from "./openclaw/session.ts";
import { guardHistory, guardSession } from "./gates.ts";

const user = { role: "user", content: "hello there" };
const assistant = (...content: unknown[]) => ({
  role: "assistant",
  content,
  stopReason: "stop",
  api: "anthropic-messages",
  usage: { cost: {} },
});
const call = (id: string) => ({ type: "toolCall", id, name: "exec", arguments: { command: "cat secret-plan.txt" } });
const result = (toolCallId: string) => ({
  role: "toolResult",
  toolCallId,
  toolName: "exec",
  content: [{ type: "text", text: "secret-output" }],
  isError: false,
});
const HEALTHY = [user, assistant(call("a")), result("a"), assistant({ type: "text", text: "ok" })];
const MODEL = { api: "anthropic-messages", id: "m" };
const CONTEXT = { api: "anthropic-messages", sessionId: "s-1", point: "attempt-history-gate" };

/** A session like OpenClaw's, whose model call is `adapter`. */
function session(
  messages: unknown[],
  adapter: (model: unknown, context: never, options: never) => unknown,
): GuardedSession {
  return { agent: { state: { messages }, streamFn: adapter as never } };
}

/** An adapter that builds an Anthropic body of the messages as they are and hands it to onPayload. */
function sends(body: (messages: unknown[]) => unknown) {
  return vi.fn(
    (_model: unknown, context: { messages: unknown[] }, options: { onPayload: (payload: unknown) => unknown }) => {
      const payload = body(context.messages);
      return { payload, returned: options.onPayload(payload) };
    },
  );
}

/** An onPayload as OpenClaw's own wrappers have one. */
async function ownPayload(): Promise<unknown> {
  return { messages: [{ role: "assistant", content: "left alone" }] };
}

let lines: string[];
let home: string;
beforeEach(() => {
  lines = [];
  home = newFolder();
  vi.stubEnv("OPENCLAW_STATE_DIR", home);
  vi.spyOn(console, "warn").mockImplementation((line: string) => void lines.push(line));
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  delete process.env.OPENCLAW_INTEGRITY;
});

describe("a healthy session", () => {
  it("keeps its list of messages, its context and its body, and says nothing", async () => {
    const adapter = sends(() => ({ model: "m", messages: [{ role: "user", content: "hi" }] }));
    const guarded = session(HEALTHY, adapter as never);
    await guardHistory(guarded, CONTEXT);
    guardSession(guarded, CONTEXT);
    expect(guarded.agent.state!.messages).toBe(HEALTHY);
    const context = { messages: [...HEALTHY, user], systemPrompt: "x" };
    const { returned } = guarded.agent.streamFn!(MODEL, context, { temperature: 1 }) as { returned: unknown };
    expect(adapter.mock.calls[0]![1]).toBe(context);
    expect(adapter.mock.calls[0]![2]).toMatchObject({ temperature: 1 });
    expect(returned).toBeUndefined();
    expect(lines).toEqual([]);
  });
});

describe("a session whose answers were stored by another program", () => {
  it("gets what OpenClaw 2026.2 counts of an answer, and ends the turn without", async () => {
    const { usage: _, ...bare } = assistant({ type: "text", text: "one" });
    const partly = { ...bare, usage: { input: 7 } };
    const guarded = session([user, bare, user, partly], sends(() => ({})) as never);
    await guardHistory(guarded, CONTEXT);
    const [, first, , second] = guarded.agent.state!.messages as Record<string, unknown>[];
    expect(first).toMatchObject({ ...bare, usage: { totalTokens: 0, cost: { total: 0 } } });
    expect(second).toMatchObject({ usage: { input: 7, output: 0, cost: { total: 0 } } });
    expect(partly.usage).toEqual({ input: 7 });
  });
});

describe("a corrupt session", () => {
  const corrupt = [user, assistant(call("a")), assistant({ type: "text", text: "mirror" }), result("a")];

  it("is repaired before OpenClaw's sanitising, on both kinds of agent", async () => {
    const guarded = session(corrupt, sends(() => ({})) as never);
    await guardHistory(guarded, CONTEXT);
    expect(guarded.agent.state!.messages!.map((message) => (message as { role: string }).role)).toEqual([
      "user",
      "assistant",
      "toolResult",
      "assistant",
    ]);
    const replaceMessages = vi.fn();
    await guardHistory({ messages: corrupt, agent: { replaceMessages } }, CONTEXT);
    expect(replaceMessages).toHaveBeenCalledOnce();
  });

  it("has its body healed in place and as a replacement, with one line per request and no content in it", () => {
    const body = {
      model: "m",
      messages: [
        { role: "user", content: "hi" },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "gone", content: "secret-output" }] },
      ],
    };
    const guarded = session(corrupt, sends(() => body) as never);
    guardSession(guarded, CONTEXT);
    const { returned } = guarded.agent.streamFn!(MODEL, { messages: corrupt }, undefined) as { returned: unknown };
    expect(returned).toBe(body);
    expect(body.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(lines).toEqual([
      "[openclaw-integrity] healed request api=anthropic-messages session=s-1 history: displaced_tool_result 1; messages: displaced_tool_result 1; body: unexpected_tool_result 1",
    ]);
    expect(lines.join()).not.toMatch(/secret|hello/);
  });

  it("does not touch a body whose history is in a field this API does not have", () => {
    const body = { model: "m", request: { contents: [] } };
    const guarded = session([], sends(() => body) as never);
    guardSession(guarded, CONTEXT);
    expect(guarded.agent.streamFn!(MODEL, { messages: [user] }, {})).toMatchObject({ returned: undefined });
    expect(body).toEqual({ model: "m", request: { contents: [] } });
  });

  it("waits for an onPayload of OpenClaw's own that is asynchronous, and has the last word", async () => {
    const guarded = session([], sends(() => ({ messages: [] })) as never);
    guardSession(guarded, CONTEXT);
    const { returned } = guarded.agent.streamFn!(MODEL, { messages: [user] }, { onPayload: ownPayload }) as {
      returned: Promise<{ messages: { role: string }[] }>;
    };
    expect((await returned).messages.map(({ role }) => role)).toEqual(["assistant", "user"]);
  });

  it("is guarded once, however often the statement runs", () => {
    const guarded = session(HEALTHY, sends(() => ({})) as never);
    guardSession(guarded, CONTEXT);
    const once = guarded.agent.streamFn;
    guardSession(guarded, CONTEXT);
    expect(guarded.agent.streamFn).toBe(once);
  });
});

describe("when the guard itself fails", () => {
  it("passes the original through and says where, without content", async () => {
    const messages = new Proxy([user], {
      get(target, key) {
        if (key === "length") throw new TypeError("secret-plan in an error text");
        return Reflect.get(target, key) as unknown;
      },
    });
    const adapter = vi.fn();
    const guarded = session(messages, adapter);
    await guardHistory(guarded, CONTEXT);
    guardSession(guarded, CONTEXT);
    guarded.agent.streamFn!(MODEL, { messages }, {});
    expect(adapter.mock.calls[0]![1]).toMatchObject({});
    expect(guarded.agent.state!.messages).toBe(messages);
    expect(lines).toHaveLength(5);
    expect(lines[0]).toMatch(/^\[openclaw-integrity\] history gate \(commands\) failed \(TypeError at /);
    expect(lines[1]).toMatch(
      /^\[openclaw-integrity\] history gate \(load\) failed \(TypeError at .*\); the history is used unchanged$/,
    );
    expect(lines.join()).not.toContain("secret-plan");
  });

  it("leaves a session of an unknown shape alone", async () => {
    expect(() => guardSession({ agent: {} }, {})).not.toThrow();
    await expect(guardHistory(undefined as never, undefined as never)).resolves.toBeUndefined();
    expect(() => guardSession(null as never, CONTEXT)).not.toThrow();
  });
});

describe("OPENCLAW_INTEGRITY=off", () => {
  it("turns every gate off, also for a session that is running already", async () => {
    const corrupt = [result("gone"), user];
    const adapter = sends(() => ({ messages: corrupt }));
    const guarded = session(corrupt, adapter as never);
    guardSession(guarded, CONTEXT);
    process.env.OPENCLAW_INTEGRITY = "off";
    const other = session(corrupt, adapter as never);
    await guardHistory(other, CONTEXT);
    guardSession(other, CONTEXT);
    expect(other.agent.state!.messages).toBe(corrupt);
    const onPayload = vi.fn();
    guarded.agent.streamFn!(MODEL, { messages: corrupt }, { onPayload });
    expect(adapter.mock.calls[0]![2]).toEqual({ onPayload });
  });
});
