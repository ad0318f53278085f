/** Messages as OpenClaw stores them, with the model that made them. */
import { toTranscript, type StoredMessage } from "../openclaw/transcript.ts";
import type { ModelApi, SessionInput } from "../openclaw/types.ts";
import { marksIn, type PlayedCase, type PlayedTurn } from "./case.ts";

const COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const USAGE = { input: 1840, output: 62, cacheRead: 0, cacheWrite: 0, totalTokens: 1902, cost: COST };
/** Of an answer that failed before anything came. */
export const NO_USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: COST };

/** By which model an answer was given. */
export interface Origin {
  api: string;
  provider: string;
  model: string;
}

const ORIGINS: Record<ModelApi, Origin> = {
  "anthropic-messages": { api: "anthropic-messages", provider: "anthropic", model: "claude-opus-4-5" },
  "openai-completions": { api: "openai-completions", provider: "compatible", model: "gpt-4.1" },
  "openai-responses": { api: "openai-responses", provider: "openai", model: "gpt-5.2" },
  "google-generative-ai": { api: "google-generative-ai", provider: "google", model: "gemini-2.5-pro" },
  "bedrock-converse-stream": {
    api: "bedrock-converse-stream",
    provider: "amazon-bedrock",
    model: "us.anthropic.claude-opus-4-5-20251101-v1:0",
  },
};

export const madeBy = (api: ModelApi, more: Partial<Origin> = {}): Origin => ({ ...ORIGINS[api], ...more });

type Content = string | readonly (string | StoredMessage)[];

const toBlocks = (content: Content): StoredMessage[] =>
  (typeof content === "string" ? [content] : content).map((one) =>
    typeof one === "string" ? { type: "text", text: one } : one,
  );

export const user = (content: string | readonly (string | StoredMessage)[]): StoredMessage => ({
  role: "user",
  content: typeof content === "string" ? content : toBlocks(content),
});

/** A message of the model's, whose blocks say whether it calls tools; texts stand for text blocks. */
export function answer(origin: Origin, content: Content, more: StoredMessage = {}): StoredMessage {
  const blocks = toBlocks(content);
  const isCalling = blocks.some(({ type }) => type === "toolCall");
  const stopReason = isCalling ? "toolUse" : "stop";
  return { role: "assistant", content: blocks, ...origin, usage: USAGE, stopReason, ...more };
}

export const call = (id: string, name: string, args: object, more: StoredMessage = {}): StoredMessage => ({
  type: "toolCall",
  id,
  name,
  arguments: args,
  ...more,
});

export const result = (id: string, name: string | undefined, content: Content): StoredMessage => ({
  role: "toolResult",
  toolCallId: id,
  ...(name !== undefined && { toolName: name }),
  content: toBlocks(content),
  isError: false,
});

export const image = (data: string, mimeType: string): StoredMessage => ({ type: "image", data, mimeType });

/** A case whose marked words are those of its rows. */
export function makeCase(
  told: Pick<PlayedCase, "id" | "title" | "report">,
  rows: readonly StoredMessage[],
  session: Omit<SessionInput, "transcript">,
  turns: readonly PlayedTurn[],
): PlayedCase {
  const transcript = toTranscript(rows, { seed: told.id });
  return { ...told, session: { ...session, transcript }, marks: marksIn(rows), turns };
}
