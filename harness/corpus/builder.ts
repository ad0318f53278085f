/**
 * Builders for transcripts reconstructed from reports: small calls that read like the conversation they stand for.
 *
 * Text between double braces is a marker: `{{order 48213}}` becomes `order 48213` in the transcript and is noted as
 * content that must reach the provider; `{{!…}}` is noted as content that must not. So no case can name a marker that
 * its transcript does not hold.
 */
import { createHash } from "node:crypto";
import type { CorpusCase, ModelApi } from "./case.ts";

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** One line of a transcript before ids, parents and timestamps are given to it. */
export interface Row {
  entry: JsonObject;
  /** Name by which `compaction`, `parent` and the like refer to this row. */
  label?: string;
  /** Label of the row that is this row's parent; `missing` points to an entry that exists nowhere. */
  parent?: string;
  /** A compaction's first kept row. */
  keepFrom?: string;
  /** A line that is written as it is, in place of the entry. */
  raw?: string;
}

/** What a case's author writes; the rest of a `CorpusCase` is worked out. */
export interface CaseSpec extends Omit<CorpusCase, "expected" | "mustReach" | "apis"> {
  /** All five when left out. */
  apis?: ModelApi[];
  /** Other reports that show the same shape. */
  also?: string[];
  rows: Row[];
  /** Changes to the finished lines of the file (header first), for damage below the level of messages. */
  file?: (lines: string[]) => string[];
}

export const ALL_APIS: ModelApi[] = [
  "anthropic-messages",
  "openai-completions",
  "openai-responses",
  "google-generative-ai",
  "bedrock-converse-stream",
];

/** What OpenClaw writes in place of a result that it did not find. */
export const SYNTHETIC =
  "[openclaw] missing tool result in session history; inserted synthetic error result for transcript repair.";

const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const USAGE = { input: 1840, output: 62, cacheRead: 0, cacheWrite: 0, totalTokens: 1902, cost: NO_COST };
/** Of a turn that no model finished; OpenClaw takes a turn without usage for a failed one. */
const NO_USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: NO_COST };

/** The neutral earlier model that most transcripts were written by. */
const EARLIER_MODEL = { api: "anthropic-messages", provider: "anthropic", model: "claude-opus-4-5" };

export const digest = (seed: string): Buffer => createHash("sha256").update(seed).digest();

/** A call id as Anthropic gives them. */
export function toolu(seed: string): string {
  const letters = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789";
  return `toolu_01${Array.from(digest(seed).subarray(0, 22), (byte) => letters[byte % letters.length]).join("")}`;
}

/** Base64 that looks like a thinking signature and that no provider has signed. */
export const signature = (seed: string): string =>
  `EqoBCkgI${Buffer.concat([digest(seed), digest(`${seed}+`)]).toString("base64")}`;

// ---- blocks

export const text = (value: string): JsonObject => ({ type: "text", text: value });
export const thinking = (value: string, thinkingSignature?: string): JsonObject =>
  thinkingSignature === undefined
    ? { type: "thinking", thinking: value }
    : { type: "thinking", thinking: value, thinkingSignature };
export const call = (id: string, name: string, args: JsonObject = {}): JsonObject => ({
  type: "toolCall",
  id,
  name,
  arguments: args,
});
/** A call whose stream broke off: what was parsed so far, and the raw text that it came from. */
export const partialCall = (id: string, name: string, args: JsonObject, partialJson: string): JsonObject => ({
  ...call(id, name, args),
  partialJson,
});
export const image = (data: string, mimeType = "image/png"): JsonObject => ({ type: "image", data, mimeType });

// ---- rows

/** Any message, for shapes that the builders below would not let through. */
export const message = (fields: JsonObject): Row => ({ entry: { type: "message", message: fields } });

export const user = (content: Json): Row => message({ role: "user", content });

/** An assistant turn; `extra` overrides what a healthy turn would carry. */
export function assistant(content: Json[], extra: JsonObject = {}): Row {
  const blocks = content.map((block) => (typeof block === "string" ? text(block) : block));
  const calling = blocks.some((block) => JSON.stringify(block).startsWith('{"type":"toolCall"'));
  return message({
    role: "assistant",
    content: blocks,
    ...EARLIER_MODEL,
    usage: USAGE,
    stopReason: calling ? "toolUse" : "stop",
    ...extra,
  });
}

/** An assistant message whose content is not a list. */
export const assistantRaw = (content: Json): Row =>
  message({ role: "assistant", content, ...EARLIER_MODEL, usage: USAGE, stopReason: "stop" });

export const failed = (content: Json[], errorMessage: string): Row =>
  assistant(content, { stopReason: "error", errorMessage, usage: NO_USAGE });
export const aborted = (content: Json[]): Row =>
  assistant(content, { stopReason: "aborted", errorMessage: "Request was aborted.", usage: NO_USAGE });

export const result = (id: string, name: string, value: string, extra: JsonObject = {}): Row =>
  message({ role: "toolResult", toolCallId: id, toolName: name, content: [text(value)], isError: false, ...extra });

export const synthetic = (id: string, name: string): Row => result(id, name, SYNTHETIC, { isError: true });

/** What OpenClaw notes when it sends a message to a channel by itself; it is not meant to reach the model. */
export const mirror = (value: string): Row =>
  assistant([value], { api: "openai-responses", provider: "openclaw", model: "delivery-mirror", usage: NO_USAGE });

export const modelChange = (provider: string, modelId: string): Row => ({
  entry: { type: "model_change", provider, modelId },
});

export const customMessage = (customType: string, content: string): Row => ({
  entry: { type: "custom_message", customType, content, display: false },
});

export const branchSummary = (summary: string): Row => ({ entry: { type: "branch_summary", fromId: "root", summary } });

/** A compaction that keeps what follows the row labelled `keepFrom`, that row included. */
export const compaction = (summary: string, keepFrom: string): Row => ({
  entry: { type: "compaction", summary, firstKeptEntryId: "", tokensBefore: 151_204 },
  keepFrom,
});

export const rawLine = (raw: string): Row => ({ entry: {}, raw });
export const labelled = (label: string, row: Row): Row => ({ ...row, label });
export const withParent = (parent: string, row: Row): Row => ({ ...row, parent });

/** A call and its answer, as two rows: the healthy case. */
export const tool = (id: string, name: string, args: JsonObject, answer: string): Row[] => [
  assistant([call(id, name, args)]),
  result(id, name, answer),
];

const remark = (rows: Row[], replacement: string): Row[] =>
  JSON.parse(JSON.stringify(rows).replaceAll(/\{\{(.+?)\}\}/g, replacement)) as Row[];

/** The same rows with nothing claimed of them: they may reach the provider or not. */
export const unmarked = (rows: Row[]): Row[] => remark(rows, "$1");

/** The same rows, none of which may reach the provider: they stand before the cut of the history limit. */
export const cutOff = (rows: Row[]): Row[] => remark(rows, "{{!$1}}");

/** `count` lines of output. */
export const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join("\n");

// ---- the providers' answers

export const unexpectedResult = (at: string, id: string): string =>
  `messages.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
export const missingResult = (at: string, ids: string): string =>
  `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
export const PREFILL =
  "This model does not support assistant message prefill. The conversation must end with a user message.";
