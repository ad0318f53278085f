import { isObject, toJson, type JsonObject } from "../../transcript/json/json.ts";
import type { Sound } from "../../transcript/json/sound.ts";
import { OPENING_TEXT } from "../../transcript/repair.ts";
import { textOf } from "../../transcript/json/text.ts";
import {
  callBlock,
  collector,
  isArgumentsText,
  isUntouched,
  opaqueMedia,
  pick,
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
import { CONTINUE_TEXT, endWithUser, toTurns, userTurn, type Turn } from "../turns.ts";
import {
  LIMITS,
  MISTRAL_LIMITS,
  AFTER_TOOLS_TEXT,
  MESSAGE_FIELDS,
  CALL_FIELDS,
  FUNCTION_FIELDS,
  strip,
  limitsFor,
  wantsReasoning,
  isTextPart,
  isUserPart,
  isAssistantPart,
  isToolContent,
  isSystem,
  isMessage,
} from "./completions-messages.ts";

function checkBody(body: JsonObject, model: string, sound: Sound): ReturnType<Dialect["check"]> {
  const { violations, report } = collector();
  const { messages } = body;
  if (!Array.isArray(messages)) return [{ rule: "history_type", path: "messages" }];
  const limits = limitsFor(model);
  const mistral = limits === MISTRAL_LIMITS;
  const reasoning = wantsReasoning(body, model, messages);
  const used = new Set<string>();
  const open = new Set<string>();
  let lastRole: unknown;
  for (let index = 0; index < messages.length; index++) {
    const message: unknown = messages[index];
    if (!isObject(message) || !isMessage(message, limits, sound)) {
      report("invalid_message", "messages", index);
      continue;
    }
    if (isSystem(message)) continue;
    const { role } = message;
    if (lastRole === undefined && role !== "user") report("first_role", "messages", index);
    if (role === "tool") {
      if (!open.delete(message.tool_call_id as string)) report("unexpected_tool_result", "messages", index);
    } else {
      if (open.size > 0) report("missing_tool_result", "messages", index);
      open.clear();
      if (role === lastRole) report("role_order", "messages", index);
      if (mistral && role === "user" && lastRole === "tool") report("role_order", "messages", index);
    }
    if (Array.isArray(message.tool_calls)) {
      for (const { id } of message.tool_calls as { id: string }[]) {
        if (used.has(id)) report("duplicate_tool_call_id", "messages", index);
        used.add(id);
        open.add(id);
      }
      if (reasoning && typeof message.reasoning_content !== "string") report("reasoning_content", "messages", index);
    }
    lastRole = role;
  }
  if (open.size > 0) report("missing_tool_result", "messages");
  if (lastRole === undefined) report("history_empty", "messages");
  if (lastRole === "assistant") report("last_role", "messages", messages.length - 1);
  return violations;
}

function readContent(content: readonly unknown[], isPart: (part: unknown) => part is JsonObject): unknown[] {
  return content.map((stored) => {
    if (typeof stored === "string") return { type: "text", text: stored };
    const part = isObject(stored) ? strip(stored) : stored;
    if (isTextPart(part)) return textBlock(part.text as string, part);
    if (isPart(part)) return part.type === "refusal" ? textBlock(part.refusal as string, part) : opaqueMedia(part);
    return part;
  });
}

function readCall(call: unknown): unknown {
  if (!isObject(call)) return call;
  const called = isObject(call.function) ? call.function : isObject(call.custom) ? call.custom : call;
  return callBlock(call.id, called.name, called.arguments ?? called.input, call);
}

function readBody(body: JsonObject): BodyMessage[] {
  const messages = itemsOf(body.messages);
  return messages.slice(leadingSystem(messages).length).map((message) => {
    if (!isObject(message)) return message as BodyMessage;
    const { role } = message;
    const result = wholeResult(message);
    if (result && role !== "tool" && role !== "function") return result;
    const content = contentOf(message);
    if (result) {
      const parts = readContent(content, isTextPart);
      return resultMessage(message.tool_call_id, message.name, parts, false, pick(message, MESSAGE_FIELDS));
    }
    if (isAssistantRole(role)) {
      return {
        role: "assistant",
        content: [...readContent(content, isAssistantPart), ...callsBeside(message).map(readCall)],
        [RAW]: pick(message, MESSAGE_FIELDS),
      } as BodyMessage;
    }
    // Instructions in the middle of the history stay in their place, inside the user turn.
    if (isSystem(message) && isMessage(message, LIMITS))
      return { role: "user", content: [opaqueMedia(message)] } as BodyMessage;
    return { role: "user", content: readContent(content, isUserPart) } as BodyMessage;
  });
}

/** Returns the instructions before the history. */
function leadingSystem(messages: readonly unknown[]): JsonObject[] {
  const end = messages.findIndex((message) => !isObject(message) || !isSystem(message) || !isMessage(message, LIMITS));
  return messages.slice(0, end < 0 ? messages.length : end) as JsonObject[];
}

function writeCall(block: Block): JsonObject {
  const raw = block[RAW];
  const { id, name } = block;
  const called = raw?.function;
  const keepText = isObject(called) && isArgumentsText(called.arguments);
  const text = keepText ? called.arguments : toJson(block.arguments);
  const fields = isObject(called) ? pick(called, FUNCTION_FIELDS) : {};
  return {
    ...(raw ? pick(raw, CALL_FIELDS) : {}),
    id,
    type: "function",
    function: { ...fields, name, arguments: text },
  };
}

/** Writes text and parts as content: a string, unless a part needs a list. */
function writeContent(blocks: readonly Block[]): unknown {
  if (blocks.every((block) => !block[RAW] && !pictureOf(block))) return blocks.map(wordsOf).join("\n\n");
  return blocks.map((block) => {
    const picture = pictureOf(block);
    if (picture) return { type: "image_url", image_url: { url: `data:${picture.mimeType};base64,${picture.data}` } };
    return block[RAW] ?? { type: "text", text: wordsOf(block) };
  });
}

/**
 * Joins the fields of assistant messages other than their content: reasoning texts are joined, of other fields the last
 * value is kept.
 */
function joinFields(raws: readonly JsonObject[]): JsonObject {
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

function writeAssistant({ blocks, raws }: Turn, reasoning: boolean): JsonObject {
  const calls = blocks.filter((block) => block.type === "toolCall");
  const rest = blocks.filter((block) => block.type !== "toolCall");
  const fields = joinFields(raws);
  if (reasoning && calls.length > 0 && typeof fields.reasoning_content !== "string") fields.reasoning_content = "";
  return {
    ...fields,
    role: "assistant",
    content: rest.length > 0 ? writeContent(rest) : null,
    ...(calls.length > 0 ? { tool_calls: calls.map(writeCall) } : {}),
  };
}

function writeResult(result: BodyMessage): JsonObject {
  const raw = result[RAW];
  const keep = raw?.role === "tool" && isUntouched(result) && isToolContent(raw.content);
  const content = keep
    ? raw.content
    : (result.content as Block[]).map((block) => textOf(block[RAW] ?? block)).join("\n");
  return { ...(raw?.role === "tool" ? raw : {}), role: "tool", tool_call_id: result.toolCallId, content };
}

function writeUser(blocks: readonly Block[]): JsonObject[] {
  const instructions = blocks.flatMap((block) => (block[RAW] && isSystem(block[RAW]) ? [block[RAW]] : []));
  const rest = blocks.filter((block) => !block[RAW] || !isSystem(block[RAW]));
  return [...instructions, ...(rest.length > 0 ? [{ role: "user", content: writeContent(rest) }] : [])];
}

function writeBody(messages: readonly BodyMessage[], body: JsonObject, model: string): unknown {
  const stored: unknown[] = Array.isArray(body.messages) ? body.messages : [];
  const mistral = limitsFor(model) === MISTRAL_LIMITS;
  const reasoning = wantsReasoning(body, model, stored);
  const written: JsonObject[] = [];
  for (const turn of endWithUser(toTurns(messages))) {
    if (turn.role === "assistant") {
      written.push(writeAssistant(turn, reasoning));
      continue;
    }
    for (const result of turn.results) written.push(writeResult(result));
    const user = writeUser(turn.blocks);
    // Instructions alone are no user turn.
    if (turn.results.length === 0 && user.every(isSystem)) user.push(...writeUser(userTurn(CONTINUE_TEXT).blocks));
    const speaks = user.some((message) => message.role === "user");
    if (mistral && speaks && written.at(-1)?.role === "tool")
      written.push({ role: "assistant", content: AFTER_TOOLS_TEXT });
    for (const message of user) written.push(message);
  }
  if (written.length === 0) written.push(...writeUser(userTurn(OPENING_TEXT).blocks));
  return [...leadingSystem(stored), ...joinUsers(written)];
}

/** Joins user messages with nothing, or only instructions, between them. */
function joinUsers(messages: readonly JsonObject[]): JsonObject[] {
  const joined: JsonObject[] = [];
  let lastUser = -1;
  /** The parts of the last user message, once it is one of several. */
  let parts: unknown[] | undefined;
  for (const message of messages) {
    const before = message.role === "user" ? joined[lastUser] : undefined;
    if (before && typeof before.content === "string" && typeof message.content === "string") {
      joined[lastUser] = { ...before, content: `${before.content}\n\n${message.content}` };
    } else if (before) {
      parts ??= [...partsOf(before.content)];
      for (const part of partsOf(message.content)) parts.push(part);
      joined[lastUser] = { ...before, content: parts };
    } else {
      joined.push(message);
      parts = undefined;
      if (message.role === "user") lastUser = joined.length - 1;
      else if (!isSystem(message)) lastUser = -1;
    }
  }
  return joined;
}

function partsOf(content: unknown): readonly unknown[] {
  return Array.isArray(content) ? content : [{ type: "text", text: content }];
}

/**
 * OpenAI Chat Completions and its many compatible servers. Rules of Mistral and of thinking models apply by model name.
 */
export const completions: Dialect = {
  field: "messages",
  limits: limitsFor,
  check: checkBody,
  read: readBody,
  write: writeBody,
};
