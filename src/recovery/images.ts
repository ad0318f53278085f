import { isObject } from "../transcript/json/json.ts";
import { shortId } from "../transcript/json/hash.ts";

/** Shorter texts are no image. */
const MIN_LENGTH = 40;
const SAMPLE = 400;
/** A part of a body has its image at most so deep: a result's content, its source, its data. */
const MAX_DEPTH = 8;

/** Returns what identifies an image in OpenClaw's form; undefined for anything else. */
export function imageKeyOf(block: unknown): string | undefined {
  return isObject(block) && block.type === "image" && typeof block.data === "string" ? keyOf(block.data) : undefined;
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
    if (value.length >= MIN_LENGTH) keys.add(keyOf(value));
  } else if (depth < MAX_DEPTH && Array.isArray(value)) for (const item of value) collect(item, keys, depth + 1);
  else if (depth < MAX_DEPTH && isObject(value))
    for (const item of Object.values(value)) collect(item, keys, depth + 1);
}

/** Samples only: an image has megabytes, and two of one length that are the same in all samples are the same. */
function keyOf(data: string): string {
  const comma = data.startsWith("data:") ? data.slice(0, 200).indexOf(",") + 1 : 0;
  const { length } = data;
  const middle = comma + Math.floor((length - comma) / 2);
  const samples = [data.slice(comma, comma + SAMPLE), data.slice(middle, middle + SAMPLE), data.slice(-SAMPLE)];
  return shortId(`${length - comma} ${samples.join(" ")}`);
}
