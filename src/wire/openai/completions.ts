/** OpenAI Chat Completions, and compatible servers: the rules that a body breaks, and a body that breaks none. */
import { isBlank, isObject, toArguments, toJson, type JsonObject } from "../../transcript/json/json.ts";
import type { SoundnessWalk } from "../../transcript/json/soundness-walk.ts";
import { OPENING_TEXT } from "../../transcript/repair.ts";
import { readText } from "../../transcript/json/text.ts";
import {
  callBlock,
  collector,
  isArgumentsText,
  isUntouched,
  opaqueMedia,
  opaqueThought,
  pick,
  readPicture,
  placed,
  RAW,
  resultMessage,
  textBlock,
  blockText,
  type Block,
  type BodyMessage,
  type Dialect,
  type Part,
} from "../model.ts";
import { callsBeside, listContent, isAssistantRole, toItems, wholeResult } from "../foreign.ts";
import { CONTINUE_TEXT, toTurns, userTurn, type Turn } from "../turns.ts";
import type { Target } from "../target.ts";
import { joinFields, withoutWordsBeside, wordsBeside } from "./beside.ts";
import {
  AFTER_TOOLS_TEXT,
  strip,
  isAlternating,
  isResultPart,
  chooseLeniency,
  limitsFor,
  mayNotEnd,
  speaksAfterTools,
  wantsReasoning,
  isTextPart,
  isInstructionPart,
  isUserPart,
  isAssistantPart,
  isToolContent,
  isSystem,
  isMessage,
  saysNothing,
  type KnownFields,
  type Leniency,
} from "./completions-messages.ts";

function checkBody(body: JsonObject, target: Target, walk: SoundnessWalk): ReturnType<Dialect["check"]> {
  const { violations, report } = collector();
  const { messages } = body;
  if (!Array.isArray(messages)) return [{ rule: "history_type", path: "messages" }];
  if (messages.length === 0) return [{ rule: "history_empty", path: "messages" }];
  const limits = limitsFor(target);
  const lenient = chooseLeniency(target);
  const alternating = isAlternating(target);
  const afterTools = speaksAfterTools(target);
  const reasoning = wantsReasoning(body, target, messages);
  const used = new Set<string>();
  const open = new Set<string>();
  let caller = 0;
  let last: JsonObject | undefined;
  for (let index = 0; index < messages.length; index++) {
    const message: unknown = messages[index];
    if (!isObject(message) || !isMessage(message, limits, lenient, walk)) {
      report("invalid_message", "messages", index);
      // Its calls would be missed only because of its own fault.
      noteCalls(message, open);
      continue;
    }
    if (isSystem(message)) {
      // Results must come directly behind the calls.
      if (open.size > 0) report("missing_tool_result", "messages", caller);
      continue;
    }
    const { role } = message;
    if (role === "tool") {
      if (!open.delete(message.tool_call_id as string)) report("unexpected_tool_result", "messages", index);
    } else {
      if (open.size > 0) report("missing_tool_result", "messages", caller);
      open.clear();
      if (alternating && last === undefined && role !== "user") report("first_role", "messages", index);
      if (alternating && role === last?.role) report("role_order", "messages", index);
      if (afterTools && role === "user" && last?.role === "tool") report("role_order", "messages", index);
    }
    if (Array.isArray(message.tool_calls)) {
      caller = index;
      for (const { id } of message.tool_calls as { id: string }[]) {
        if (used.has(id)) report("duplicate_tool_call_id", "messages", index);
        used.add(id);
        open.add(id);
      }
      if (reasoning && open.size > 0 && typeof message.reasoning_content !== "string")
        report("reasoning_content", "messages", index);
    }
    last = message;
  }
  if (open.size > 0) report("missing_tool_result", "messages", caller);
  if (last === undefined ? target.neverPrefills : last.role === "assistant" && mayNotEnd(last, target))
    report("last_role", "messages", messages.length - 1);
  return violations;
}

/** Adds the ids of the calls of a message that is at fault itself. */
function noteCalls(message: unknown, open: Set<string>): void {
  if (!isObject(message) || message.role !== "assistant" || !Array.isArray(message.tool_calls)) return;
  for (const call of message.tool_calls as unknown[])
    if (isObject(call) && typeof call.id === "string") open.add(call.id);
}

function readContent(
  content: readonly unknown[],
  isPart: (part: unknown, lenient: Leniency) => part is JsonObject,
  lenient: Leniency,
): unknown[] {
  return content.map((stored) => {
    if (typeof stored === "string") return { type: "text", text: stored };
    const part = isObject(stored) ? inObject(strip(stored)) : stored;
    if (isTextPart(part)) return textBlock(part.text as string, part);
    if (!isPart(part, lenient)) return part;
    if (part.type === "refusal") return textBlock(part.refusal as string, part);
    // Only a thought is opaque in a message of the assistant.
    return isPart === isAssistantPart ? opaqueThought(part) : opaqueMedia(part);
  });
}

