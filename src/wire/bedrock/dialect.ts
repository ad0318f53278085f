/** Bedrock's Converse: the rules that a body breaks, and a body that breaks none. */
import { isBlank, isObject, type JsonObject } from "../../transcript/json/json.ts";
import type { SoundnessWalk } from "../../transcript/json/soundness-walk.ts";
import { OPENING_TEXT } from "../../transcript/repair.ts";
import {
  callBlock,
  collector,
  isUntouched,
  opaqueMedia,
  opaqueThought,
  readPicture,
  placed,
  RAW,
  resultMessage,
  textBlock,
  thoughtInWords,
  blockText,
  type Block,
  type BodyMessage,
  type Dialect,
  type Part,
} from "../model.ts";
import { callsBeside, listContent, isAssistantRole, toItems, wholeResult } from "../foreign.ts";
import type { Target } from "../target.ts";
import { CONTINUE_TEXT, toTurns } from "../turns.ts";
import {
  limitsFor,
  USER_BLOCKS,
  ASSISTANT_BLOCKS,
  RESULT_BLOCKS,
  blockKind,
  isText,
  isOpaque,
  isBlankText,
  saysMore,
  isServerCall,
  isClaude,
  isToolResult,
  isKnown,
} from "./blocks.ts";
import {
  beginsWithUser,
  familyRules,
  keepCachePoints,
  keepRules,
  mayNotEnd,
  reportRules,
  takesTurns,
} from "./families.ts";

/** The calls of a message without any; nothing is added. */
const NONE = new Set<string>();

/** True for the fields that the rules look at themselves. */
function isShown(field: string): boolean {
  return field === "role" || field === "content";
}

function checkBody(body: JsonObject, target: Target, walk: SoundnessWalk): ReturnType<Dialect["check"]> {
  const { violations, report } = collector();
  const { messages } = body;
  if (!Array.isArray(messages)) return [{ rule: "history_type", path: "messages" }];
  if (messages.length === 0) return [{ rule: "history_empty", path: "messages" }];
  const claude = isClaude(target.model);
  const rules = familyRules(target.model);
  const used = new Set<string>();
  const { id: idPattern } = limitsFor(target.model);
  const alternating = takesTurns(target);
  const hasOwnTools = target.model === "" || /nova/i.test(target.model);
  const hasRules = rules.alone || rules.light || rules.callsLast;
  let open = NONE;
  let caller = 0;
  let lastRole: unknown;
  for (let index = 0; index < messages.length; index++) {
    const message: unknown = messages[index];
    if (!isObject(message) || (message.role !== "user" && message.role !== "assistant")) {
      report("role", "messages", index);
      continue;
    }
    const { role, content } = message;
    if (index === 0 && role !== "user" && beginsWithUser(target)) report("first_role", "messages", index);
    if (alternating && role === lastRole) report("role_order", "messages", index);
    lastRole = role;
    if (!Array.isArray(content) || content.length === 0) {
      report("empty_message", "messages", index);
      continue;
    }
    walk.fields(message, isShown);
    let asked = NONE;
    let head = role === "user";
    const ofServer = hasOwnTools && role === "assistant" ? serverIds(content) : NONE;
    let isSaid: boolean | undefined;
    for (let at = 0; at < content.length; at++) {
      const block: unknown = content[at];
      if (ofServer.size > 0 && isOfServer(block, ofServer)) {
        walk.value(block);
        continue;
      }
      if (!isKnown(block, role, claude, walk) && !(isBlankText(block) && (isSaid ??= content.some(saysMore)))) {
        report("invalid_block", "messages", index, "content", at);
        continue;
      }
      const { toolUse, toolResult } = block as JsonObject;
      if (isObject(toolUse)) {
        const id = toolUse.toolUseId as string;
        if (!idPattern.test(id)) report("invalid_block", "messages", index, "content", at);
        if (used.has(id)) report("duplicate_tool_use_id", "messages", index, "content", at);
        used.add(id);
        if (asked === NONE) asked = new Set();
        asked.add(id);
      } else if (isObject(toolResult)) {
        if (!head || !open.delete(toolResult.toolUseId as string))
          report("unexpected_tool_result", "messages", index, "content", at);
      } else head = false;
    }
    if (hasRules) reportRules(role, content.filter(isObject), rules, (rule) => report(rule, "messages", index));
    if (open.size > 0) report("missing_tool_result", "messages", caller);
    open = asked;
    caller = index;
  }
  if (open.size > 0) report("missing_tool_result", "messages", caller);
  if (lastRole === "assistant" && mayNotEnd(body, target)) report("last_role", "messages", messages.length - 1);
  return violations;
}

