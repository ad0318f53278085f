/** Writes a history as the items of a Responses request. */
import { type JsonObject } from "../../transcript/json/json.ts";
import { type BodyMessage } from "../model.ts";
/** Writes messages as the input of `body`. Pure; the raw items of unchanged messages are reused. */
export declare function writeBody(messages: readonly BodyMessage[], body: JsonObject): unknown;
