import type { Dialect } from "./model.ts";
/** OpenClaw's API names, each with the rules of its bodies; several names share one API. */
declare const DIALECTS: {
    "anthropic-messages": Dialect;
    "openai-completions": Dialect;
    "openai-responses": Dialect;
    "azure-openai-responses": Dialect;
    "openai-codex-responses": Dialect;
    "openai-chatgpt-responses": Dialect;
    "google-generative-ai": Dialect;
    "google-vertex": Dialect;
    "bedrock-converse-stream": Dialect;
};
/** The names that OpenClaw has for its APIs. */
export type Api = keyof typeof DIALECTS;
/** {@link Api} as a list. */
export declare const APIS: readonly Api[];
/**
 * Returns the rules of the API with this name in OpenClaw, or undefined. OpenClaw's own transports
 * (`openclaw-…-transport`) have the rules of their API.
 */
export declare function dialectOf(api: string): Dialect | undefined;
/** Returns the body's field that holds the history; undefined for an unknown API. */
export declare function historyField(api: string): Dialect["field"] | undefined;
export {};
