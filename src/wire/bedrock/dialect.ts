import { isBlank, isObject, type JsonObject } from "../../transcript/json/json.ts";
import type { Sound } from "../../transcript/json/sound.ts";
import { OPENING_TEXT } from "../../transcript/repair.ts";
import {
  callBlock,
  collector,
  isUntouched,
  opaqueMedia,
  opaqueThought,
  pictureOf,
  RAW,
  resultMessage,
  textBlock,
  wordsOf,
  type Block,
  type BodyMessage,
  type Dialect,
} from "../model.ts";
import { callsBeside, contentOf, isAssistantRole, itemsOf, wholeResult } from "../foreign.ts";
import { endWithUser, toTurns } from "../turns.ts";
import {
  LIMITS,
  USER_BLOCKS,
  ASSISTANT_BLOCKS,
  RESULT_BLOCKS,
  kindOf,
  isText,
  isOpaque,
  isClaude,
  isToolResult,
  isKnown,
} from "./blocks.ts";
import { brokenRules, familyRules, keepCachePoints, keepRules } from "./families.ts";

/** The calls of a message without any; nothing is added. */
const NONE = new Set<string>();

/** True for the fields that the rules look at themselves. */
function isShown(field: string): boolean {
  return field === "role" || field === "content";
}

function checkBody(body: JsonObject, model: string, sound: Sound): ReturnType<Dialect["check"]> {
  const { violations, report } = collector();
  const { messages } = body;
  if (!Array.isArray(messages)) return [{ rule: "history_type", path: "messages" }];
  if (messages.length === 0) return [{ rule: "history_empty", path: "messages" }];
  const claude = isClaude(model);
  const rules = familyRules(model, body);
  const used = new Set<string>();
  const hasRules = rules.alone || rules.light || rules.callsLast;
  let open = NONE;
  for (let index = 0; index < messages.length; index++) {
    const message: unknown = messages[index];
    if (!isObject(message) || (message.role !== "user" && message.role !== "assistant")) {
      report("role", "messages", index);
      continue;
    }
    const { role, content } = message;
    if (role !== (index % 2 === 0 ? "user" : "assistant")) report("role_order", "messages", index);
    if (!Array.isArray(content) || content.length === 0) {
      report("empty_message", "messages", index);
      continue;
    }
    sound.fields(message, isShown);
    let asked = NONE;
    let head = role === "user";
    for (let at = 0; at < content.length; at++) {
      const block: unknown = content[at];
      if (!isKnown(block, role, claude, sound)) {
        report("invalid_block", "messages", index, "content", at);
        continue;
      }
      const { toolUse, toolResult } = block as JsonObject;
      if (isObject(toolUse)) {
        const id = toolUse.toolUseId as string;
        if (used.has(id)) report("duplicate_tool_use_id", "messages", index, "content", at);
        used.add(id);
        if (asked === NONE) asked = new Set();
        asked.add(id);
      } else if (isObject(toolResult)) {
        if (!head || !open.delete(toolResult.toolUseId as string))
          report("unexpected_tool_result", "messages", index, "content", at);
      } else head = false;
    }
    if (hasRules)
      for (const rule of brokenRules(role, content.filter(isObject), rules)) report(rule, "messages", index);
    if (open.size > 0) report("missing_tool_result", "messages", index);
    open = asked;
  }
  const last: unknown = messages.at(-1);
  if (isObject(last) && last.role === "assistant") report("last_role", "messages", messages.length - 1);
  return violations;
}

function readPart(part: unknown, opaque: readonly string[]): unknown {
  if (!isObject(part)) return typeof part === "string" ? { type: "text", text: part } : part;
  if (isText(part)) return textBlock(part.text as string, part);
  if (isOpaque(part, opaque)) return opaqueMedia(part);
  return typeof part.text === "string" && kindOf(part) === "text" ? { type: "text", text: part.text } : part;
}

function readResult(block: JsonObject): BodyMessage {
  const result = block.toolResult as JsonObject;
  const content: unknown[] = Array.isArray(result.content) ? result.content : [result.content];
  const parts = content.map((part) => readPart(part, RESULT_BLOCKS));
  return resultMessage(result.toolUseId, undefined, parts, result.status === "error", block);
}

