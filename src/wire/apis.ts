import { anthropic } from "./anthropic/dialect.ts";
import { bedrock } from "./bedrock/dialect.ts";
import { google } from "./google/dialect.ts";
import type { Dialect } from "./model.ts";
import { completions } from "./openai/completions.ts";
import { responses } from "./openai/responses.ts";

/** OpenClaw's API names, each with the rules its bodies follow; several names share one API. */
const DIALECTS: Record<string, Dialect> = {
  "anthropic-messages": anthropic,
  "openai-completions": completions,
  "openai-responses": responses,
  "azure-openai-responses": responses,
  "openai-codex-responses": responses,
  "openai-chatgpt-responses": responses,
  "google-generative-ai": google,
  "google-vertex": google,
  "bedrock-converse-stream": bedrock,
};

/**
 * The rules for OpenClaw's API of that name, or undefined. OpenClaw's own transports (`openclaw-…-transport`) count as
 * their API.
 */
export function dialectOf(api: string): Dialect | undefined {
  if (Object.hasOwn(DIALECTS, api)) return DIALECTS[api];
  const plain = /^openclaw-(.+)-transport$/.exec(api)?.[1];
  return plain !== undefined && Object.hasOwn(DIALECTS, plain) ? DIALECTS[plain] : undefined;
}

/** The body's field that holds the history, or undefined for an API that is not known here. */
export function historyField(api: string): Dialect["field"] | undefined {
  return dialectOf(api)?.field;
}
