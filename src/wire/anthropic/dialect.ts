/**
 * Anthropic Messages: `checkBody` names the rules that a body breaks, `readBody` and `writeBody` make one that breaks
 * none. Kinds of blocks are in blocks.ts, tools that run at the server in server.ts, what differs by model in
 * models.ts.
 */
import { isBlank, isObject, type JsonObject } from "../../transcript/json/json.ts";
import { hasNewType } from "../../transcript/block-types.ts";
import { OPENING_TEXT } from "../../transcript/repair.ts";
import { SoundnessWalk } from "../../transcript/json/soundness-walk.ts";
import { readText } from "../../transcript/json/text.ts";
import {
  callBlock,
  collector,
  hasOnly,
  isUntouched,
  opaqueMedia,
  opaqueThought,
  pick,
  readPicture,
  placed,
  RAW,
  resultMessage,
  textBlock,
  thoughtInWords,
  withJoinedCallers,
  blockText,
  type Block,
  type BodyMessage,
  type Dialect,
  type Part,
  type ReportRule,
} from "../model.ts";
import { callsBeside, listContent, isAssistantRole, toItems, wholeResult } from "../foreign.ts";
import { CONTINUE_TEXT, toTurns, userTurn } from "../turns.ts";
import {
  ANTHROPIC_LIMITS,
  USER_MEDIA,
  RESULT_MEDIA,
  MESSAGE_FIELDS,
  strip,
  CUT_OFF_TEXT,
  isText,
  isBlankText,
  isMedia,
  isThinking,
  isThought,
  isToolResult,
  isKnown,
  isServerBlock,
  isInstruction,
  isShown,
  hasOnlyShown,
} from "./blocks.ts";
import { beginsWithUser, isClaude, mayNotEnd, takesNoInstructions } from "./models.ts";
import {
  checkServerTools,
  idsOfServer,
  isPaused,
  isServerTool,
  settleServerTools,
  type SentMessage,
} from "./server.ts";
import { sayPicture } from "../pictures.ts";
import type { Target } from "../target.ts";
import { keepMarks, markedText } from "./cache-marks.ts";

function checkBody(body: JsonObject, target: Target, walk: SoundnessWalk): ReturnType<Dialect["check"]> {
  const { violations, report } = collector();
  const { messages } = body;
  if (!Array.isArray(messages)) return [{ rule: "history_type", path: "messages" }];
  if (messages.length === 0) return [{ rule: "history_empty", path: "messages" }];
  const claude = isClaude(target);
  const noInstructions = takesNoInstructions(target);
  /** The calls of an assistant turn, of one message or of several in a row: all of them, and those without a result. */
  const used = new Set<unknown>();
  const open = new Set<unknown>();
  let caller = -1;
  /** Results may still follow in the user turn. */
  let headOfUserTurn = false;
  let lastRole: unknown;
  let mayBeUnordered = false;
  for (let index = 0; index < messages.length; index++) {
    const message: unknown = messages[index];
    if (isObject(message) && message.role === "system" && !noInstructions) {
      headOfUserTurn = closeCalls(open, report, caller);
      if (!areInstructions(message, walk)) report("invalid_block", "messages", index);
      lastRole = "system";
      continue;
    }
    if (!isObject(message) || (message.role !== "user" && message.role !== "assistant")) {
      report("role", "messages", index);
      continue;
    }
    const { role, content } = message;
    if (!hasOnlyShown(message)) {
      if (!hasOnly(message, MESSAGE_FIELDS)) report("message_field", "messages", index);
      walk.fields(message, isShown);
    }
    if (index === 0 && role !== "user" && beginsWithUser(target)) report("first_role", "messages", index);
    if (role === "user" && lastRole !== "user") headOfUserTurn = lastRole === "assistant";
    if (role === "assistant" && lastRole !== "assistant") {
      closeCalls(open, report, caller);
      if (used.size > 0) used.clear();
    }
    lastRole = role;
    if (typeof content === "string") {
      if (isBlank(content)) report("blank_text", "messages", index);
      walk.text(content);
      if (role === "user") headOfUserTurn = closeCalls(open, report, caller);
      continue;
    }
    if (!Array.isArray(content) || content.length === 0) {
      report("empty_message", "messages", index);
      continue;
    }
    let isBesideServer: boolean | undefined;
    const last: unknown = content[content.length - 1];
    if (role === "assistant" && isObject(last) && isThought(last)) report("final_thinking", "messages", index);
    for (let at = 0; at < content.length; at++) {
      const block: unknown = content[at];
      if (
        !isKnown(block, role, claude, walk) &&
        !(role === "assistant" && isBlankText(block) && (isBesideServer ??= content.some(isServerTool)))
      ) {
        report("invalid_block", "messages", index, "content", at);
        continue;
      }
      const { type, id, tool_use_id: answers } = block as JsonObject;
      if (type === "tool_use") {
        if (used.has(id)) report("duplicate_tool_use_id", "messages", index, "content", at);
        used.add(id);
        open.add(id);
        caller = index;
      } else if (type === "tool_result") {
        if (!headOfUserTurn || !open.delete(answers))
          report("unexpected_tool_result", "messages", index, "content", at);
      } else {
        if (role === "user") headOfUserTurn = closeCalls(open, report, caller);
        mayBeUnordered ||= type === "text" ? claude && caller === index : isServerTool(block);
      }
    }
  }
  if (mayBeUnordered) checkServerTools(messages, claude, report);
  if (lastRole === "assistant" && !isPaused(messages)) {
    if (mayNotEnd(body, target)) report("last_role", "messages", messages.length - 1);
    else if (endsBlank(messages.at(-1))) report("final_whitespace", "messages", messages.length - 1);
  }
  if (open.size > 0 && !(lastRole === "assistant" && isPaused(messages)))
    report("missing_tool_result", "messages", caller);
  return violations;
}

