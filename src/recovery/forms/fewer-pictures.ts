/** Replaces pictures and documents by words where a route takes fewer, smaller or none. */
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { mapChanged } from "../../transcript/json/list.ts";
import { NOT_TAKEN_DOCUMENT, NOT_TAKEN_MEDIA, TOO_LARGE_MEDIA, tooManyPicturesText } from "../words.ts";
import { blocksWithin, changeBlocks } from "./blocks.ts";
import { isPicture } from "./images.ts";
import { longestSide, pictureData } from "./picture-size.ts";

/** How many pictures a route takes in one request, and how large ones. */
export interface PictureLimits {
  /** The most pictures; 0 for a route that takes none. */
  readonly most?: number | undefined;
  /** Characters of base64. */
  readonly bytes?: number | undefined;
  /** Pixels of the longest side. */
  readonly pixels?: number | undefined;
  /** The longest side, in pixels, in a request with more than `above` pictures. */
  readonly ofMany?: { readonly pixels: number; readonly above: number } | undefined;
}

/** Types of blocks that hold a document, in OpenClaw's form and in those of the APIs. */
const DOCUMENTS: ReadonlySet<unknown> = new Set(["document", "file", "input_file"]);

/**
 * Replaces by words the pictures that are too large, and then the oldest ones of those that are too many. Returns the
 * same list when none are. Deterministic and idempotent; a picture whose size cannot be read is not too large.
 */
export function fewerPictures<T>(messages: T[], limits: PictureLimits): T[] {
  const pictures = picturesIn(messages);
  if (pictures.length === 0) return messages;
  const texts = limits.most === 0 ? new Map(pictures.map((one) => [one, NOT_TAKEN_MEDIA])) : leftOut(pictures, limits);
  return texts.size === 0 ? messages : replaceBlocks(messages, (block) => texts.get(block));
}

/** Replaces documents by words, by their own where they are plain text; the same list when there are none. */
export function withoutDocuments<T>(messages: T[]): T[] {
  return replaceBlocks(messages, (block) => (DOCUMENTS.has(block.type) ? documentText(block) : undefined));
}

/** Returns the words of a document of plain text, or those in the place of any other. */
export function documentText({ source }: JsonObject): string {
  const isPlain = isObject(source) && source.type === "text" && typeof source.data === "string";
  return isPlain ? (source.data as string) : NOT_TAKEN_DOCUMENT;
}

/** Returns how many pictures the messages have. */
export function countPictures(messages: readonly unknown[]): number {
  return picturesIn(messages).length;
}

function picturesIn(messages: readonly unknown[]): JsonObject[] {
  return messages.flatMap((message) => blocksWithin(message).filter(isPicture));
}

/** Returns the pictures to leave out, oldest first, each with the words in its place. */
function leftOut(pictures: readonly JsonObject[], limits: PictureLimits): Map<JsonObject, string> {
  const { most = Infinity, bytes = Infinity, pixels = Infinity, ofMany } = limits;
  const texts = new Map<JsonObject, string>();
  const sides = new Map<JsonObject, number>();
  for (const picture of pictures) {
    const data = pictureData(picture) ?? "";
    const side = pixels < Infinity || ofMany ? (longestSide(data) ?? 0) : 0;
    sides.set(picture, side);
    if (data.length > bytes || side > pixels) texts.set(picture, TOO_LARGE_MEDIA);
  }
  // Each one that goes makes the request one with fewer pictures: as soon as they are not many, larger ones may stay.
  for (const picture of ofMany ? pictures : []) {
    if (pictures.length - texts.size <= ofMany!.above) break;
    if (sides.get(picture)! > ofMany!.pixels) texts.set(picture, TOO_LARGE_MEDIA);
  }
  for (const picture of pictures) {
    if (pictures.length - texts.size <= most) break;
    if (!texts.has(picture)) texts.set(picture, tooManyPicturesText(most));
  }
  return texts;
}

function replaceBlocks<T>(messages: T[], toText: (block: JsonObject) => string | undefined): T[] {
  return mapChanged(
    messages,
    (message) =>
      changeBlocks(message, (block) => {
        const text = isObject(block) ? toText(block) : undefined;
        return text === undefined ? block : { type: "text", text };
      }) as T,
  );
}
