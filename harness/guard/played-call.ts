/**
 * A session whose model call plays given answers, for tests of what the guard's gates do around it: {@link session}
 * makes it, `guardSession` puts the gates before it, {@link ask} makes a call and returns what OpenClaw hears.
 */
import { afterEach, beforeEach, type Mock, vi } from "vitest";
import type { GuardedSession } from "../../src/guard/openclaw/session.ts";
import { result, user } from "../messages.ts";
import { newFolder } from "../temporary.ts";

export const MODEL = { api: "anthropic-messages", provider: "anthropic", id: "m" };
export const says = (text: string, stopReason = "stop") => ({
  role: "assistant",
  api: "anthropic-messages",
  provider: "anthropic",
  model: "m",
  content: [{ type: "text", text }],
  stopReason,
  usage: { output: 1, cost: {} },
});
export const calls = (id: string) => ({
  ...says("reading", "toolUse"),
  content: [{ type: "toolCall", id, name: "read", arguments: { path: `${id}.txt` } }],
});
export const THOUGHT = { type: "thinking", thinking: "hm", thinkingSignature: "sig" };
export const timed = (messages: readonly object[]): object[] =>
  messages.map((message, at) => ({ ...message, timestamp: 1000 + at }));
export const HISTORY = [
  user("read two"),
  calls("toolu_a"),
  result("toolu_a"),
  calls("toolu_b"),
  result("toolu_b"),
  says("read"),
  user("and now?"),
];

export const ORPHAN =
  '400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_a. Each `tool_result` block must have a corresponding `tool_use` block in the previous message."},"request_id":"req_011CQ"}';
export const THINKING =
  '400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.1.content.0: Invalid `signature` in `thinking` block"}}';
export const ROLES =
  '400 {"type":"error","error":{"type":"invalid_request_error","message":"messages: roles must alternate"}}';
export const OVERLOADED = '529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}';
export const FILTERED = "Output blocked by content filtering policy";

export type Event = Record<string, unknown>;
export type Try = { events: Event[] } | { throws: Error };

/** What OpenClaw's adapters make of an answer in words. */
export function answers(text: string): Try {
  const message = says(text);
  return {
    events: [
      { type: "start", partial: says("") },
      { type: "text_start", contentIndex: 0 },
      { type: "text_delta", contentIndex: 0, delta: text },
      { type: "text_end", contentIndex: 0, content: text },
      { type: "done", reason: "stop", message },
    ],
  };
}

/** What they make of an error, before or behind some words. */
export function fails(errorMessage: string, said?: string): Try {
  const error = {
    ...says(said ?? "", "error"),
    content: said === undefined ? [] : [{ type: "text", text: said }],
    errorMessage,
  };
  const words =
    said === undefined
      ? []
      : [
          { type: "text_start", contentIndex: 0 },
          { type: "text_delta", contentIndex: 0, delta: said },
        ];
  return { events: [{ type: "start", partial: says("") }, ...words, { type: "error", reason: "error", error }] };
}

interface PlayedSession {
  guarded: GuardedSession;
  /** The contexts of the calls. */
  seen: { messages: unknown[] }[];
  followUp: Mock;
}

/** A session whose model call plays one try after the other; the last one for ever. */
export function session(tries: Try[], more: Partial<GuardedSession> = {}, body?: object): PlayedSession {
  const seen: { messages: unknown[] }[] = [];
  const streamFn = vi.fn((_model: unknown, context: unknown, options?: { onPayload?: (payload: unknown) => void }) => {
    seen.push(context as { messages: unknown[] });
    if (body) options?.onPayload?.(structuredClone(body));
    const next = tries[Math.min(seen.length, tries.length) - 1]!;
    if ("throws" in next) throw next.throws;
    return {
      async *[Symbol.asyncIterator]() {
        yield* next.events;
      },
      result: async () => {
        const last = next.events.at(-1)!;
        return last["message"] ?? last["error"];
      },
    };
  });
  const followUp = vi.fn();
  const guarded = { agent: { state: { messages: HISTORY }, streamFn, followUp }, ...more } as unknown as GuardedSession;
  return { guarded, seen, followUp };
}

interface Heard {
  types: string[];
  events: Event[];
  words: string;
  message: { content: { text?: string }[]; stopReason: string; errorMessage?: string };
}

export async function ask(
  guarded: GuardedSession,
  messages: unknown[] = HISTORY,
  options: object = {},
  model: object = MODEL,
  beside: object = {},
): Promise<Heard> {
  const stream = (await guarded.agent.streamFn!(model, { messages, ...beside }, options)) as AsyncIterable<Event> & {
    result(): Promise<Heard["message"]>;
  };
  const events: Event[] = [];
  for await (const event of stream) events.push(event);
  const words = events
    .filter(({ type }) => type === "text_delta")
    .map(({ delta }) => String(delta))
    .join("");
  return { types: events.map(({ type }) => String(type)), events, words, message: await stream.result() };
}

let serial = 0;
let home: string;

/** Returns an id that no earlier session of this process has. */
export function newSessionId(): string {
  return `recovery-${serial++}`;
}

/** Returns what the inserted line tells the guard of its call, for a new session. */
export const makeContext = (more: object = {}) => ({
  api: "anthropic-messages",
  sessionId: newSessionId(),
  point: "attempt-history-gate",
  ...more,
});

/** Gives each test of the file a state directory of its own, which {@link stateFolder} returns, and a silent log. */
export function playInFreshHome(): void {
  beforeEach(() => {
    home = newFolder();
    vi.stubEnv("OPENCLAW_STATE_DIR", home);
    // What follows an answer is a matter of its own.
    vi.stubEnv("OPENCLAW_INTEGRITY_SEARCH", "off");
    vi.spyOn(console, "warn").mockImplementation(() => {});
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });
}

export function stateFolder(): string {
  return home;
}
