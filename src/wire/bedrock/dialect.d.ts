import { type Dialect } from "../model.ts";
/** Bedrock Converse. */
export declare const bedrock: Dialect;
