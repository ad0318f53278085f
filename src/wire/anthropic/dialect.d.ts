import { type Dialect } from "../model.ts";
/** Anthropic Messages, and compatible servers. */
export declare const anthropic: Dialect;
