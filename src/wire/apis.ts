import { anthropic } from "./anthropic/dialect.ts";
import { bedrock } from "./bedrock/dialect.ts";
import { google } from "./google/dialect.ts";
import type { Dialect } from "./model.ts";
import { completions } from "./openai/completions.ts";
import { responses } from "./openai/responses.ts";

/** OpenClaw's API names, each with the rules of its bodies; several names share one API. */
const DIALECTS = {
  "anthropic-messages": anthropic,
  "openai-completions": completions,
  "openai-responses": responses,
  "azure-openai-responses": responses,
  "openai-codex-responses": responses,
  "openai-chatgpt-responses": responses,
  "google-generative-ai": google,
  "google-vertex": google,
  "bedrock-converse-stream": bedrock,
} satisfies Record<string, Dialect>;

/** The names that OpenClaw has for its APIs. */
export type Api = keyof typeof DIALECTS;

/** {@link Api} as a list. */
export const APIS = Object.keys(DIALECTS) as readonly Api[];

/**
 * Returns the rules of the API with this name in OpenClaw, or undefined. OpenClaw's own transports
 * (`openclaw-…-transport`) have the rules of their API.
 */
export function findDialect(api: string): Dialect | undefined {
  if (Object.hasOwn(DIALECTS, api)) return DIALECTS[api as Api];
  const plain = /^openclaw-(.+)-transport$/.exec(api)?.[1];
  return plain !== undefined && Object.hasOwn(DIALECTS, plain) ? DIALECTS[plain as Api] : undefined;
}

/** Returns the body's field that holds the history; undefined for an unknown API. */
export function historyField(api: string): Dialect["field"] | undefined {
  return findDialect(api)?.field;
}
