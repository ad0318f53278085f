import type { ApiAdapter } from "../types.ts";
import { anthropic } from "./anthropic.ts";
import { bedrock } from "./bedrock.ts";
import { gemini } from "./gemini.ts";
import { completions } from "./openai-completions.ts";
import { responses } from "./openai-responses.ts";

/** All APIs of the server; no path belongs to two of them. */
export const ADAPTERS: readonly ApiAdapter[] = [anthropic, completions, responses, gemini, bedrock];
