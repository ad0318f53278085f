import { isBlank, isObject, type JsonObject } from "../transcript/json.ts";
import { OPENING_TEXT } from "../transcript/repair.ts";
import { callBlock, collector, isUntouched, opaqueMedia, opaqueThought, pictureOf, RAW, resultMessage, textBlock, wordsOf, type Block, type BodyMessage, type Dialect } from "./model.ts";
import { endWithUser, toTurns } from "./turns.ts";
import { LIMITS, USER_BLOCKS, ASSISTANT_BLOCKS, RESULT_BLOCKS, kindOf, isText, isOpaque, isClaude, isToolResult, isKnown } from "./bedrock-blocks.ts";

function checkBody(body: JsonObject): ReturnType<Dialect["check"]> {
  const { violations, report } = collector();
  const { messages } = body;
  if (!Array.isArray(messages)) return [{ rule: "history_type", path: "messages" }];
  if (messages.length === 0) return [{ rule: "history_empty", path: "messages" }];
  const claude = isClaude(body);
  const used = new Set<string>();
  let open = new Set<string>();
  messages.forEach((message: unknown, index) => {
    const path = `messages.${index}`;
    if (!isObject(message) || (message.role !== "user" && message.role !== "assistant")) return report("role", path);
    const { role, content } = message;
    if (role !== (index % 2 === 0 ? "user" : "assistant")) report("role_order", path);
    if (!Array.isArray(content) || content.length === 0) return report("empty_message", path);
    const asked = new Set<string>();
    let head = role === "user";
    content.forEach((block: unknown, at) => {
      const where = `${path}.content.${at}`;
      if (!isKnown(block, role, claude)) return report("invalid_block", where);
      const { toolUse, toolResult } = block as JsonObject;
      if (isObject(toolUse)) {
        const id = toolUse.toolUseId as string;
        if (used.has(id)) report("duplicate_tool_use_id", where);
        used.add(id);
        asked.add(id);
      } else if (isObject(toolResult)) {
        if (!head || !open.delete(toolResult.toolUseId as string)) report("unexpected_tool_result", where);
      } else head = false;
      return undefined;
    });
    if (open.size > 0) report("missing_tool_result", path);
    open = asked;
    return undefined;
  });
  const last: unknown = messages.at(-1);
  if (isObject(last) && last.role === "assistant") report("last_role", `messages.${messages.length - 1}`);
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
  if (isObject(block.toolUse)) return callBlock(block.toolUse.toolUseId, block.toolUse.name, block.toolUse.input, block);
  if (isOpaque(block, ASSISTANT_BLOCKS, claude)) return opaqueThought(block);
  const reasoning = isObject(block.reasoningContent) ? block.reasoningContent.reasoningText : undefined;
  if (isObject(reasoning) && typeof reasoning.text === "string") {
    const unsigned = { reasoningContent: { reasoningText: { text: reasoning.text } } };
    return isOpaque(unsigned, ASSISTANT_BLOCKS, claude) ? opaqueThought(unsigned) : { type: "text", text: reasoning.text };
  }
  return readPart(block, []) as Block;
}

function isResultBlock(block: unknown): block is JsonObject {
  return isObject(block) && isObject(block.toolResult);
}

function readBody(body: JsonObject): BodyMessage[] {
  const messages: unknown[] = Array.isArray(body.messages) ? body.messages : [];
  const claude = isClaude(body);
  return messages.flatMap((message) => {
    if (!isObject(message)) return [message as BodyMessage];
    const role = message.role === "assistant" ? "assistant" : "user";
    const content: unknown[] = Array.isArray(message.content) ? message.content : [message.content];
    if (role === "assistant") return [{ role, content: content.map((block) => readAssistantBlock(block, claude)) } as BodyMessage];
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
    if (raw && isObject(use) && use.toolUseId === id && use.name === name && use.input === input) return [raw];
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
  if (raw && isUntouched(result) && isToolResult(raw) && (raw.toolResult as JsonObject).toolUseId === result.toolCallId) return raw;
  const content = (result.content as Block[]).flatMap(writeBlock);
  return {
    toolResult: {
      toolUseId: result.toolCallId,
      content: content.length > 0 ? content : [{ text: "(no output)" }],
      ...(result.isError === true ? { status: "error" } : {}),
    },
  };
}

function writeBody(messages: readonly BodyMessage[]): unknown {
  const turns = endWithUser(toTurns(messages));
  const written: JsonObject[] = [];
  for (const { role, results, blocks } of turns) {
    const content = [...results.map(writeResult), ...blocks.flatMap(writeBlock)];
    const last = written.at(-1);
    // Results behind text are a turn of their own in between; here that must not make two user messages in a row.
    if (last?.role === role) (last.content as JsonObject[]).push(...content);
    else written.push({ role, content });
  }
  return written.length > 0 ? written : [{ role: "user", content: [{ text: OPENING_TEXT }] }];
}

/** Bedrock Converse. */
export const bedrock: Dialect = { field: "messages", limits: () => LIMITS, check: checkBody, read: readBody, write: writeBody };
