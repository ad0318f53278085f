/** Writes a history as the items of a Responses request. */
import { isBlank, isObject, toArguments, toJson, type JsonObject } from "../../transcript/json/json.ts";
import { OPENING_TEXT } from "../../transcript/repair.ts";
import { textOf } from "../../transcript/json/text.ts";
import {
  isArgumentsText,
  isUntouched,
  pictureOf,
  RAW,
  wordsOf,
  wordsOfCall,
  type Block,
  type BodyMessage,
} from "../model.ts";
import { toTurns } from "../turns.ts";
import {
  callTypeOf,
  isBuiltIn,
  isCall,
  isCallOutput,
  readCall,
  writeBuiltInOutput,
  writeCall,
} from "./responses-calls.ts";
import {
  followsReasoning,
  isAssistantPart,
  isAssistantSide,
  isItemId,
  isOutput,
  isUserPart,
  withoutId,
} from "./responses-items.ts";

/**
 * Removes item ids that are used twice and repeated reasoning items; turns reasoning without a following item into
 * text. In a history with reasoning, the server requires the reasoning directly before an item whose id it knows, so
 * that only items behind reasoning keep an optional id.
 */
function withoutClashes(items: JsonObject[], hasReasoning: boolean): JsonObject[] {
  const again = repeats(items);
  const follows = followsEach(items, again);
  /** The item before is reasoning that is sent, or an item behind reasoning that keeps its id. */
  let led = false;
  return items.flatMap((item, index) => {
    if (item.type === "reasoning") {
      led = !again[index] && follows[index]!;
      if (led) return [item];
      const text = textOf(item.summary);
      return again[index] || isBlank(text)
        ? []
        : [{ type: "message", role: "assistant", content: [{ type: "output_text", text, annotations: [] }] }];
    }
    if (item.id === undefined || !isAssistantSide(item)) {
      led = false;
      return [item];
    }
    const keep = !again[index] && isItemId(item) && (led || !hasReasoning || !hasOptionalId(item));
    led &&= keep;
    return [keep ? item : withoutId(item)];
  });
}

/** Returns for each item whether an item before it has the same id. */
function repeats(items: readonly JsonObject[]): boolean[] {
  const seen = new Set<unknown>();
  return items.map(({ id, type }) => {
    const isSeen = id !== undefined && type !== "item_reference" && seen.has(id);
    seen.add(id);
    return isSeen;
  });
}

/**
 * Returns for each item whether what is sent behind it may follow reasoning. Told from the end: reasoning that leads to
 * nothing is not sent either, or as text.
 */
function followsEach(items: readonly JsonObject[], again: readonly boolean[]): boolean[] {
  const follows: boolean[] = [];
  let next = false;
  for (let at = items.length - 1; at >= 0; at--) {
    follows[at] = next;
    const item = items[at]!;
    if (item.type !== "reasoning") next = followsReasoning(item);
    else if (!again[at]) next ||= !isBlank(textOf(item.summary));
  }
  return follows;
}

/** True for items that the server also accepts without an id. */
function hasOptionalId({ type }: JsonObject): boolean {
  return type === "function_call" || type === "custom_tool_call" || type === "message";
}

function writeCallItem(block: Block): JsonObject {
  const raw = block[RAW];
  const { id, name, arguments: input } = block;
  const own = raw && writeCall(raw, id, name, input as JsonObject);
  if (own) return own;
  const text = raw && isArgumentsText(raw.arguments) ? raw.arguments : toJson(input);
  if (raw?.type === "function_call" && raw.call_id === id && raw.name === name && raw.arguments === text) return raw;
  return { ...(raw?.type === "function_call" ? raw : {}), type: "function_call", call_id: id, name, arguments: text };
}

/** Writes the blocks of one role as items: calls and whole items separately, all parts between them as one message. */
function writeItems(role: "user" | "assistant", blocks: readonly Block[]): JsonObject[] {
  const items: JsonObject[] = [];
  let parts: JsonObject[] | undefined;
  for (const block of blocks) {
    const raw = block[RAW];
    if (block.type === "toolCall") {
      items.push(writeCallItem(block));
      parts = undefined;
    } else if (raw && !isUserPart(raw) && !isAssistantPart(raw)) {
      items.push(raw);
      parts = undefined;
    } else {
      const part = raw ?? writePart(role, block);
      if (parts) parts.push(part);
      else items.push({ type: "message", role, content: (parts = [part]) });
    }
  }
  return items;
}

