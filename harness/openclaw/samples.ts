/** Small sessions, as OpenClaw stores them, by which it is seen whether a release can be driven. */
import { result, user } from "../messages.ts";
import type { ModelApi } from "./types.ts";
import { toTranscript, type StoredMessage } from "./transcript.ts";

export { result, user };

/** What an answer cost, where that says nothing. */
export const USAGE = {
  input: 1,
  output: 1,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 2,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

export function assistant(block: Record<string, unknown>, stopReason = "stop"): StoredMessage {
  const model = { api: "anthropic-messages", provider: "anthropic", model: "claude-opus-4-5" };
  return { role: "assistant", content: [block], ...model, usage: USAGE, stopReason };
}

export const says = (text: string): StoredMessage => assistant({ type: "text", text });

/** Makers of messages for a session in which the model of `api` reads files, with ids in the provider's form. */
export function makeMakers(api: ModelApi): {
  readonly assistant: (content: object[], stopReason?: string) => StoredMessage;
  readonly call: (nth: number) => object;
  readonly result: (nth: number, text: string) => StoredMessage;
} {
  const id = (nth: number): string =>
    api.startsWith("openai") ? `call_${nth}AAAAAAAAAAAAAAAA` : `toolu_01AAAAAAAAAAAAAAAAAAAAA${nth}`;
  return {
    assistant: (content, stopReason = "stop") => ({
      role: "assistant",
      content,
      stopReason,
      api,
      provider: "test",
      model: "m",
      usage: USAGE,
    }),
    call: (nth) => ({ type: "toolCall", id: id(nth), name: "read", arguments: { path: `file-${nth}.txt` } }),
    result: (nth, text) => ({
      role: "toolResult",
      toolCallId: id(nth),
      toolName: "read",
      content: [{ type: "text", text }],
      isError: false,
    }),
  };
}

/** A call of the `read` tool. */
export const CALL = { type: "toolCall", id: "toolu_1", name: "read", arguments: { path: "a.txt" } };

/** What the tool found in the healthy session: in a request, the history has reached the provider. */
export const FOUND = "green parrot";

/** A session with nothing wrong with it, and a tool call. */
export const HEALTHY = [user("read a.txt"), assistant(CALL, "toolUse"), result("toolu_1", FOUND), says("It is read.")];

/** A healthy session of `turns` user turns, and how many of them are in a request. */
export const LONG = {
  turns: 12,
  transcript: toTranscript(
    Array.from({ length: 12 }, (_, nth) => [user(`question ${nth}.`), says(`answer ${nth}.`)]).flat(),
  ),
  countIn: (raw: string | undefined): number => new Set(raw?.match(/question \d+\./g)).size,
};