/** Puts the address of a picture into an object, as all servers take it. */
function inObject(part: JsonObject): JsonObject {
  return part.type === "image_url" && typeof part.image_url === "string"
    ? { ...part, image_url: { url: part.image_url } }
    : part;
}

function readCall(call: unknown): unknown {
  if (!isObject(call)) return call;
  const called = isObject(call.function) ? call.function : isObject(call.custom) ? call.custom : call;
  return callBlock(call.id, called.name, toArguments(called.arguments ?? called.input), call);
}

function readBody(body: JsonObject, target: Target): BodyMessage[] {
  const lenient = chooseLeniency(target);
  const items = toItems(body.messages);
  /** The last call of a function, which has no id, and the id that it is read with. */
  let called: { name: unknown; id: string } | undefined;
  const read = (message: unknown, index: number): BodyMessage => {
    if (!isObject(message)) return message as BodyMessage;
    const { role } = message;
    const result = wholeResult(message);
    if (result && role !== "tool" && role !== "function") return result;
    const content = listContent(message);
    if (result) {
      const parts = readContent(content, isResultPart, lenient);
      const id = message.tool_call_id ?? (called?.name === message.name ? called?.id : undefined);
      return resultMessage(id, message.name, parts, false, pick(message, lenient.fields.message));
    }
    if (isAssistantRole(role)) {
      // Blank text beside calls is no content.
      const said = content.filter((part) => typeof part !== "string" || !isBlank(part));
      const parts = readContent(said, isAssistantPart, lenient);
      const calls = callsBeside(message).map(readCall);
      const { function_call: call } = message;
      if (isObject(call)) {
        called = { name: call.name, id: `function${index}` };
        calls.push(readCall({ id: called.id, function: call }));
      }
      const isSilent = parts.length === 0 && calls.length === 0;
      return {
        role: "assistant",
        content: isSilent ? wordsBeside(message) : [...parts, ...calls],
        [RAW]: withoutWordsBeside(message, lenient.fields.message, isSilent),
      } as BodyMessage;
    }
    if (isSystem(message)) return { role: "user", content: readInstructions(message, lenient) } as BodyMessage;
    if (saysNothing(message, lenient))
      return { role: "user", content: [opaqueMedia(pick(message, lenient.fields.message))] } as BodyMessage;
    return { role: "user", content: readContent(content, isUserPart, lenient) } as BodyMessage;
  };
  return items.flatMap((item, index) => placed([read(item, index)], index, item));
}

/** Reads instructions, which stay instructions where they are; what is no text of them is read as a user's. */
function readInstructions(message: JsonObject, lenient: Leniency): unknown[] {
  const picked = pick(message, lenient.fields.message);
  if (typeof picked.content === "string") return isBlank(picked.content) ? [] : [opaqueMedia(picked)];
  const parts = listContent(message).map((part) => (isObject(part) ? strip(part) : part));
  const texts = parts.filter(isInstructionPart);
  const otherParts = parts.filter((part) => !isInstructionPart(part));
  return [
    ...(texts.length > 0 ? [opaqueMedia({ ...picked, content: texts })] : []),
    ...readContent(otherParts, isUserPart, lenient),
  ];
}

function writeCall(block: Block, known: KnownFields): JsonObject {
  const raw = block[RAW];
  const { id, name } = block;
  if (raw?.type === "custom" && isObject(raw.custom) && typeof raw.custom.input === "string")
    return raw.id === id ? raw : { ...raw, id };
  const called = raw?.function;
  const keepText = isObject(called) && isArgumentsText(called.arguments);
  const text = keepText ? called.arguments : toJson(block.arguments);
  const fields = isObject(called) ? pick(called, known.function) : {};
  const { custom: _custom, ...rest } = raw ? pick(raw, known.call) : {};
  return {
    ...rest,
    id,
    type: "function",
    function: { ...fields, name, arguments: text },
  };
}

/** Writes text and parts as content: a string, unless a part needs a list. */
function writeContent(blocks: readonly Block[]): unknown {
  if (blocks.every((block) => !block[RAW] && !readPicture(block))) return blocks.map(blockText).join("\n\n");
  return blocks.map((block) => {
    const picture = readPicture(block);
    if (picture) return { type: "image_url", image_url: { url: `data:${picture.mimeType};base64,${picture.data}` } };
    return block[RAW] ?? { type: "text", text: blockText(block) };
  });
}

function writeAssistant({ blocks, raws }: Turn, reasoning: boolean, known: KnownFields): JsonObject {
  const calls = blocks.filter((block) => block.type === "toolCall");
  const rest = blocks.filter((block) => block.type !== "toolCall");
  const fields = joinFields(raws);
  if (reasoning && calls.length > 0 && typeof fields.reasoning_content !== "string") fields.reasoning_content = "";
  return {
    ...fields,
    role: "assistant",
    content: rest.length > 0 ? writeContent(rest) : null,
    ...(calls.length > 0 ? { tool_calls: calls.map((call) => writeCall(call, known)) } : {}),
  };
}

