/** What an assistant message of Chat Completions says beside its content. */
import { isBlank, type JsonObject } from "../../transcript/json/json.ts";
import { readText } from "../../transcript/json/text.ts";
import { pick, textBlock, type Block } from "../model.ts";

/** Fields with what an assistant has said or thought beside its content. */
const BESIDE =
  "refusal reasoning_content reasoning reasoning_text reasoning_details thinking_blocks images annotations".split(" ");

/** Returns what a message without content says in other fields, as text. */
export function wordsBeside(message: JsonObject): Block[] {
  return BESIDE.flatMap((field) => {
    const text = readText(message[field]);
    return message[field] === undefined || message[field] === null || isBlank(text) || text === "[]"
      ? []
      : [textBlock(text)];
  });
}

/** Returns the fields that are sent, of those that are known; without those that are sent as content or as a call. */
export function withoutWordsBeside(message: JsonObject, known: ReadonlySet<string>, isSilent: boolean): JsonObject {
  const { function_call: _call, ...fields } = pick(message, known);
  if (isSilent) for (const field of BESIDE) delete fields[field];
  return fields;
}

/**
 * Joins the fields of assistant messages other than their content: reasoning texts are joined, of other fields the last
 * value is kept.
 */
export function joinFields(raws: readonly JsonObject[]): JsonObject {
  const fields: JsonObject = {};
  for (const { role: _role, content: _content, tool_calls: _calls, ...rest } of raws) {
    for (const [key, value] of Object.entries(rest)) {
      const before = fields[key];
      fields[key] =
        key.startsWith("reasoning") && typeof before === "string" && typeof value === "string"
          ? `${before}\n${value}`
          : value;
    }
  }
  return fields;
}