/** True for the content of instructions between the messages. Shows the message. */
function areInstructions(message: JsonObject, walk: SoundnessWalk): boolean {
  if (!hasOnly(message, MESSAGE_FIELDS)) return false;
  walk.fields(message, isShown);
  const { content } = message;
  if (!Array.isArray(content)) {
    walk.value(content);
    return typeof content === "string" && !isBlank(content);
  }
  return content.length > 0 && content.every((block) => isInstruction(block, walk));
}

/** Returns the text at the end of a message. */
function readLastText(message: unknown): unknown {
  const { content }: JsonObject = isObject(message) ? message : {};
  const last: unknown = Array.isArray(content) ? content.at(-1) : content;
  return isObject(last) && last.type === "text" ? last.text : last;
}

/** True for a beginning of an answer with white space at its end, which the API refuses. */
function endsBlank(message: unknown): boolean {
  const text = readLastText(message);
  return typeof text === "string" && text !== text.trimEnd();
}

/** Handles content other than a result: open calls stay without a result, and no result may follow. Returns false. */
function closeCalls(open: Set<unknown>, report: ReportRule, index: number): false {
  if (open.size > 0) {
    report("missing_tool_result", "messages", index);
    open.clear();
  }
  return false;
}

function readBlock(stored: unknown, role: string, claude: boolean): Block {
  if (typeof stored === "string") return { type: "text", text: stored };
  if (!isObject(stored)) return stored as Block;
  const block = strip(stored);
  if (isText(block)) return textBlock(block.text as string, block);
  if (hasNewType(block)) return role === "user" ? opaqueMedia(block) : opaqueThought(block);
  if (role === "user" && isMedia(block, USER_MEDIA, claude)) return opaqueMedia(block);
  if (role === "assistant") {
    if (isServerBlock(block, claude) || isThinking(block)) return opaqueThought(block);
    if (block.type === "tool_use") return callBlock(block.id, block.name, block.input, block);
    if (block.type === "thinking") return textBlock(thoughtInWords(readText(block.thinking)));
  }
  return sayPicture(block, claude) ?? markedText(block) ?? (block as Block);
}

/** Reads a result block; the message keeps the raw block for fields such as cache_control. */
function readResultBlock(stored: JsonObject, claude: boolean): BodyMessage {
  const block = strip(stored);
  const { content } = block;
  const parts: unknown[] = Array.isArray(content) ? content : content === undefined || content === "" ? [] : [content];
  const blocks = parts.map((item) => {
    if (!isObject(item)) return typeof item === "string" ? { type: "text", text: item } : item;
    const part = strip(item);
    if (isText(part)) return textBlock(part.text as string, part);
    return isMedia(part, RESULT_MEDIA, claude) || hasNewType(part)
      ? opaqueMedia(part)
      : (sayPicture(part, claude) ?? part);
  });
  return resultMessage(block.tool_use_id, undefined, blocks, block.is_error === true, block);
}

function readBody(body: JsonObject, target: Target): BodyMessage[] {
  const items = toItems(body.messages);
  const messages = keepMarks(items);
  const ofServer = idsOfServer(messages);
  const noInstructions = takesNoInstructions(target);
  const claude = isClaude(target);
  const read = (message: unknown): BodyMessage[] => {
    if (!isObject(message)) return [message as BodyMessage];
    const result = wholeResult(message);
    if (result) return [result];
    const own = message.role === "system" && !noInstructions ? pick(message, MESSAGE_FIELDS) : message;
    if (own.role === "system" && !noInstructions && areInstructions(own, new SoundnessWalk()))
      return [{ role: "user", content: [opaqueMedia(own)] } as BodyMessage];
    const role = isAssistantRole(message.role) ? "assistant" : "user";
    const content = [...listContent(message), ...callsBeside(message)];
    const isOfServer = (block: unknown): boolean =>
      role === "user" && isObject(block) && block.type === "tool_result" && ofServer.has(block.tool_use_id);
    const isResult = (block: unknown): block is JsonObject =>
      role === "user" && isObject(block) && block.type === "tool_result" && !isOfServer(block);
    const results = content.filter(isResult);
    const rest = content
      .filter((block: unknown) => !isResult(block))
      .map((block: unknown) => (isOfServer(block) ? textBlock(readText(block)) : readBlock(block, role, claude)));
    const said: BodyMessage[] = rest.length > 0 || results.length === 0 ? [{ role, content: rest }] : [];
    return [...results.map((block) => readResultBlock(block, claude)), ...said];
  };
  return withJoinedCallers(
    messages.flatMap((message, index) => placed(read(message), index, message, message !== items[index])),
  );
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
  const picture = readPicture(block);
  if (picture) return [{ type: "image", source: { type: "base64", media_type: picture.mimeType, data: picture.data } }];
  const text = blockText(block);
  return isBlank(text) ? [] : [{ type: "text", text }];
}

