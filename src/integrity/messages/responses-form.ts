/** Answers of OpenAI's Responses API: read for a tool cycle, and written back as the items of the next request. */
import { valueInline } from "../../base/quoted.ts";
import { isBlank, isObject, toArguments, toJson, type JsonObject } from "../../transcript/json/json.ts";
import { readText } from "../../transcript/json/text.ts";
import { isCall } from "../../wire/openai/responses-calls.ts";
import { wordsOfReasoning } from "../../wire/openai/responses-items.ts";
import { assertHolds, badAnswer, CallReader, readBlocks, type ReadCycle } from "./read-answer.ts";
import type { MessageFormat } from "../base/types.ts";

/**
 * Reads the `output` of a response. A reasoning item, and an item of a tool that the server ran, is kept whole in the
 * field `item` of a thinking block at its place; only OpenClaw's format has one. Ids of the items of messages and calls
 * are left out: the API takes these items without, and with an id it asks for the reasoning that they were made with.
 * Throws an IntegrityError `bad-call`.
 */
export function fromResponses(output: readonly unknown[], format: MessageFormat): ReadCycle {
  const calls = new CallReader(format);
  const content = output.flatMap((item): object[] => {
    if (!isObject(item)) throw badAnswer("items of a response, which are objects", item);
    const { type } = item;
    if (type === "message") return readMessage(item, format);
    if (type === "function_call") {
      const { call_id: id, name, arguments: given, namespace } = item;
      return [calls.read({ id, name, given }, keep(format, { namespace }))];
    }
    if (type === "custom_tool_call") {
      const { call_id: id, name, input, namespace } = item;
      return [calls.read({ id, name, given: { input } }, keep(format, { type, namespace }))];
    }
    if (isCall(item)) throw badAnswer("function calls and custom tool calls", item);
    assertHolds(format, `an item of the type ${valueInline(type)}`);
    return [{ type: "thinking", thinking: type === "reasoning" ? wordsOfReasoning(item) : "", item }];
  });
  return calls.finish(content);
}

function readMessage({ content, phase }: JsonObject, format: MessageFormat): object[] {
  const kept = keep(format, { phase });
  const parts = Array.isArray(content) ? (content as unknown[]) : [content];
  const words = parts.map((part) => (isObject(part) ? readText(part.text ?? part.refusal) : readText(part))).join("");
  return isBlank(words) ? [] : [{ type: "text", text: words, ...kept }];
}

/** Returns the field with what the stored block has no place for; none where there is nothing of the kind. */
function keep(format: MessageFormat, fields: JsonObject): { item?: JsonObject } {
  const item = Object.fromEntries(Object.entries(fields).filter(([, value]) => typeof value === "string"));
  const [first] = Object.keys(item);
  if (first === undefined) return {};
  assertHolds(format, `an item with ${first === "type" ? `the type ${valueInline(item.type)}` : `a ${first}`}`);
  return { item };
}

/**
 * Returns an assistant message of OpenClaw's format as items of a request, in their order; undefined for any other
 * message. A block that is no item becomes a message with this block.
 */
export function toResponsesItems(message: unknown): object[] | undefined {
  return readBlocks(message)?.map((block) => {
    const { type, text, id, name } = block;
    const item = isObject(block.item) ? block.item : {};
    if (type === "text") {
      const content = [{ type: "output_text", text, annotations: [] }];
      return { type: "message", role: "assistant", content, ...(item.phase !== undefined && { phase: item.phase }) };
    }
    if (type === "toolCall") {
      const input = toArguments(block.arguments);
      const fields = { call_id: id, name, ...(item.namespace !== undefined && { namespace: item.namespace }) };
      return item.type === "custom_tool_call"
        ? { type: item.type, ...fields, input: readText(input.input) }
        : { type: "function_call", ...fields, arguments: toJson(input) };
    }
    return typeof item.type === "string" ? item : { type: "message", role: "assistant", content: [block] };
  });
}
