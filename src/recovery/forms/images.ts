/** Finds pictures and files in any API's form, and names them by their bytes. */
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { shortId } from "../../transcript/json/hash.ts";

/** Shorter texts are no image. */
const MIN_LENGTH = 40;
const SAMPLE = 400;
/** A part of a body has its image at most so deep: a result's content, its source, its data. */
const MAX_DEPTH = 8;

const PICTURES: ReadonlySet<unknown> = new Set(["image", "image_url", "input_image"]);
const FILES: ReadonlySet<unknown> = new Set(["document", "file", "input_file", "video", "audio", "input_audio"]);

/** True for a picture, in any API's form that names its type. */
export function isPicture(block: unknown): block is JsonObject {
  return isObject(block) && PICTURES.has(block.type);
}

/**
 * True for a picture or a file, in any API's form that names its type. A document of plain words is none: they can be
 * sent as text, and are not to be lost with the files.
 */
export function isPictureOrFile(block: unknown): block is JsonObject {
  if (!isObject(block)) return false;
  return PICTURES.has(block.type) || (FILES.has(block.type) && !isOfWords(block));
}

function isOfWords({ source }: JsonObject): boolean {
  return isObject(source) && (source.type === "text" || source.type === "content");
}

/**
 * Returns what identifies a picture or file in OpenClaw's form, with its bytes in the block, or in Anthropic's, with
 * them in its source; undefined for anything else.
 */
export function imageKey(block: unknown): string | undefined {
  if (!isPictureOrFile(block)) return undefined;
  const data = block.data ?? (isObject(block.source) ? block.source.data : undefined);
  return typeof data === "string" ? hashImage(data) : undefined;
}

/** True when a message in OpenClaw's form has an image. */
export function hasImage(message: unknown): boolean {
  return (
    isObject(message) &&
    Array.isArray(message.content) &&
    (message.content as unknown[]).some((block) => isObject(block) && block.type === "image")
  );
}

/** Returns the keys of all images in a part of a request body, in any API's form that holds them as base64. */
export function imageKeysIn(part: unknown): Set<string> {
  const keys = new Set<string>();
  collect(part, keys, 0);
  return keys;
}

function collect(value: unknown, keys: Set<string>, depth: number): void {
  if (typeof value === "string") {
    if (value.length >= MIN_LENGTH) keys.add(hashImage(value));
  } else if (depth < MAX_DEPTH && Array.isArray(value)) for (const item of value) collect(item, keys, depth + 1);
  else if (depth < MAX_DEPTH && isObject(value))
    for (const item of Object.values(value)) collect(item, keys, depth + 1);
}

/** Samples only: an image has megabytes, and two of one length that are the same in all samples are the same. */
function hashImage(data: string): string {
  const comma = data.startsWith("data:") ? data.slice(0, 200).indexOf(",") + 1 : 0;
  const { length } = data;
  const middle = comma + Math.floor((length - comma) / 2);
  const samples = [data.slice(comma, comma + SAMPLE), data.slice(middle, middle + SAMPLE), data.slice(-SAMPLE)];
  return shortId(`${length - comma} ${samples.join(" ")}`);
}