/** Returns the ids of the calls in a message that the server ran itself. */
function serverIds(content: readonly unknown[]): Set<string> {
  return new Set(
    content.filter(isServerCall).map((block) => ((block as JsonObject).toolUse as JsonObject).toolUseId as string),
  );
}

/** True for a server's call, and for its result. */
function isOfServer(block: unknown, ids: ReadonlySet<string>): boolean {
  if (isServerCall(block)) return true;
  return isObject(block) && isObject(block.toolResult) && ids.has(block.toolResult.toolUseId as string);
}

function readPart(part: unknown, opaque: readonly string[]): unknown {
  if (!isObject(part)) return typeof part === "string" ? { type: "text", text: part } : part;
  if (isText(part)) return textBlock(part.text as string, part);
  if (isOpaque(part, opaque)) return opaqueMedia(part);
  return typeof part.text === "string" && blockKind(part) === "text" ? { type: "text", text: part.text } : part;
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
      : textBlock(thoughtInWords(reasoning.text));
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

function isNothing(block: unknown): boolean {
  return isObject(block) && blockKind(block) === "text" && typeof block.text === "string" && isBlank(block.text);
}

function isResultBlock(block: unknown): block is JsonObject {
  return isObject(block) && isObject(block.toolResult);
}

function readBody(body: JsonObject, target: Target): BodyMessage[] {
  const items = toItems(body.messages);
  const messages = keepCachePoints(items, isNothing);
  const isWhole = messages.length === items.length;
  const claude = isClaude(target.model);
  const read = (message: unknown): BodyMessage[] => {
    if (!isObject(message)) return [message as BodyMessage];
    const result = wholeResult(message);
    if (result) return [result];
    const role = isAssistantRole(message.role) ? "assistant" : "user";
    const content = [...listContent(message).flatMap(byKind), ...callsBeside(message)];
    if (role === "assistant") {
      const ofServer = serverIds(content);
      const readBlock = (block: unknown): Block =>
        isOfServer(block, ofServer) ? opaqueThought(block as JsonObject) : readAssistantBlock(block, claude);
      return [{ role, content: content.map(readBlock) } as BodyMessage];
    }
    const rest = content.filter((block) => !isResultBlock(block)).map((block) => readPart(block, USER_BLOCKS));
    const ownMessage: BodyMessage[] = rest.length > 0 ? [{ role, content: rest }] : [];
    return [...content.filter(isResultBlock).map(readResult), ...ownMessage];
  };
  return messages.flatMap((message, index) =>
    isWhole ? placed(read(message), index, message, message !== items[index]) : read(message),
  );
}

function writeBlock(block: Block): JsonObject[] {
  const raw = block[RAW];
  if (block.type === "toolCall") {
    const { id, name, arguments: input } = block;
    const use = raw?.toolUse;
    if (
      raw &&
      blockKind(raw) === "toolUse" &&
      isObject(use) &&
      use.toolUseId === id &&
      use.name === name &&
      use.input === input
    )
      return [raw];
    return [{ toolUse: { toolUseId: id, name, input } }];
  }
  if (raw) return [raw];
  const picture = readPicture(block);
  if (picture) return [{ image: { format: picture.mimeType.slice("image/".length), source: { bytes: picture.data } } }];
  const text = blockText(block);
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

function writeBody(messages: readonly BodyMessage[], body: JsonObject, target: Target, part?: Part): unknown {
  const turns = toTurns(messages);
  const opening = { role: "user", content: [{ text: OPENING_TEXT }] };
  const written: JsonObject[] = [];
  for (const { role, results, blocks } of turns) {
    const content = [...results.map(writeResult), ...blocks.flatMap(writeBlock)];
    const last = written.at(-1);
    // toTurns starts a new turn for results behind text; Bedrock must not get two user messages in a row.
    if (last?.role === role) for (const block of content) (last.content as JsonObject[]).push(block);
    else written.push({ role, content });
  }
  if (part) return keepRules(written, familyRules(target.model));
  if (written.length === 0) return [opening];
  if (written[0]!.role === "assistant" && beginsWithUser(target)) written.unshift(opening);
  if (written.at(-1)!.role === "assistant" && mayNotEnd(body, target))
    written.push({ role: "user", content: [{ text: CONTINUE_TEXT }] });
  return keepRules(written, familyRules(target.model));
}

/** Bedrock Converse. */
export const bedrock: Dialect = {
  field: "messages",
  limits: ({ model }) => limitsFor(model),
  check: checkBody,
  read: readBody,
  write: writeBody,
};