function readAssistantBlock(block: unknown, claude: boolean): Block {
  if (!isObject(block)) return block as Block;
  if (isObject(block.toolUse))
    return callBlock(block.toolUse.toolUseId, block.toolUse.name, block.toolUse.input, block);
  if (isOpaque(block, ASSISTANT_BLOCKS, claude)) return opaqueThought(block);
  const reasoning = isObject(block.reasoningContent) ? block.reasoningContent.reasoningText : undefined;
  if (isObject(reasoning) && typeof reasoning.text === "string") {
    const unsigned = { reasoningContent: { reasoningText: { text: reasoning.text } } };
    return isOpaque(unsigned, ASSISTANT_BLOCKS, claude)
      ? opaqueThought(unsigned)
      : { type: "text", text: reasoning.text };
  }
  return readPart(block, []) as Block;
}

const KINDS = new Set(["text", "toolUse", "toolResult", ...USER_BLOCKS, ...ASSISTANT_BLOCKS]);

/** A block of several kinds, which the API refuses, is a block of each. */
function byKind(block: unknown): unknown[] {
  if (!isObject(block)) return [block];
  const kinds = Object.keys(block).filter((key) => KINDS.has(key) && block[key] !== undefined);
  return kinds.length > 1 ? kinds.map((kind) => ({ [kind]: block[kind] })) : [block];
}

function isBlankText(block: unknown): boolean {
  return isObject(block) && kindOf(block) === "text" && typeof block.text === "string" && isBlank(block.text);
}

function isResultBlock(block: unknown): block is JsonObject {
  return isObject(block) && isObject(block.toolResult);
}

function readBody(body: JsonObject, model: string): BodyMessage[] {
  const messages = keepCachePoints(itemsOf(body.messages), isBlankText);
  const claude = isClaude(model);
  return messages.flatMap((message) => {
    if (!isObject(message)) return [message as BodyMessage];
    const result = wholeResult(message);
    if (result) return [result];
    const role = isAssistantRole(message.role) ? "assistant" : "user";
    const content = [...contentOf(message).flatMap(byKind), ...callsBeside(message)];
    if (role === "assistant")
      return [{ role, content: content.map((block) => readAssistantBlock(block, claude)) } as BodyMessage];
    const rest = content.filter((block) => !isResultBlock(block)).map((block) => readPart(block, USER_BLOCKS));
    const own: BodyMessage[] = rest.length > 0 ? [{ role, content: rest }] : [];
    return [...content.filter(isResultBlock).map(readResult), ...own];
  });
}

function writeBlock(block: Block): JsonObject[] {
  const raw = block[RAW];
  if (block.type === "toolCall") {
    const { id, name, arguments: input } = block;
    const use = raw?.toolUse;
    if (
      raw &&
      kindOf(raw) === "toolUse" &&
      isObject(use) &&
      use.toolUseId === id &&
      use.name === name &&
      use.input === input
    )
      return [raw];
    return [{ toolUse: { toolUseId: id, name, input } }];
  }
  if (raw) return [raw];
  const picture = pictureOf(block);
  if (picture) return [{ image: { format: picture.mimeType.slice("image/".length), source: { bytes: picture.data } } }];
  const text = wordsOf(block);
  return isBlank(text) ? [] : [{ text }];
}

function writeResult(result: BodyMessage): JsonObject {
  const raw = result[RAW];
  if (raw && isUntouched(result) && isToolResult(raw) && (raw.toolResult as JsonObject).toolUseId === result.toolCallId)
    return raw;
  const content = (result.content as Block[]).flatMap(writeBlock);
  return {
    toolResult: {
      toolUseId: result.toolCallId,
      content: content.length > 0 ? content : [{ text: "(no output)" }],
      ...(result.isError === true ? { status: "error" } : {}),
    },
  };
}

function writeBody(messages: readonly BodyMessage[], body: JsonObject, model: string): unknown {
  const turns = endWithUser(toTurns(messages));
  const written: JsonObject[] = [];
  for (const { role, results, blocks } of turns) {
    const content = [...results.map(writeResult), ...blocks.flatMap(writeBlock)];
    const last = written.at(-1);
    // toTurns starts a new turn for results behind text; Bedrock must not get two user messages in a row.
    if (last?.role === role) for (const block of content) (last.content as JsonObject[]).push(block);
    else written.push({ role, content });
  }
  return written.length > 0
    ? keepRules(written, familyRules(model, body))
    : [{ role: "user", content: [{ text: OPENING_TEXT }] }];
}

/** Bedrock Converse. */
export const bedrock: Dialect = {
  field: "messages",
  limits: () => LIMITS,
  check: checkBody,
  read: readBody,
  write: writeBody,
};
