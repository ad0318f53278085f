/** Stored histories in which one thing grows. */
import type { StoredMessage } from "../../harness/openclaw/index.ts";
import { USAGE } from "../../harness/openclaw/samples.ts";

/**
 * Stands in a transcript for what is put in its place as text: JSON.stringify itself would not come through with it.
 */
export const HOLE = "@@the value that grows@@";

/** One thing that may grow, and how large. */
export interface Shape {
  readonly name: string;
  readonly unit: "levels" | "MB" | "calls";
  readonly sizes: readonly number[];
  /** The history with the hole in it, and the JSON text for the hole. */
  readonly history: (size: number) => { readonly messages: readonly StoredMessage[]; readonly hole: string };
}

const LEVELS = [100, 200, 500, 1000, 1500, 2000, 3000, 3500, 4000, 5000, 10_000, 100_000];
const MEGABYTES = [1, 4, 16, 32];
const CALLS = [1000, 10_000, 50_000, 130_000];

function user(content: unknown): StoredMessage {
  return { role: "user", content };
}

function assistant(content: readonly unknown[], stopReason = "stop"): StoredMessage {
  return {
    role: "assistant",
    content,
    api: "anthropic-messages",
    provider: "anthropic",
    model: "claude-opus-4-5",
    usage: USAGE,
    stopReason,
  };
}

function call(id: string, input: unknown): object {
  return { type: "toolCall", id, name: "read", arguments: input };
}

function result(id: string, more: object = {}): StoredMessage {
  return {
    role: "toolResult",
    toolCallId: id,
    toolName: "read",
    content: [{ type: "text", text: "what the tool gave back" }],
    isError: false,
    ...more,
  };
}

const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const before = [user("first question"), assistant([{ type: "text", text: "first answer" }])];
const behind = [assistant([{ type: "text", text: "second answer" }])];
const ofDepth = (name: string, ...messages: StoredMessage[]): Shape => ({
  name,
  unit: "levels",
  sizes: LEVELS,
  history: (levels) => ({
    messages: [...before, user("second question"), ...messages, ...behind],
    hole: nested(levels),
  }),
});
const ofSize = (name: string, ...messages: StoredMessage[]): Shape => ({
  name,
  unit: "MB",
  sizes: MEGABYTES,
  history: (size) => ({
    messages: [...before, ...messages, ...behind],
    hole: JSON.stringify("word ".repeat((size << 20) / 5)),
  }),
});

/** What is tried on each release. */
export const SHAPES: readonly Shape[] = [
  ofDepth("arguments of a tool call", assistant([call("toolu_1", { deep: HOLE })], "toolUse"), result("toolu_1")),
  ofDepth(
    "details of a tool result",
    assistant([call("toolu_1", {})], "toolUse"),
    result("toolu_1", { details: HOLE }),
  ),
  ofDepth(
    "a block of a tool result that OpenClaw does not know",
    assistant([call("toolu_1", {})], "toolUse"),
    result("toolu_1", { content: [{ type: "json", value: HOLE }] }),
  ),
  ofDepth(
    "a block of a user's message that OpenClaw does not know",
    user([
      { type: "text", text: "see this" },
      { type: "json", value: HOLE },
    ]),
  ),
  ofDepth("a field of a message that OpenClaw does not know", { ...user("see this"), extra: HOLE }),
  ofSize("the text of a user's message", user(HOLE)),
  ofSize(
    "the text of a tool result",
    user("read it"),
    assistant([call("toolu_1", {})], "toolUse"),
    result("toolu_1", { content: [{ type: "text", text: HOLE }] }),
  ),
  {
    name: "tool calls in one message, with their results",
    unit: "calls",
    sizes: CALLS,
    history: (calls) => {
      const ids = Array.from({ length: calls }, (_, at) => `toolu_${at}`);
      return {
        messages: [
          ...before,
          user("go"),
          assistant(
            ids.map((id) => call(id, {})),
            "toolUse",
          ),
          ...ids.map((id) => result(id)),
          ...behind,
        ],
        hole: "1",
      };
    },
  },
];
