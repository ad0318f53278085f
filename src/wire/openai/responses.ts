import { freshId } from "../../transcript/json/hash.ts";
import { isBlank, isObject, toArguments, toJson, type JsonObject } from "../../transcript/json/json.ts";
import { idKey } from "../../transcript/read.ts";
import { OPENING_TEXT } from "../../transcript/repair.ts";
import { textOf } from "../../transcript/json/text.ts";
import {
  callBlock,
  collector,
  isArgumentsText,
  isUntouched,
  opaqueMedia,
  opaqueThought,
  pictureOf,
  RAW,
  resultMessage,
  textBlock,
  wordsOf,
  wordsOfCall,
  type Block,
  type BodyMessage,
  type Dialect,
} from "../model.ts";
import { conformName, toTurns } from "../turns.ts";
import {
  callIdOf,
  callTypeOf,
  isBuiltIn,
  isCall,
  isCallOutput,
  outputText,
  readCall,
  writeBuiltInOutput,
  writeCall,
} from "./responses-calls.ts";
import {
  LIMITS,
  SERVER_ITEMS,
  strip,
  isUserPart,
  isAssistantPart,
  isCompaction,
  isMessageItem,
  isItem,
  isItemId,
  isOutput,
  followsReasoning,
  withoutBadStatus,
} from "./responses-items.ts";

function isAssistantSide(item: JsonObject): boolean {
  return (
    followsReasoning(item) ||
    SERVER_ITEMS.has(item.type as string) ||
    (isMessageItem(item) && item.role === "assistant")
  );
}

function checkBody(body: JsonObject): ReturnType<Dialect["check"]> {
  const { violations, report } = collector();
  const { input } = body;
  // The server holds the history that such a request continues, so that its calls need not be in the body.
  if (typeof body.previous_response_id === "string" || body.conversation) return violations;
  if (typeof input === "string" && !isBlank(input)) return violations;
  if (!Array.isArray(input)) return [{ rule: "history_type", path: "input" }];
  if (input.length === 0) return [{ rule: "history_empty", path: "input" }];
  const open = new Map<string, unknown>();
  const used = new Set<string>();
  const itemIds = new Set<string>();
  for (let index = 0; index < input.length; index++) {
    const item: unknown = input[index];
    if (!isObject(item) || !isItem(item)) {
      report("invalid_item", "input", index);
      continue;
    }
    if (typeof item.id === "string" && item.type !== "item_reference") {
      if (itemIds.has(item.id)) report("duplicate_item_id", "input", index);
      itemIds.add(item.id);
    }
    if (isCall(item)) {
      if (used.has(item.call_id as string)) report("duplicate_call_id", "input", index);
      used.add(item.call_id as string);
      open.set(item.call_id as string, item.type);
    } else if (isCallOutput(item)) {
      if (open.get(item.call_id as string) === callTypeOf(item)) open.delete(item.call_id as string);
      else report("unexpected_output", "input", index);
    } else if (item.type === "reasoning" && !followsReasoning(input[index + 1]))
      report("reasoning_item", "input", index);
  }
  if (open.size > 0) report("missing_output", "input");
  return violations;
}

function readMessage(item: JsonObject): BodyMessage {
  const { role, content } = item;
  const parts = (Array.isArray(content) ? content : [content]).map((part: unknown) =>
    isObject(part) ? strip(part) : part,
  );
  if (role === "assistant") {
    const blocks = parts.map((part) => {
      if (typeof part === "string") return { type: "text", text: part };
      return isAssistantPart(part) ? textBlock(textOf(part), part as JsonObject) : part;
    });
    return { role, content: isItem(item) ? [opaqueThought(item)] : blocks } as BodyMessage;
  }
  return {
    role: "user",
    content: isItem(item)
      ? [opaqueMedia(item)]
      : parts.map((part) => (isUserPart(part) ? userBlock(part as JsonObject) : part)),
  } as BodyMessage;
}

function userBlock(part: JsonObject): Block {
  return part.type === "input_text" ? textBlock(part.text as string, part) : opaqueMedia(part);
}

function readOutput(item: JsonObject, id: unknown): BodyMessage {
  if (isBuiltIn(item) !== undefined)
    return resultMessage(id, undefined, [textBlock(outputText(item), item)], false, item);
  const output = (Array.isArray(item.output) ? item.output : [item.output]).map((part: unknown) =>
    isObject(part) ? strip(part) : part,
  );
  const parts = output.map((part) => {
    if (typeof part === "string") return { type: "text", text: part };
    return isUserPart(part) ? userBlock(part as JsonObject) : part;
  });
  return resultMessage(
    id,
    undefined,
    parts.filter((part) => part !== undefined && part !== null),
    false,
    item,
  );
}

/**
 * Returns new ids, by index, for outputs that a compaction separates from every call with their id: a call behind the
 * compaction is another one.
 */
