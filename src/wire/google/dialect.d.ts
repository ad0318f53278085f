import { type Dialect } from "../model.ts";
/** Gemini generateContent. */
export declare const google: Dialect;
