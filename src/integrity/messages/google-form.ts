/** Answers of Gemini: read for a tool cycle, and written back as contents of the next request. */
import { isBlank, isObject, toArguments, type JsonObject } from "../../transcript/json/json.ts";
import { inCamelCase, isCallPart } from "../../wire/google/parts.ts";
import { assertHolds, badAnswer, CallReader, readBlocks, type ReadCycle } from "./read-answer.ts";
import type { MessageFormat } from "../base/types.ts";

/**
 * Reads the `parts` of a candidate's content. A part that is neither words nor a call is kept whole in the field `item`
 * of a thinking block; this and the signatures of thoughts only OpenClaw's format has. A call without an id gets one.
 * Throws an IntegrityError `bad-call`.
 */
export function fromGoogle(given: readonly unknown[], format: MessageFormat): ReadCycle {
  const calls = new CallReader(format);
  const parts = given.map(inCamelCase);
  const ids = new Set(parts.map((part) => (isCallPart(part) ? (part.functionCall as JsonObject).id : undefined)));
  const content = parts.flatMap((part): object[] => {
    if (!isObject(part)) throw badAnswer("parts of a content, which are objects", part);
    const { text, thought, thoughtSignature } = part;
    const isSigned = thoughtSignature !== undefined && thoughtSignature !== null;
    if (isSigned) assertHolds(format, "a part with a thoughtSignature");
    if (isCallPart(part)) {
      const { id, name, args } = part.functionCall as JsonObject;
      const isNamed = id !== undefined && id !== null;
      return [
        calls.read(
          { id: isNamed ? id : makeId(ids), name, given: args },
          {
            ...(isSigned && { thoughtSignature }),
            ...(isNamed && format === "openclaw" && { item: { id } }),
          },
        ),
      ];
    }
    if (typeof text === "string" && isBlank(text) && !isSigned) return [];
    if (typeof text === "string" && !isBlank(text) && thought !== true)
      return [{ type: "text", text, ...(isSigned && { item: { thoughtSignature } }) }];
    assertHolds(format, thought === true ? "a thought" : "a part that is neither a text nor a call");
    return [{ type: "thinking", thinking: typeof text === "string" ? text : "", item: part }];
  });
  return calls.finish(content);
}

/** Returns an id that no call of the answer has, and adds it to `ids`. */
function makeId(ids: Set<unknown>): string {
  let id = `call_${ids.size}`;
  while (ids.has(id)) id += "_";
  ids.add(id);
  return id;
}

/**
 * Returns an assistant message of OpenClaw's format as a content of a request; undefined for any other message. The id
 * of a call is sent where Gemini has given it.
 */
export function toGoogleContent(message: unknown): object | undefined {
  const parts = readBlocks(message)?.map((block) => {
    const { type, text, id, name, thoughtSignature } = block;
    const item = isObject(block.item) ? block.item : {};
    if (type === "text") return { text, ...pickSignature(item.thoughtSignature) };
    if (type !== "toolCall") return block.item === undefined || item.type !== undefined ? block : item;
    // Without an id in its own form, the call is paired by the stored one.
    if (item.id === undefined) return block;
    return { functionCall: { id, name, args: toArguments(block.arguments) }, ...pickSignature(thoughtSignature) };
  });
  return parts && { role: "model", parts };
}

function pickSignature(thoughtSignature: unknown): object {
  return thoughtSignature === undefined ? {} : { thoughtSignature };
}
