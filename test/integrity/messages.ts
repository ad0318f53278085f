import type { MessageFormat } from "../../src/integrity/index.ts";

/** A message of either format. */
export type AnyMessage = Record<string, unknown> & { role: string };

/** Writes the messages of a format, as they are stored. */
export interface Writer {
  user(text: string): AnyMessage;
  says(text: string): AnyMessage;
  /** The assistant's message with calls of the tool `exec`. */
  calls(...ids: string[]): AnyMessage;
  /** The results of calls of one message, as the messages they are stored in. */
  results(...results: [id: string, text: string][]): AnyMessage[];
}

const TIMESTAMP = 1_770_000_000_000;
/** What OpenClaw stores beside an assistant's words. */
const ANSWER = {
  api: "anthropic-messages",
  provider: "anthropic",
  model: "claude-opus-4-5",
  usage: {
    input: 1,
    output: 1,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 2,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  },
  timestamp: TIMESTAMP,
};

const ANTHROPIC: Writer = {
  user: (text) => ({ role: "user", content: [{ type: "text", text }] }),
  says: (text) => ({ role: "assistant", content: [{ type: "text", text }] }),
  calls: (...ids) => ({
    role: "assistant",
    content: ids.map((id) => ({ type: "tool_use", id, name: "exec", input: { for: id } })),
  }),
  results: (...results) => [
    { role: "user", content: results.map(([id, content]) => ({ type: "tool_result", tool_use_id: id, content })) },
  ],
};

const OPENCLAW: Writer = {
  user: (text) => ({ role: "user", content: [{ type: "text", text }], timestamp: TIMESTAMP }),
  says: (text) => ({ role: "assistant", content: [{ type: "text", text }], stopReason: "stop", ...ANSWER }),
  calls: (...ids) => ({
    role: "assistant",
    content: ids.map((id) => ({ type: "toolCall", id, name: "exec", arguments: { for: id } })),
    stopReason: "toolUse",
    ...ANSWER,
  }),
  results: (...results) =>
    results.map(([id, text]) => ({
      role: "toolResult",
      toolCallId: id,
      toolName: "exec",
      content: [{ type: "text", text }],
      isError: false,
      timestamp: TIMESTAMP,
    })),
};

export const WRITERS: Record<MessageFormat, Writer> = { anthropic: ANTHROPIC, openclaw: OPENCLAW };
