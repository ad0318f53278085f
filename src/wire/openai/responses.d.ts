import { type Dialect } from "../model.ts";
/** OpenAI Responses, also Azure's and Codex's. */
export declare const responses: Dialect;