/** Writes a result; pictures that it must not have are added to `picturesBehind`, behind the results of the turn. */
function writeResult(result: BodyMessage, lenient: Leniency, picturesBehind: Block[]): JsonObject {
  const raw = result[RAW];
  const fields = { ...(raw?.role === "tool" ? raw : {}), role: "tool", tool_call_id: result.toolCallId };
  if (raw?.role === "tool" && isUntouched(result) && isToolContent(raw.content, lenient))
    return { ...fields, content: raw.content };
  const blocks = result.content as Block[];
  const pictures = blocks.filter((block) => isPicture(block, lenient));
  if (pictures.length > 0 && lenient.resultPictures) return { ...fields, content: writeContent(blocks) };
  for (const picture of pictures) picturesBehind.push(picture);
  const texts = blocks.filter((block) => !pictures.includes(block)).map((block) => readText(block[RAW] ?? block));
  return { ...fields, content: texts.length > 0 ? texts.join("\n") : pictures.length > 0 ? PICTURE_BEHIND : "" };
}

/** Text of a result whose pictures follow in a user message. */
const PICTURE_BEHIND = "[The picture follows.]";

function isPicture(block: Block, lenient: Leniency): boolean {
  const raw = block[RAW];
  return readPicture(block) !== undefined || (raw?.type === "image_url" && isUserPart(raw, lenient));
}

function writeUser(blocks: readonly Block[]): JsonObject[] {
  const messages: JsonObject[] = [];
  let said: Block[] = [];
  const end = (): void => {
    if (said.length > 0) messages.push({ role: "user", content: writeContent(said) });
    said = [];
  };
  for (const block of blocks) {
    // Whole messages: instructions, and those that say nothing.
    if (block[RAW]?.role !== undefined) {
      end();
      messages.push(block[RAW]);
    } else said.push(block);
  }
  end();
  return messages;
}

function writeBody(messages: readonly BodyMessage[], body: JsonObject, target: Target, part?: Part): unknown {
  const stored: unknown[] = Array.isArray(body.messages) ? body.messages : [];
  const lenient = chooseLeniency(target);
  const reasoning = wantsReasoning(body, target, stored);
  const written: JsonObject[] = [];
  for (const turn of toTurns(messages)) {
    if (turn.role === "assistant") {
      written.push(writeAssistant(turn, reasoning, lenient.fields));
      continue;
    }
    const picturesBehind: Block[] = [];
    for (const result of turn.results) written.push(writeResult(result, lenient, picturesBehind));
    const user = writeUser([...picturesBehind, ...turn.blocks]);
    if (speaksAfterTools(target) && written.at(-1)?.role === "tool" && !user.every(isSystem))
      written.push({ role: "assistant", content: AFTER_TOOLS_TEXT });
    for (const message of user) written.push(message);
  }
  if (part) return written;
  const last = written.findLast((message) => !isSystem(message));
  const isOpen =
    last === undefined
      ? target.neverPrefills || written.length === 0
      : last.role === "assistant" && mayNotEnd(last, target);
  if (isOpen) written.push(...writeUser(userTurn(last === undefined ? OPENING_TEXT : CONTINUE_TEXT).blocks));
  return isAlternating(target) ? inTurn(written) : written;
}

/**
 * Puts the user before an assistant message where it has to speak, and joins its messages with only instructions
 * between.
 */
function inTurn(messages: readonly JsonObject[]): JsonObject[] {
  const joined: JsonObject[] = [];
  let lastUser = -1;
  /** The parts of the last user message, once it is one of several. */
  let parts: unknown[] | undefined;
  let lastRole: unknown;
  for (const message of messages) {
    if (message.role === "assistant" && (lastRole === undefined || lastRole === "assistant"))
      joined.push(...writeUser(userTurn(lastRole === undefined ? OPENING_TEXT : CONTINUE_TEXT).blocks));
    if (!isSystem(message)) lastRole = message.role;
    const before = message.role === "user" ? joined[lastUser] : undefined;
    if (before && typeof before.content === "string" && typeof message.content === "string") {
      joined[lastUser] = { ...before, content: `${before.content}\n\n${message.content}` };
    } else if (before) {
      parts ??= [...toParts(before.content)];
      for (const part of toParts(message.content)) parts.push(part);
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

function toParts(content: unknown): readonly unknown[] {
  return Array.isArray(content) ? content : [{ type: "text", text: content }];
}

/**
 * OpenAI Chat Completions and its many compatible servers. Rules of single makers apply by the target.
 */
export const completions: Dialect = {
  field: "messages",
  limits: limitsFor,
  check: checkBody,
  read: readBody,
  write: writeBody,
};
