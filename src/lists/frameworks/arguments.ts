import { toArguments } from "../../transcript/json/json.ts";

/**
 * Returns arguments as an object: those of a call that was cut off become one field of it, missing ones an empty
 * object. The same value for an object, and for what may be a free text that the tool takes.
 */
export function soundArguments(input: unknown): unknown {
  if (input === undefined || input === null) return {};
  if (typeof input === "string" && input.trimStart().startsWith("{")) return toArguments(input);
  return input;
}
