/** Writes a history as the items of a Responses request. */
import { isBlank, isObject, toArguments, toJson, type JsonObject } from "../../transcript/json/json.ts";
import { hasNewType } from "../../transcript/block-types.ts";
import { OPENING_TEXT } from "../../transcript/repair.ts";
import { readText } from "../../transcript/json/text.ts";
import {
  isUntouched,
  readPicture,
  RAW,
  blockText,
  thoughtInWords,
  wordsOfCall,
  type Block,
  type BodyMessage,
  type Part,
} from "../model.ts";
import { isDeepSeek, isOpenAi, type Target } from "../target.ts";
import { toTurns } from "../turns.ts";
import {
  answeredType,
  isBuiltIn,
  isCall,
  isCallOutput,
  readCall,
  writeBuiltInOutput,
  writeCall,
} from "./responses-calls.ts";
import {
  behindReasoning,
  isArguments,
  mayLeadTo,
  wordsOfReasoning,
  isAssistantPart,
  isAssistantSide,
  isItemId,
  isOutput,
  isUserPart,
  withoutId,
  type Behind,
} from "./responses-items.ts";

/**
 * Removes item ids that are used twice and repeated reasoning items; turns reasoning without a following item into
 * text. The server asks for the reasoning that led to an item by the item's id, so that an item which stood behind
 * reasoning keeps its id only where it still does.
 */
function withoutClashes(
  items: JsonObject[],
  given: readonly unknown[],
  openAi: boolean,
  whole: object | undefined,
): JsonObject[] {
  const isRepeated = openAi ? repeats(items) : [];
  const behind = behindEach(items, isRepeated, openAi);
  const wasLed = ledIds(given, whole);
  /** The item before is reasoning that is sent, or an item behind reasoning that keeps its id. */
  let led = false;
  return items.flatMap((item, index) => {
    if (item.type === "reasoning") {
      led = !isRepeated[index] && mayLeadTo(item, behind[index]!, openAi);
      if (led) return [item];
      const text = thoughtInWords(wordsOfReasoning(item));
      return isRepeated[index] || isBlank(text)
        ? []
        : [{ type: "message", role: "assistant", content: [{ type: "output_text", text, annotations: [] }] }];
    }
    if (item.id === undefined || !isAssistantSide(item)) {
      led = false;
      return [item];
    }
    const keep =
      !isRepeated[index] && (!openAi || isItemId(item)) && (led || !wasLed.has(item.id) || !hasOptionalId(item));
    led &&= keep;
    return [keep ? item : withoutId(item)];
  });
}

/** The outcome of {@link ledIds} for a body that is written in many parts. */
const LED_IDS = new WeakMap<object, ReadonlySet<unknown>>();