function writeResult(result: BodyMessage, claude: boolean): JsonObject {
  const raw = result[RAW];
  if (
    raw &&
    isUntouched(result) &&
    isToolResult(raw, claude, new SoundnessWalk()) &&
    raw.tool_use_id === result.toolCallId
  )
    return raw;
  const content = (result.content as Block[]).flatMap(writeBlock);
  return {
    ...(raw?.cache_control ? { cache_control: raw.cache_control } : {}),
    type: "tool_result",
    tool_use_id: result.toolCallId,
    content: content.length > 0 ? content : "(no output)",
    ...(result.isError === true ? { is_error: true } : {}),
  };
}

/** How many passes settle a body; in the last one all remaining calls and results of server tools become text. */
const SETTLING_PASSES = 4;

/**
 * Ends content that ends with thinking, which the API refuses, with its calls, or with a text where it has none;
 * thinking must not be changed.
 */
function closeThought(content: JsonObject[]): JsonObject[] {
  const last = content.at(-1);
  if (!last || !isThought(last)) return content;
  const calls = content.filter(({ type }) => type === "tool_use");
  return calls.length > 0
    ? [...content.filter(({ type }) => type !== "tool_use"), ...calls]
    : [...content, { type: "text", text: CUT_OFF_TEXT }];
}

function writeBody(messages: readonly BodyMessage[], body: JsonObject, target: Target, part?: Part): unknown {
  const claude = isClaude(target);
  // What stands in the midst may end in white space.
  const ended = (list: SentMessage[]): SentMessage[] =>
    part && !part.isEnd ? list : endedFor(list, !part && mayNotEnd(body, target));
  let said: SentMessage[] = toTurns(messages).flatMap(({ role, results, blocks }) =>
    withInstructions(role, [...results.map((result) => writeResult(result, claude)), ...blocks.flatMap(writeBlock)]),
  );
  // Turning a block into text can create a new violation: it can end a paused turn, or change neighbours.
  for (let pass = 0; pass < SETTLING_PASSES; pass++) {
    const settled = settleServerTools(ended(said), claude, pass === SETTLING_PASSES - 1);
    if (settled === undefined) break;
    said = settled.filter(({ content }) => !Array.isArray(content) || content.length > 0);
  }
  const written = said
    .map((message) =>
      message.role === "assistant" ? { ...message, content: closeThought(message.content as JsonObject[]) } : message,
    )
    .filter(({ content }) => !Array.isArray(content) || content.length > 0);
  const opening = { role: "user", content: userTurn(OPENING_TEXT).blocks };
  if (part) return ended(written);
  if (written.length === 0) return [opening];
  return ended(written[0]!.role === "assistant" && beginsWithUser(target) ? [opening, ...written] : written);
}

/** Makes a message of blocks; instructions among them are messages of their own. */
function withInstructions(role: string, blocks: readonly JsonObject[]): SentMessage[] {
  const messages: SentMessage[] = [];
  let content: JsonObject[] | undefined;
  for (const block of blocks) {
    if (block.role === "system") {
      messages.push(block as JsonObject & SentMessage);
      content = undefined;
    } else if (content) content.push(block);
    else messages.push({ role, content: (content = [block]) });
  }
  return messages;
}

/**
 * Ends a history that ends with the assistant: a user message is added where the model does not continue an answer,
 * else white space at the end is left out. A paused turn ends as it is.
 */
function endedFor(messages: SentMessage[], isFault: boolean): SentMessage[] {
  const last = messages.at(-1);
  if (last?.role !== "assistant" || isPaused(messages)) return messages;
  if (isFault) return [...messages, { role: "user", content: userTurn(CONTINUE_TEXT).blocks }];
  if (!endsBlank(last)) return messages;
  const blocks = last.content as JsonObject[];
  const text = (readLastText(last) as string).trimEnd();
  return [...messages.slice(0, -1), { ...last, content: [...blocks.slice(0, -1), { ...blocks.at(-1), text }] }];
}

/** Anthropic Messages, and compatible servers. */
export const anthropic: Dialect = {
  field: "messages",
  limits: () => ANTHROPIC_LIMITS,
  check: checkBody,
  read: readBody,
  write: writeBody,
};
