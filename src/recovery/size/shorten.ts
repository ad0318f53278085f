/** Shortens one message: the middles of its texts, and its pictures, are left out. */
import { isObject, toJson, type JsonObject } from "../../transcript/json/json.ts";
import { isPlainTree } from "../../transcript/json/depth.ts";
import { mapChanged } from "../../transcript/json/list.ts";
import {
  isCallBlock,
  isResultBlock,
  isResultRole,
  readCall,
  readResult,
  withResultContent,
} from "../../transcript/read.ts";
import { changeBlocks } from "../forms/blocks.ts";
import { isPictureOrFile } from "../forms/images.ts";
import { LEFT_OUT_ARGUMENTS, LEFT_OUT_PICTURE, leftOutOfMessage, leftOutOfResult } from "../words.ts";
import { cutTexts, LEAST_CAP } from "./cut-texts.ts";

/** How much of a message is sent. */
export interface Form {
  /** The most characters of text of each tool result. */
  readonly results: number;
  /** The most characters of the message's own texts together, and of the arguments of each of its calls. */
  readonly words: number;
  /** How many pictures and files are replaced by words, from the first one on. */
  readonly withoutPictures: number;
}

/** The whole message. */
export const WHOLE: Form = { results: Infinity, words: Infinity, withoutPictures: 0 };

/** Texts in arguments that are not longer stay whole: paths and names are needed to read a call. */
const SHORT_ARGUMENT = 200;

/** The name of the only argument of a call whose arguments are left out. */
const LEFT_OUT = "left_out";

/**
 * Returns a message in this form: the middles of its texts are left out, said at their place. Arguments of calls stay
 * an object. Thinking, and what a provider has made and wants back unchanged, is not touched. The same object when
 * nothing changes. Deterministic.
 */
export function shorten(message: unknown, form: Form): unknown {
  if (!isObject(message)) return message;
  const bare = form.withoutPictures > 0 ? withoutFirstPictures(message, form.withoutPictures) : message;
  if (isResultRole(bare.role)) return shortResult(bare, form.results);
  if (!Array.isArray(bare.content)) {
    const content = shortContent(bare.content, form.words, leftOutOfMessage);
    return content === bare.content ? bare : { ...bare, content };
  }
  const parts = mapChanged(bare.content as unknown[], (block) => {
    if (isResultBlock(block)) return shortResult(block, form.results);
    return isCallBlock(block) ? shortCall(block, form.words) : block;
  });
  const content = shortContent(parts, form.words, leftOutOfMessage);
  return content === bare.content ? bare : { ...bare, content };
}

function withoutFirstPictures(message: JsonObject, count: number): JsonObject {
  let remaining = count;
  return changeBlocks(message, (block) =>
    isPictureOrFile(block) && remaining-- > 0 ? { type: "text", text: LEFT_OUT_PICTURE } : block,
  ) as JsonObject;
}

function shortResult(source: JsonObject, cap: number): JsonObject {
  const { content } = readResult(source);
  const short = shortContent(content, cap, leftOutOfResult);
  return short === content ? source : withResultContent(source, short);
}

/** Shortens a text, or the text blocks of a list together; the same value when they are short enough. */
function shortContent(content: unknown, cap: number, leftOut: (count: number) => string): unknown {
  if (typeof content === "string") return cutTexts([content], cap, leftOut)?.[0] ?? content;
  if (!Array.isArray(content)) return content;
  const blocks = content as unknown[];
  const texts = cutTexts(
    blocks.filter(isText).map(({ text }) => text),
    cap,
    leftOut,
  );
  if (!texts) return content;
  let next = 0;
  const out: unknown[] = [];
  for (const block of blocks) {
    if (!isText(block)) {
      out.push(block);
      continue;
    }
    const text = texts[next++];
    if (text !== undefined) out.push(text === block.text ? block : { ...block, text });
  }
  return out;
}

function isText(block: unknown): block is JsonObject & { text: string } {
  return isObject(block) && block.type === "text" && typeof block.text === "string";
}

/** Shortens the long texts in the arguments of a call; leaves the arguments out where they are long without them. */
function shortCall(block: JsonObject, cap: number): JsonObject {
  const { arguments: given } = readCall(block);
  const key = ["arguments", "input", "args"].find((name) => block[name] === given);
  if (key === undefined || !isObject(given) || cap === Infinity) return block;
  const json = toJson(given);
  if (json.length <= cap) return block;
  const short = isPlainTree(given) ? shortTexts(json, cap) : undefined;
  return { ...block, [key]: short && toJson(short).length <= 2 * cap ? short : { [LEFT_OUT]: LEFT_OUT_ARGUMENTS } };
}

function shortTexts(json: string, cap: number): unknown {
  let long = 0;
  JSON.parse(json, (_, value: unknown) => {
    if (typeof value === "string" && value.length > SHORT_ARGUMENT) long++;
    return value;
  });
  const share = Math.max(Math.floor(cap / Math.max(long, 1)), LEAST_CAP);
  return JSON.parse(json, (_, value: unknown) =>
    typeof value === "string" ? (cutTexts([value], share, leftOutOfMessage)?.[0] ?? value) : value,
  );
}
