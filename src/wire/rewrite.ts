import { isObject, type JsonObject } from "../transcript/json/json.ts";
import { hasNewField, hasNewType } from "../transcript/block-types.ts";
import { findDialect } from "./apis.ts";
import { heal, toTarget, type RequestOptions } from "./heal.ts";
import { FROM, RAW, textBlock, type Block, type BodyMessage } from "./model.ts";

/** The history of a request body in OpenClaw's form. */
export interface BodyHistory {
  /**
   * Without the instructions that the body begins with. Each result has the name of its tool; texts, pictures and files
   * are there to be read.
   */
  readonly messages: readonly BodyMessage[];
  /**
   * Returns the body with these messages in place of its own: `messages`, changed. What was not changed is sent as it
   * was, and no instruction is lost. The body is valid, see {@link heal}.
   */
  write(messages: readonly unknown[]): JsonObject;
}

/** Reads the history of a valid body; undefined for an unknown API. */
export function readHistory(api: string, body: JsonObject, options: RequestOptions = {}): BodyHistory | undefined {
  const dialect = findDialect(api);
  if (!dialect) return undefined;
  const { field } = dialect;
  const target = toTarget(body, options);
  const items = body[field] as readonly unknown[];
  const first = items.findIndex((item) => !isInstruction(item));
  const opening = items.slice(0, first < 0 ? items.length : first);
  const read = withToolNames(dialect.read({ ...body, [field]: items.slice(opening.length) }, target));
  /** What a message was before its texts were read. */
  const before = new Map<unknown, BodyMessage>();
  const messages = read.map((message) => {
    const readable = withWords(message);
    before.set(readable, message);
    return readable;
  });
  const blocks = new Map<unknown, Block>();
  for (const { content } of messages)
    for (const block of Array.isArray(content) ? (content as Block[]) : [])
      if (block[RAW]) blocks.set(block[RAW], block);
  return {
    messages,
    write(changed) {
      const kept = new Set(changed.map((message) => (isObject(message) ? message[FROM as never] : undefined)));
      const lost = messages.filter((message) => rawInstruction(message) && !kept.has(message[FROM] as never));
      const asRead = changed.map((message) => before.get(message) ?? withoutOldParts(message as BodyMessage, blocks));
      const written = dialect.write(asRead, body, target) as unknown[];
      return heal(api, { ...body, [field]: [...opening, ...lost.map(rawInstruction), ...written] }, options);
    },
  };
}

/** True for an item with rules for the model, which is no part of the conversation. */
export function isInstruction(item: unknown): boolean {
  return isObject(item) && (item.role === "system" || item.role === "developer");
}

/** The instruction of which a message was made that a dialect has no form for. */
function rawInstruction({ content }: BodyMessage): JsonObject | undefined {
  const raw = Array.isArray(content) && content.length === 1 ? (content[0] as Block)[RAW] : undefined;
  return isInstruction(raw) ? raw : undefined;
}

/** Takes from changed copies of blocks the part of the body that they were read from: that would be sent instead. */
function withoutOldParts(message: BodyMessage, given: ReadonlyMap<unknown, Block>): BodyMessage {
  const { content } = message;
  if (!Array.isArray(content)) return message;
  const isOld = (block: Block): boolean => {
    const before = given.get(block[RAW]);
    // A call with another id is still the call that a signature is about.
    return (
      before !== undefined && before !== block && (block.type !== "toolCall" || block.arguments !== before.arguments)
    );
  };
  return {
    ...message,
    content: (content as Block[]).map((block) => {
      if (!isOld(block)) return block;
      const { [RAW]: _part, ...own } = block;
      return own;
    }),
  };
}

/** Returns a message whose texts, pictures and files stand in its blocks where an API's reading has left them out. */
function withWords(message: BodyMessage): BodyMessage {
  const { content } = message;
  if (!Array.isArray(content) || !(content as Block[]).some(isPassedOver)) return message;
  return {
    ...message,
    content: (content as Block[]).flatMap((block) => (isPassedOver(block) ? readPassedOver(block) : [block])),
  };
}

function isPassedOver(block: Block): boolean {
  return block[RAW] !== undefined && block.type !== "text" && block.type !== "toolCall";
}

function readPassedOver(block: Block): Block[] {
  const raw = block[RAW]!;
  const { content } = raw;
  if (typeof raw.role !== "string") return [readPart(raw) ?? block];
  if (typeof content === "string") return [textBlock(content)];
  return Array.isArray(content) ? content.map((part: unknown) => (isObject(part) && readPart(part)) || block) : [block];
}

/** Parts of the APIs that name their types. */
const MEDIA = new Set(["image", "image_url", "input_image", "document", "file", "input_file", "input_audio"]);

/** Returns the block of a raw part that is a text, a picture or a file; undefined for any other. */
function readPart(raw: JsonObject): Block | undefined {
  const { type, text, refusal } = raw;
  if (hasNewType(raw) || (type === undefined && hasNewField(raw))) return { ...raw, [RAW]: raw };
  if (typeof type !== "string") return readUntyped(raw);
  if (typeof text === "string") return textBlock(text, raw);
  if (typeof refusal === "string") return textBlock(refusal, raw);
  return MEDIA.has(type) ? { ...raw, [RAW]: raw } : undefined;
}

/** Reads a part of Gemini or Bedrock, which name a part by its field; undefined for any other. */
function readUntyped(raw: JsonObject): Block | undefined {
  const { inlineData, image, fileData, document, video } = raw;
  const picture = isObject(inlineData)
    ? { data: inlineData.data, mimeType: inlineData.mimeType }
    : isObject(image) && { data: isObject(image.source) ? image.source.bytes : "", mimeType: `image/${image.format}` };
  if (picture && String(picture.mimeType).startsWith("image/")) return { type: "image", ...picture, [RAW]: raw };
  return isObject(inlineData ?? fileData ?? document ?? video) ? { type: "file", [RAW]: raw } : undefined;
}

/** Gives results the name of their tool: some APIs name it in the call alone. */
function withToolNames(messages: readonly BodyMessage[]): BodyMessage[] {
  const names = new Map<unknown, unknown>();
  return messages.map((message) => {
    if (message.role === "assistant")
      for (const block of Array.isArray(message.content) ? (message.content as unknown[]) : [])
        if (isObject(block) && block.type === "toolCall") names.set(block.id, block.name);
    const name = message.role === "toolResult" && !message.toolName ? names.get(message.toolCallId) : undefined;
    return name === undefined ? message : { ...message, toolName: name };
  });
}
