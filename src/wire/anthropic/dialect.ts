import { isBlank, isObject, type JsonObject } from "../../transcript/json/json.ts";
import { OPENING_TEXT } from "../../transcript/repair.ts";
import { Sound } from "../../transcript/json/sound.ts";
import { textOf } from "../../transcript/json/text.ts";
import {
  callBlock,
  collector,
  FewIds,
  hasOnly,
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
  type ReportRule,
} from "../model.ts";
import { callsBeside, contentOf, isAssistantRole, itemsOf, wholeResult } from "../foreign.ts";
import { CONTINUE_TEXT, toTurns, userTurn } from "../turns.ts";
import {
  ANTHROPIC_LIMITS,
  USER_MEDIA,
  RESULT_MEDIA,
  MESSAGE_FIELDS,
  strip,
  CUT_OFF_TEXT,
  isText,
  isMedia,
  isThinking,
  isThought,
  isToolResult,
  isKnown,
  isServerBlock,
} from "./blocks.ts";
import {
  checkServerTools,
  idsOfServer,
  isPaused,
  isServerTool,
  settleServerTools,
  type SentMessage,
} from "./server.ts";
import { keepMarks, markedText } from "./cache-marks.ts";

function checkBody(body: JsonObject, model: string, sound: Sound): ReturnType<Dialect["check"]> {
  const { violations, report } = collector();
  const { messages } = body;
  if (!Array.isArray(messages)) return [{ rule: "history_type", path: "messages" }];
  if (messages.length === 0) return [{ rule: "history_empty", path: "messages" }];
  const claude = isClaude(model);
  const used = new Set<string>();
  /** Open calls of the assistant turn directly before; below, whether results may still follow in the user turn. */
  const open = new FewIds();
  let headOfUserTurn = false;
  let lastRole: unknown;
  let hasServerTools = false;
  for (let index = 0; index < messages.length; index++) {
    const message: unknown = messages[index];
    if (!isObject(message) || (message.role !== "user" && message.role !== "assistant")) {
      report("role", "messages", index);
      continue;
    }
    const { role, content } = message;
    if (!hasOnlyShown(message)) {
      if (!hasOnly(message, MESSAGE_FIELDS)) report("message_field", "messages", index);
      sound.fields(message, isShown);
    }
    if (index === 0 && role !== "user") report("first_role", "messages", index);
    if (role === "user" && lastRole !== "user") headOfUserTurn = true;
    if (role === "assistant" && open.size > 0) {
      report("missing_tool_result", "messages", index);
      open.clear();
    }
    lastRole = role;
    if (typeof content === "string") {
      if (isBlank(content)) report("blank_text", "messages", index);
      sound.text(content);
      if (role === "user") headOfUserTurn = closeCalls(open, report, index);
      continue;
    }
    if (!Array.isArray(content) || content.length === 0) {
      report("empty_message", "messages", index);
      continue;
    }
    const last: unknown = content[content.length - 1];
    if (role === "assistant" && isObject(last) && isThought(last)) report("final_thinking", "messages", index);
    for (let at = 0; at < content.length; at++) {
      const block: unknown = content[at];
      if (!isKnown(block, role, claude, sound)) {
        report("invalid_block", "messages", index, "content", at);
        continue;
      }
      const { type, id, tool_use_id: answers } = block as JsonObject;
      if (type === "tool_use") {
        const before = used.size;
        if (used.add(id as string).size === before) report("duplicate_tool_use_id", "messages", index, "content", at);
        open.add(id as string);
      } else if (type === "tool_result") {
        if (!headOfUserTurn || !open.delete(answers))
          report("unexpected_tool_result", "messages", index, "content", at);
      } else {
        if (role === "user") headOfUserTurn = closeCalls(open, report, index);
        hasServerTools ||= type !== "text" && isServerTool(block);
      }
    }
  }
  if (hasServerTools) checkServerTools(messages, report);
  if (lastRole === "assistant" && !isPaused(messages)) report("last_role", "messages", messages.length - 1);
  else if (open.size > 0) report("missing_tool_result", "messages", messages.length - 1);
  return violations;
}

/** True for the fields that the rules look at themselves. */
function isShown(field: string): boolean {
  return field === "role" || field === "content";
}

/** True for a message with no other fields, as nearly all are. */
function hasOnlyShown(message: JsonObject): boolean {
  for (const key in message) if (key !== "role" && key !== "content") return false;
  return true;
}

/** Handles content other than a result: open calls stay without a result, and no result may follow. Returns false. */
function closeCalls(open: FewIds, report: ReportRule, index: number): false {
  if (open.size > 0) {
    report("missing_tool_result", "messages", index);
    open.clear();
  }
  return false;
}

function readBlock(stored: unknown, role: string, claude: boolean): Block {
  if (!isObject(stored)) return stored as Block;
  const block = strip(stored);
  if (isText(block)) return textBlock(block.text as string, block);
  if (role === "user" && isMedia(block, USER_MEDIA)) return opaqueMedia(block);
  if (role === "assistant") {
    if (isServerBlock(block, claude) || isThinking(block)) return opaqueThought(block);
    if (block.type === "tool_use") return callBlock(block.id, block.name, block.input, block);
    if (block.type === "thinking") return textBlock(typeof block.thinking === "string" ? block.thinking : "");
  }
  return markedText(block) ?? (block as Block);
}