function writePart(role: string, block: Block): JsonObject {
  const text = wordsOf(block);
  if (role === "assistant") return { type: "output_text", text, annotations: [] };
  const picture = pictureOf(block);
  if (!picture) return { type: "input_text", text };
  return { type: "input_image", image_url: `data:${picture.mimeType};base64,${picture.data}`, detail: "auto" };
}

/**
 * Writes the items of a result: an output of the type that the call requires, and a message for recorded text that this
 * type has no field for.
 */
function writeOutput(result: BodyMessage, call: JsonObject | undefined): JsonObject[] {
  const raw = result[RAW];
  const id = result.toolCallId;
  const blocks = result.content as Block[];
  if (call && isBuiltIn(call) !== undefined) {
    const own = blocks.find((block) => block[RAW] && callTypeOf(block[RAW]) === call.type);
    const words = blocks
      .filter((block) => block !== own)
      .map(wordsOf)
      .join("\n");
    const { output, left } = writeBuiltInOutput(call, id, own?.[RAW], words);
    // A result without a raw item was made by the repair: its text needs no message.
    const message =
      isBlank(left) || !raw ? [] : [{ type: "message", role: "user", content: [{ type: "input_text", text: left }] }];
    return [...(output ? [output] : []), ...message];
  }
  const type = call?.type === "custom_tool_call" ? "custom_tool_call_output" : "function_call_output";
  const fields = raw && isCallOutput(raw) && isBuiltIn(raw) === undefined ? raw : undefined;
  if (fields && isUntouched(result) && isOutput(fields.output) && fields.type === type && fields.call_id === id)
    return [fields];
  const output = fields && isUntouched(result) && isOutput(fields.output) ? fields.output : writeOutputParts(blocks);
  return [{ ...fields, type, call_id: id, output }];
}

function isPart(block: Block): boolean {
  return block[RAW] !== undefined && isUserPart(block[RAW]);
}

function writeOutputParts(blocks: readonly Block[]): unknown {
  if (blocks.every((block) => !isPart(block) || block[RAW]!.type === "input_text")) {
    return blocks.map(wordsOf).join("\n");
  }
  return blocks.map((block) => (isPart(block) ? block[RAW] : { type: "input_text", text: wordsOf(block) }));
}

/** Writes messages as the input of `body`. Pure; the raw items of unchanged messages are reused. */
export function writeBody(messages: readonly BodyMessage[], body: JsonObject): unknown {
  const items: JsonObject[] = [];
  /** The raw calls by the ids under which they are sent. */
  const calls = new Map<unknown, JsonObject>();
  const answered = new Set<unknown>();
  for (const { role, results, blocks } of toTurns(messages)) {
    for (const result of results) {
      for (const item of writeOutput(result, calls.get(result.toolCallId))) {
        if (isCallOutput(item)) answered.add(item.call_id);
        items.push(item);
      }
    }
    for (const block of blocks) if (block.type === "toolCall" && block[RAW]) calls.set(block.id, block[RAW]);
    for (const item of writeItems(role, blocks)) items.push(item);
  }
  const sent = items.map((item) => (isCall(item) && !answered.has(item.call_id) ? callInWords(item) : item));
  const hasReasoning =
    Array.isArray(body.input) && body.input.some((item: unknown) => isObject(item) && item.type === "reasoning");
  return sent.length > 0
    ? withoutClashes(sent, hasReasoning)
    : [{ type: "message", role: "user", content: [{ type: "input_text", text: OPENING_TEXT }] }];
}

/** Returns the text message in place of a call whose output cannot be made, such as one for a screenshot. */
function callInWords(call: JsonObject): JsonObject {
  const { name, input } = readCall(call);
  const text = wordsOfCall(textOf(name), toArguments(input).input);
  return { type: "message", role: "assistant", content: [{ type: "output_text", text, annotations: [] }] };
}