function idsBehindCompaction(items: readonly unknown[]): Map<number, string> {
  const known = new Set<unknown>();
  const taken = new Set<string>();
  const lonely: number[] = [];
  let waiting = new Map<unknown, number[]>();
  items.forEach((item, index) => {
    if (!isObject(item)) return;
    if (isCompaction(item)) {
      for (const indices of waiting.values()) for (const at of indices) lonely.push(at);
      waiting = new Map();
      return;
    }
    const id = isCall(item) ? item.call_id : isCallOutput(item) ? callIdOf(item) : undefined;
    taken.add(idKey(id));
    if (isCall(item)) {
      known.add(id);
      waiting.delete(id);
    } else if (isCallOutput(item) && !known.has(id)) {
      const list = waiting.get(id);
      if (list) list.push(index);
      else waiting.set(id, [index]);
    }
  });
  return new Map(lonely.map((at) => [at, freshId(idKey(callIdOf(items[at] as JsonObject)), at, taken)]));
}

/** Reads items; consecutive ones of the assistant become one message, so that their calls are in one turn. */
function readBody(body: JsonObject): BodyMessage[] {
  const { input } = body;
  const items: unknown[] = Array.isArray(input)
    ? input
    : typeof input === "string"
      ? [{ role: "user", content: input }]
      : [];
  const messages: BodyMessage[] = [];
  const assistantSide = (blocks: unknown[]): void => {
    const last = messages.at(-1);
    if (last?.role !== "assistant") messages.push({ role: "assistant", content: blocks });
    else for (const block of blocks) (last.content as unknown[]).push(block);
  };
  // The server finds reasoning by the ids of the items behind it: without the reasoning these ids are removed too.
  let lost = false;
  const ownIds = idsBehindCompaction(items);
  items.forEach((stored, index) => {
    const known = isObject(stored) ? withoutBadStatus(strip(stored)) : stored;
    const item = lost && isObject(known) && isAssistantSide(known) ? withoutId(known) : known;
    if (!isObject(item) || !isAssistantSide(item)) lost = false;
    if (!isObject(item)) messages.push(item as BodyMessage);
    else if (isCallOutput(item)) messages.push(readOutput(item, ownIds.get(index) ?? callIdOf(item)));
    else if (isCall(item) && isBuiltIn(item) === false) assistantSide([{ type: "text", text: textOf(item) }]);
    else if (isCall(item)) {
      const call = readCall(stored as JsonObject);
      assistantSide([
        callBlock(
          item.call_id,
          conformName(textOf(call.name), LIMITS.name, LIMITS.nameLength),
          toArguments(call.input),
          item,
        ),
      ]);
    } else if (isMessageItem(item)) {
      const message = readMessage(item);
      if (message.role === "assistant") assistantSide(message.content as unknown[]);
      else messages.push(message);
    } else if (item.type === "reasoning") {
      // The server refuses reasoning without the item that it led to; its summary is kept as text.
      const keep = isItem(item) && followsReasoning(items[index + 1]);
      lost ||= !keep;
      assistantSide([keep ? opaqueThought(item) : { type: "text", text: textOf(item.summary) }]);
    } else if (SERVER_ITEMS.has(item.type as string)) assistantSide([opaqueThought(item)]);
    else messages.push({ ...item, role: "user", content: [item] });
  });
  return messages;
}

function withoutId(item: JsonObject): JsonObject {
  const { id: _id, ...rest } = item;
  return item.type === "item_reference" ? item : rest;
}

/**
 * Removes item ids that are used twice and repeated reasoning items; turns reasoning without a following item into
 * text. In a history with reasoning, the server requires the reasoning directly before an item whose id it knows, so
 * that only items behind reasoning keep an optional id.
 */
function withoutClashes(items: JsonObject[], hasReasoning: boolean): JsonObject[] {
  const seen = new Set<unknown>();
  /** The item before is reasoning that is sent, or an item behind reasoning that keeps its id. */
  let led = false;
  return items.flatMap((item, index) => {
    const again = item.id !== undefined && item.type !== "item_reference" && seen.has(item.id);
    seen.add(item.id);
    if (item.type === "reasoning") {
      led = !again && followsReasoning(items[index + 1]);
      if (led) return [item];
      const text = textOf(item.summary);
      return again || isBlank(text)
        ? []
        : [{ type: "message", role: "assistant", content: [{ type: "output_text", text, annotations: [] }] }];
    }
    if (item.id === undefined || !isAssistantSide(item)) {
      led = false;
      return [item];
    }
    const keep = !again && isItemId(item) && (led || !hasReasoning || !hasOptionalId(item));
    led &&= keep;
    return [keep ? item : withoutId(item)];
  });
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

function writeBody(messages: readonly BodyMessage[], body: JsonObject): unknown {
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

/** OpenAI Responses, also Azure's and Codex's. */
export const responses: Dialect = {
  field: "input",
  limits: () => LIMITS,
  check: checkBody,
  read: readBody,
  write: writeBody,
};