/** Reads a result block; the message keeps the raw block for fields such as cache_control. */
function readResultBlock(stored: JsonObject): BodyMessage {
  const block = strip(stored);
  const { content } = block;
  const parts: unknown[] = Array.isArray(content) ? content : content === undefined || content === "" ? [] : [content];
  const blocks = parts.map((item) => {
    if (!isObject(item)) return typeof item === "string" ? { type: "text", text: item } : item;
    const part = strip(item);
    if (isText(part)) return textBlock(part.text as string, part);
    return isMedia(part, RESULT_MEDIA) ? opaqueMedia(part) : part;
  });
  return resultMessage(block.tool_use_id, undefined, blocks, block.is_error === true, block);
}

function readBody(body: JsonObject, model: string): BodyMessage[] {
  const messages = keepMarks(itemsOf(body.messages));
  const ofServer = idsOfServer(messages);
  const claude = isClaude(model);
  return messages.flatMap((message) => {
    if (!isObject(message)) return [message as BodyMessage];
    const result = wholeResult(message);
    if (result) return [result];
    const role = isAssistantRole(message.role) ? "assistant" : "user";
    const content = [...contentOf(message), ...callsBeside(message)];
    const isOfServer = (block: unknown): boolean =>
      role === "user" && isObject(block) && block.type === "tool_result" && ofServer.has(block.tool_use_id);
    const isResult = (block: unknown): block is JsonObject =>
      role === "user" && isObject(block) && block.type === "tool_result" && !isOfServer(block);
    const results = content.filter(isResult);
    const rest = content
      .filter((block: unknown) => !isResult(block))
      .map((block: unknown) => (isOfServer(block) ? textBlock(textOf(block)) : readBlock(block, role, claude)));
    const own: BodyMessage[] = rest.length > 0 || results.length === 0 ? [{ role, content: rest }] : [];
    return [...results.map(readResultBlock), ...own];
  });
}

/** Writes a block in Anthropic's form: the raw block where nothing was changed. */
function writeBlock(block: Block): JsonObject[] {
  const raw = block[RAW];
  if (block.type === "toolCall") {
    const { id, name, arguments: input } = block;
    if (raw && raw.id === id && raw.name === name && raw.input === input) return [raw];
    return [{ ...(raw?.cache_control ? { cache_control: raw.cache_control } : {}), type: "tool_use", id, name, input }];
  }
  if (raw) return [raw];
  const picture = pictureOf(block);
  if (picture) return [{ type: "image", source: { type: "base64", media_type: picture.mimeType, data: picture.data } }];
  const text = wordsOf(block);
  return isBlank(text) ? [] : [{ type: "text", text }];
}

function writeResult(result: BodyMessage): JsonObject {
  const raw = result[RAW];
  if (raw && isUntouched(result) && isToolResult(raw, new Sound()) && raw.tool_use_id === result.toolCallId) return raw;
  const content = (result.content as Block[]).flatMap(writeBlock);
  return {
    ...(raw?.cache_control ? { cache_control: raw.cache_control } : {}),
    type: "tool_result",
    tool_use_id: result.toolCallId,
    content: content.length > 0 ? content : "(no output)",
    ...(result.isError === true ? { is_error: true } : {}),
  };
}

/** True for Anthropic's own models; endpoints of other providers use other ids. */
function isClaude(model: string): boolean {
  return /claude/i.test(model);
}

/** In the last of these passes all remaining calls and results of server tools become text. */
const SETTLING_PASSES = 4;

/** Appends a text to content that ends with thinking: the API refuses such an end, and thinking must not be changed. */
function closeThought(content: JsonObject[]): JsonObject[] {
  const last = content.at(-1);
  return last && isThought(last) ? [...content, { type: "text", text: CUT_OFF_TEXT }] : content;
}

function writeBody(messages: readonly BodyMessage[]): unknown {
  let said: SentMessage[] = toTurns(messages).map(({ role, results, blocks }) => ({
    role,
    content: [...results.map(writeResult), ...blocks.flatMap(writeBlock)],
  }));
  // Turning a block into text can create a new violation: it can end a paused turn, or change neighbours.
  for (let pass = 0; pass < SETTLING_PASSES; pass++) {
    const settled = settleServerTools(ended(said), pass === SETTLING_PASSES - 1);
    if (settled === undefined) break;
    said = settled.filter(({ content }) => !Array.isArray(content) || content.length > 0);
  }
  const written = said
    .map(({ role, content }) => ({ role, content: closeThought(content as JsonObject[]) }))
    .filter(({ content }) => content.length > 0);
  return written.length > 0 ? ended(written) : [{ role: "user", content: userTurn(OPENING_TEXT).blocks }];
}

/**
 * Adds a user message to a history that ends with the assistant, which the API would take as the beginning of the
 * answer. Only a paused turn may end so.
 */
function ended<T extends SentMessage>(messages: T[]): (T | SentMessage)[] {
  if (messages.at(-1)?.role !== "assistant" || isPaused(messages)) return messages;
  return [...messages, { role: "user", content: userTurn(CONTINUE_TEXT).blocks }];
}

/** Anthropic Messages, and compatible servers. */
export const anthropic: Dialect = {
  field: "messages",
  limits: () => ANTHROPIC_LIMITS,
  check: checkBody,
  read: readBody,
  write: writeBody,
};
