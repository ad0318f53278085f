import { PIXEL } from "../../providers/fixtures.ts";
import type { ModelApi } from "../case.ts";

export type Json = Record<string, unknown>;

/** A request body as a client sent it, of a family of blocks or items that OpenClaw's own adapters do not send. */
export interface BodyCase {
  /** Kebab-case, unique. */
  id: string;
  /** One line on what is wrong with the body, or on what must stay as it is. */
  title: string;
  /** Where it was reported: `owner/repository#number`, or the address of the provider's documentation. */
  report: string;
  /** Other places that say the same. */
  also?: string[];
  /** The day of the report, ISO date; of documentation the day it was read. */
  reported: string;
  api: ModelApi;
  /** The model's id; the body says it too where the API wants that. */
  model: string;
  /** Beginning of the refusal; undefined for a healthy body, which goes out to the byte. */
  refusal?: string;
  body: Json;
  /** The history as it goes out; where it is left out, the markers and the rules say enough. */
  sent?: unknown[];
  /** What must be in the body that goes out. */
  mustReach: string[];
  /** What must not be in it. */
  mustNotReach?: string[];
}

export const CLAUDE = "claude-opus-4-5";
export const READ = "2026-11-23";

/** An Anthropic body. */
export const anthropicBody = (...messages: Json[]): Json => ({ model: CLAUDE, max_tokens: 1024, messages });
export const user = (content: unknown): Json => ({ role: "user", content });
export const assistant = (...content: unknown[]): Json => ({ role: "assistant", content });
export const text = (words: string, more: Json = {}): Json => ({ type: "text", text: words, ...more });
export const toolUse = (id: string, more: Json = {}): Json => ({
  type: "tool_use",
  id,
  name: "exec",
  input: { command: `run ${id}` },
  ...more,
});
/** A picture of these bytes in base64; by default one of a pixel. */
export const picture = (data = PIXEL): Json => ({
  type: "image",
  source: { type: "base64", media_type: "image/png", data },
});
export const toolResult = (id: string, content: string): Json => ({ type: "tool_result", tool_use_id: id, content });
export const serverCall = (id: string, name = "web_search", more: Json = {}): Json => ({
  type: "server_tool_use",
  id: `srvtoolu_${id}`,
  name,
  input: { query: `about ${id}` },
  ...more,
});
export const serverResult = (id: string, content: unknown, type = "web_search_tool_result"): Json => ({
  type,
  tool_use_id: `srvtoolu_${id}`,
  content,
});

/** What a search found. */
export const hits = (...titles: string[]): Json[] =>
  titles.map((title) => ({
    type: "web_search_result",
    title,
    url: "https://pages.example/1",
    encrypted_content: "EqgfCioIARgBIiQ3YTAwMjY1",
    page_age: "April 30, 2026",
  }));

/** A Responses body. */
export const responsesBody = (...input: Json[]): Json => ({ model: "gpt-5.2", store: false, input });
export const says = (words: string): Json => ({
  type: "message",
  role: "user",
  content: [{ type: "input_text", text: words }],
});
export const replies = (words: string, more: Json = {}): Json => ({
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: words, annotations: [] }],
  ...more,
});

/** A Bedrock body. */
export const bedrockBody = (modelId: string, ...messages: Json[]): Json => ({ modelId, messages });
export const converseCall = (id: string): Json => ({
  toolUse: { toolUseId: id, name: "exec", input: { command: `run ${id}` } },
});
export const converseResult = (id: string, words: string, more: Json = {}): Json => ({
  toolResult: { toolUseId: id, content: [{ text: words }], status: "success", ...more },
});
