import { isBlank, isObject, toJson, type JsonObject } from "../transcript/json.ts";
import { OPENING_TEXT } from "../transcript/repair.ts";
import { textOf } from "../transcript/text.ts";
import { callBlock, collector, isArgumentsText, isUntouched, opaqueMedia, opaqueThought, pictureOf, RAW, resultMessage, textBlock, wordsOf, type Block, type BodyMessage, type Dialect } from "./model.ts";
import { toTurns } from "./turns.ts";
import { LIMITS, SERVER_ITEMS, strip, isUserPart, isAssistantPart, isMessageItem, isItem, isItemId, isOutput, isCall, isCallOutput, followsReasoning } from "./openai-responses-items.ts";

function isAssistantSide(item: JsonObject): boolean {
  return followsReasoning(item) || SERVER_ITEMS.has(item.type as string);
}

/** True when the item carries the id of an answer by which a reasoning model's server looks for the reasoning. */
function hasMadeId(item: JsonObject): boolean {
  return item.id !== undefined && (isCall(item) || isMessageItem(item));
}

function checkBody(body: JsonObject): ReturnType<Dialect["check"]> {
  const { violations, report } = collector();
  const { input } = body;
  // What such a request continues is with the server: its calls need not be here.
  if (typeof body.previous_response_id === "string" || body.conversation) return violations;
  if (typeof input === "string" && !isBlank(input)) return violations;
  if (!Array.isArray(input)) return [{ rule: "history_type", path: "input" }];
  if (input.length === 0) return [{ rule: "history_empty", path: "input" }];
  const open = new Set<string>();
  const used = new Set<string>();
  const itemIds = new Set<string>();
  const reasons = isObject(body.reasoning);
  let reasoned = false;
  input.forEach((item: unknown, index) => {
    const path = `input.${index}`;
    if (!isObject(item) || !isItem(item)) return report("invalid_item", path);
    if (typeof item.id === "string" && item.type !== "item_reference") {
      if (itemIds.has(item.id)) report("duplicate_item_id", path);
      itemIds.add(item.id);
    }
    if (item.type === "reasoning") reasoned = true;
    else if (!isAssistantSide(item)) reasoned = false;
    else if (reasons && !reasoned && hasMadeId(item)) report("item_without_reasoning", path);
    if (isCall(item)) {
      if (used.has(item.call_id as string)) report("duplicate_call_id", path);
      used.add(item.call_id as string);
      open.add(item.call_id as string);
    } else if (isCallOutput(item)) {
      if (!open.delete(item.call_id as string)) report("unexpected_output", path);
    } else if (item.type === "reasoning" && !followsReasoning(input[index + 1])) report("reasoning_item", path);
    return undefined;
  });
  if (open.size > 0) report("missing_output", "input");
  return violations;
}

function readMessage(item: JsonObject): BodyMessage {
  const { role, content } = item;
  const parts = (Array.isArray(content) ? content : [content]).map((part: unknown) => (isObject(part) ? strip(part) : part));
  if (role === "assistant") {
    const blocks = parts.map((part) => {
      if (typeof part === "string") return { type: "text", text: part };
      return isAssistantPart(part) ? textBlock(textOf(part), part as JsonObject) : part;
    });
    return { role, content: isItem(item) ? [opaqueThought(item)] : blocks } as BodyMessage;
  }
  return { role: "user", content: isItem(item) ? [opaqueMedia(item)] : parts.map((part) => (isUserPart(part) ? userBlock(part as JsonObject) : part)) } as BodyMessage;
}

function userBlock(part: JsonObject): Block {
  return part.type === "input_text" ? textBlock(part.text as string, part) : opaqueMedia(part);
}

function readOutput(item: JsonObject): BodyMessage {
  const output = (Array.isArray(item.output) ? item.output : [item.output]).map((part: unknown) => (isObject(part) ? strip(part) : part));
  const parts = output.map((part) => {
    if (typeof part === "string") return { type: "text", text: part };
    return isUserPart(part) ? userBlock(part as JsonObject) : part;
  });
  return resultMessage(item.call_id, undefined, parts.filter((part) => part !== undefined && part !== null), false, item);
}

