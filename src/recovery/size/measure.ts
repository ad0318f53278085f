/** Measures what messages hold of what is sent, against a budget. */
import { utf8Length } from "../../base/bytes.ts";
import { isObject, toJson } from "../../transcript/json/json.ts";
import { isPicture } from "../forms/images.ts";

/** How much a request holds. */
export interface Size {
  /** Characters of JSON, a picture counted as {@link PICTURE_CHARACTERS}: a measure of its tokens. */
  readonly characters: number;
  /** Bytes of JSON in UTF-8, pictures with all their base64: what servers and proxies limit. */
  readonly bytes: number;
  /** How many messages: a few APIs limit them. */
  readonly messages: number;
}

/** What a request may hold at most; no limit where a number is missing. */
export type Budget = Partial<Size>;

/** What the tokens of a picture are worth in text: providers count some 1,500 tokens, whatever its bytes. */
const PICTURE_CHARACTERS = 6000;

/** Role, braces and separators of a message. */
const AROUND = 40;

/** Fields of a message beside its content that are sent. */
const SENT = ["toolCallId", "toolName", "tool_call_id", "name", "tool_calls"] as const;

/** Returns what the messages hold of what is sent. Linear; never throws. */
export function measureMessages(messages: readonly unknown[]): Size {
  return sumSizes(messages.map(messageSize));
}

/** Returns the sum of sizes. */
export function sumSizes(sizes: readonly Size[]): Size {
  let characters = 0;
  let bytes = 0;
  let messages = 0;
  for (const size of sizes) {
    characters += size.characters;
    bytes += size.bytes;
    messages += size.messages;
  }
  return { characters, bytes, messages };
}

/** Returns what one message holds of what is sent. */
export function messageSize(message: unknown): Size {
  if (!isObject(message)) return textSize(toJson(message));
  const sizes = new Sum(AROUND);
  const { content } = message;
  for (const field of SENT) if (message[field] !== undefined) sizes.add(toJson(message[field]));
  if (Array.isArray(content)) addBlocks(content as unknown[], sizes);
  else sizes.add(toJson(content ?? message.summary ?? message.output));
  return sizes;
}

/** True where a request of this size is within the budget. */
export function isWithin({ characters, bytes, messages }: Size, budget: Budget): boolean {
  return (
    characters <= (budget.characters ?? Infinity) &&
    bytes <= (budget.bytes ?? Infinity) &&
    messages <= (budget.messages ?? Infinity)
  );
}

class Sum implements Size {
  characters: number;
  bytes: number;
  readonly messages = 1;
  constructor(start: number) {
    this.characters = start;
    this.bytes = start;
  }
  add(json: string, characters = json.length): void {
    this.characters += characters;
    this.bytes += utf8Length(json);
  }
}

/** Adds the sizes of blocks: in Anthropic's form a result holds blocks of its own, and pictures among them. */
function addBlocks(blocks: readonly unknown[], sizes: Sum): void {
  for (const block of blocks) {
    const inner = isObject(block) && Array.isArray(block.content) ? (block.content as unknown[]) : undefined;
    if (!inner?.some(isPicture)) {
      addBlock(block, sizes);
      continue;
    }
    sizes.add(toJson({ ...(block as object), content: [] }));
    for (const each of inner) addBlock(each, sizes);
  }
}

function addBlock(block: unknown, sizes: Sum): void {
  const json = toJson(block);
  sizes.add(json, isPicture(block) ? PICTURE_CHARACTERS : json.length + 1);
}

function textSize(json: string): Size {
  const sizes = new Sum(AROUND);
  sizes.add(json);
  return sizes;
}
