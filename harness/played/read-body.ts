/** Reads request bodies of any API, for rules about them. */
import { isObject, type JsonObject } from "../providers/index.ts";

/** The conversation of a body, as its API lists it; system prompts that are messages are among them. */
export function readList(body: JsonObject): JsonObject[] {
  const list = body["messages"] ?? body["input"] ?? body["contents"];
  return Array.isArray(list) ? list.map((one: unknown) => (isObject(one) ? one : {})) : [];
}

/** The parts of a message: its blocks; none for a message that is a text. */
export function listParts(message: JsonObject): JsonObject[] {
  const parts = message["content"] ?? message["parts"];
  return Array.isArray(parts) ? parts.map((one: unknown) => (isObject(one) ? one : {})) : [];
}

/** The conversation as JSON text. */
export const bodyText = (body: JsonObject): string => JSON.stringify(readList(body));

/** An object of the conversation, and its path in it: `3.content.1.source`. */
export interface Found {
  path: string;
  value: JsonObject;
}

/** Every object of the conversation, in its order. */
export function objectsIn(body: JsonObject): Found[] {
  const found: Found[] = [];
  const left: [string, unknown][] = [["", readList(body)]];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [path, value] = next;
    if (typeof value !== "object" || value === null) continue;
    if (isObject(value)) found.push({ path, value });
    const below = Object.entries(value).toReversed();
    for (const [key, one] of below) left.push([path === "" ? key : `${path}.${key}`, one]);
  }
  return found;
}

/** The first object of the conversation of which this holds. */
export const findIn = (body: JsonObject, holds: (value: JsonObject) => boolean): Found | undefined =>
  objectsIn(body).find(({ value }) => holds(value));

const PICTURES = new Set(["image", "image_url", "input_image"]);

/** Whether it is a picture, in the form of any API. */
export const isPicture = (value: JsonObject): boolean =>
  PICTURES.has(String(value["type"])) || value["inlineData"] !== undefined || isObject(value["image"]);

export const hasPicture = (body: JsonObject): boolean => findIn(body, isPicture) !== undefined;
