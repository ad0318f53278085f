import { type Dialect } from "../model.ts";
/**
 * OpenAI Chat Completions and its many compatible servers. Rules of Mistral and of thinking models apply by model name.
 */
export declare const completions: Dialect;