/** Reads items; consecutive ones of the assistant's side become one message, so that its calls are in one turn. */
function readBody(body: JsonObject): BodyMessage[] {
  const { input } = body;
  const items: unknown[] = Array.isArray(input) ? input : typeof input === "string" ? [{ role: "user", content: input }] : [];
  const messages: BodyMessage[] = [];
  const assistantSide = (blocks: unknown[]): void => {
    const last = messages.at(-1);
    if (last?.role === "assistant") (last.content as unknown[]).push(...blocks);
    else messages.push({ role: "assistant", content: blocks });
  };
  items.forEach((stored, index) => {
    const item = isObject(stored) ? strip(stored) : stored;
    if (!isObject(item)) messages.push(item as BodyMessage);
    else if (isCallOutput(item)) messages.push(readOutput(item));
    else if (isCall(item)) assistantSide([callBlock(item.call_id, item.name, item.arguments ?? item.input, item)]);
    else if (isMessageItem(item)) {
      const message = readMessage(item);
      if (message.role === "assistant") assistantSide(message.content as unknown[]);
      else messages.push(message);
    } else if (item.type === "reasoning") {
      // Without what it led to the server refuses it; what it says in words is kept.
      const keep = isItem(item) && followsReasoning(items[index + 1]);
      assistantSide([keep ? opaqueThought(item) : { type: "text", text: textOf(item.summary) }]);
    } else if (SERVER_ITEMS.has(item.type as string)) assistantSide([opaqueThought(item)]);
    else messages.push({ ...item, role: "user", content: [item] });
  });
  return messages;
}

/** Item ids that are used twice are taken off, as are those of items whose reasoning is gone. */
function withoutClashes(items: JsonObject[], reasons: boolean): JsonObject[] {
  const seen = new Set<unknown>();
  let reasoned = false;
  return items.flatMap((item, index) => {
    if (item.type === "reasoning") {
      const again = seen.has(item.id);
      seen.add(item.id);
      const keep = !again && followsReasoning(items[index + 1]);
      reasoned ||= keep;
      return keep ? [item] : [];
    }
    if (!isAssistantSide(item)) reasoned = false;
    if (item.id === undefined || item.type === "item_reference") return [item];
    const clash = seen.has(item.id) || !isItemId(item) || (reasons && !reasoned && hasMadeId(item));
    seen.add(item.id);
    if (!clash) return [item];
    const { id: _id, ...rest } = item;
    return [rest];
  });
}

function writeCall(block: Block): JsonObject {
  const raw = block[RAW];
  const { id, name } = block;
  if (raw?.type === "custom_tool_call" && typeof raw.input === "string") return { ...raw, call_id: id, name };
  const text = raw && isArgumentsText(raw.arguments) ? raw.arguments : toJson(block.arguments);
  return { ...(raw?.type === "function_call" ? raw : {}), type: "function_call", call_id: id, name, arguments: text };
}

/** Blocks of one side as items: calls and whole items stand alone, everything between them is one message. */
function writeItems(role: "user" | "assistant", blocks: readonly Block[]): JsonObject[] {
  const items: JsonObject[] = [];
  let parts: JsonObject[] | undefined;
  for (const block of blocks) {
    const raw = block[RAW];
    if (block.type === "toolCall") {
      items.push(writeCall(block));
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

function writeOutput(result: BodyMessage, custom: boolean): JsonObject {
  const raw = result[RAW];
  const type = custom ? "custom_tool_call_output" : "function_call_output";
  const output = raw && isUntouched(result) && isOutput(raw.output) ? raw.output : writeOutputParts(result.content as Block[]);
  return { ...(raw && isCallOutput(raw) ? raw : {}), type, call_id: result.toolCallId, output };
}

function writeOutputParts(blocks: readonly Block[]): unknown {
  if (blocks.every((block) => !block[RAW] || block[RAW].type === "input_text")) {
    return blocks.map(wordsOf).join("\n");
  }
  return blocks.map((block) => block[RAW] ?? { type: "input_text", text: wordsOf(block) });
}

function writeBody(messages: readonly BodyMessage[], body: JsonObject): unknown {
  const items: JsonObject[] = [];
  const custom = new Set<unknown>();
  for (const { role, results, blocks } of toTurns(messages)) {
    items.push(...results.map((result) => writeOutput(result, custom.has(result.toolCallId))));
    for (const block of blocks) if (block[RAW]?.type === "custom_tool_call" && typeof block[RAW].input === "string") custom.add(block.id);
    items.push(...writeItems(role, blocks));
  }
  return items.length > 0 ? withoutClashes(items, isObject(body.reasoning)) : [{ type: "message", role: "user", content: [{ type: "input_text", text: OPENING_TEXT }] }];
}

/** OpenAI Responses, also Azure's and Codex's. */
export const responses: Dialect = { field: "input", limits: () => LIMITS, check: checkBody, read: readBody, write: writeBody };