/** Returns the ids of items that stand behind reasoning, or behind another such item. */
function ledIds(items: readonly unknown[], whole: object | undefined): ReadonlySet<unknown> {
  const known = whole && LED_IDS.get(whole);
  if (known) return known;
  const ids = new Set<unknown>();
  if (whole) LED_IDS.set(whole, ids);
  let isLed = false;
  for (const item of items) {
    if (!isObject(item)) isLed = false;
    else if (item.type === "reasoning") isLed = true;
    else {
      isLed &&= item.id !== undefined && isAssistantSide(item);
      if (isLed) ids.add(item.id);
    }
  }
  return ids;
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
 * Returns for each item what is sent behind it. Goes from the end: reasoning that leads to nothing is left out itself,
 * or is sent as text.
 */
function behindEach(
  items: readonly JsonObject[],
  isRepeated: readonly (boolean | undefined)[],
  openAi: boolean,
): Behind[] {
  const behind: Behind[] = [];
  let next: Behind = "other";
  for (let at = items.length - 1; at >= 0; at--) {
    behind[at] = next;
    const item = items[at]!;
    if (item.type !== "reasoning") next = behindReasoning(item);
    else if (!isRepeated[at] && (mayLeadTo(item, next, openAi) || !isBlank(wordsOfReasoning(item)))) next = "made";
  }
  return behind;
}

/** True for items that the server also accepts without an id. */
function hasOptionalId({ type }: JsonObject): boolean {
  return type === "function_call" || type === "custom_tool_call" || type === "message";
}

/** Puts what stands between calls and their outputs before the calls: DeepSeek takes nothing there. */
function callsTogether(items: readonly JsonObject[]): JsonObject[] {
  const written: JsonObject[] = [];
  const open = new Set<unknown>();
  let cycle: JsonObject[] = [];
  for (const item of items) {
    if (isCall(item)) open.add(item.call_id);
    if (open.size === 0) written.push(item);
    else if (isCall(item) || isCallOutput(item)) cycle.push(item);
    else written.push(item);
    if (!isCallOutput(item) || !open.delete(item.call_id) || open.size > 0) continue;
    for (const part of cycle) written.push(part);
    cycle = [];
  }
  return [...written, ...cycle];
}

function writeCallItem(block: Block): JsonObject {
  const raw = block[RAW];
  const { id, name, arguments: input } = block;
  const asRecorded = raw && writeCall(raw, id, name, input as JsonObject);
  if (asRecorded) return asRecorded;
  const text = raw && isArguments(raw.arguments) ? raw.arguments : toJson(input);
  if (raw?.type === "function_call" && raw.call_id === id && raw.name === name && raw.arguments === text) return raw;
  return { ...(raw?.type === "function_call" ? raw : {}), type: "function_call", call_id: id, name, arguments: text };
}

/** Writes the blocks of one role as items: calls and whole items separately, all parts between them as one message. */
function writeItems(role: "user" | "assistant", blocks: readonly Block[], given: ReadonlySet<unknown>): JsonObject[] {
  const items: JsonObject[] = [];
  let parts: JsonObject[] | undefined;
  for (const block of blocks) {
    const raw = block[RAW];
    if (block.type === "toolCall") {
      items.push(writeCallItem(block));
      parts = undefined;
    } else if (raw && (given.has(raw) || !(isUserPart(raw) || isAssistantPart(raw) || hasNewType(raw)))) {
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
  const text = blockText(block);
  if (role === "assistant") return { type: "output_text", text, annotations: [] };
  const picture = readPicture(block);
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
    const own = blocks.find((block) => block[RAW] && answeredType(block[RAW]) === call.type);
    if (raw?.type === "function_call_output" && isUntouched(result) && isOutput(raw.output))
      return [raw.call_id === id ? raw : { ...raw, call_id: id }];
    const words = blocks
      .filter((block) => block !== own)
      .map(blockText)
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
  return block[RAW] !== undefined && (isUserPart(block[RAW]) || hasNewType(block[RAW]));
}

function writeOutputParts(blocks: readonly Block[]): unknown {
  if (blocks.every((block) => (!isPart(block) || block[RAW]!.type === "input_text") && !readPicture(block)))
    return blocks.map(blockText).join("\n");
  return blocks.map((block) => (isPart(block) ? block[RAW] : writePart("user", block)));
}

/** Writes messages as the input of `body`. Pure; the raw items of unchanged messages are reused. */
export function writeBody(messages: readonly BodyMessage[], body: JsonObject, target: Target, part?: Part): unknown {
  const items: JsonObject[] = [];
  const given = new Set<unknown>(Array.isArray(body.input) ? body.input : []);
  /** The raw calls by the ids under which they are sent. */
  const calls = new Map<unknown, JsonObject>();
  for (const block of (part?.caller?.content ?? []) as Block[])
    if (block.type === "toolCall" && block[RAW]) calls.set(block.id, block[RAW]);
  const answered = new Set<unknown>();
  for (const { role, results, blocks } of toTurns(messages)) {
    for (const result of results) {
      for (const item of writeOutput(result, calls.get(result.toolCallId))) {
        if (isCallOutput(item)) answered.add(item.call_id);
        items.push(item);
      }
    }
    for (const block of blocks) if (block.type === "toolCall" && block[RAW]) calls.set(block.id, block[RAW]);
    for (const item of writeItems(role, blocks, given)) items.push(item);
  }
  // Of a part, the outputs may be elsewhere.
  const sent = part
    ? items
    : items.map((item) => (isCall(item) && !answered.has(item.call_id) ? callInWords(item) : item));
  if (sent.length === 0 && !part)
    return [{ type: "message", role: "user", content: [{ type: "input_text", text: OPENING_TEXT }] }];
  const written = withoutClashes(sent, Array.isArray(body.input) ? body.input : [], isOpenAi(target), part?.whole);
  return isDeepSeek(target) ? callsTogether(written) : written;
}

/** Returns the text message in place of a call whose output cannot be made, such as one for a screenshot. */
function callInWords(call: JsonObject): JsonObject {
  const { name, input } = readCall(call);
  const text = wordsOfCall(readText(name), toArguments(input).input);
  return { type: "message", role: "assistant", content: [{ type: "output_text", text, annotations: [] }] };
}
