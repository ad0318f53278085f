import { isObject } from "../../transcript/json/json.ts";
import { isPicture } from "./images.ts";

/** The characters of base64 that hold the size of a JPEG, behind a thumbnail and a colour profile. */
const MAX_HEAD = 262_144;
/** The characters of base64 that hold the size of a picture in any other format. */
const HEAD = 64;

/** Returns the base64 of a picture, in OpenClaw's form or Anthropic's, or its URL; undefined for anything else. */
export function pictureData(block: unknown): string | undefined {
  if (!isPicture(block)) return undefined;
  const { source, image_url: url } = block;
  const data = isObject(source) ? source.data : isObject(url) ? url.url : (url ?? block.data);
  return typeof data === "string" ? data : undefined;
}

/**
 * Returns the longest side of a PNG, JPEG, GIF or WebP in pixels; undefined for anything else. Reads its beginning
 * only.
 */
export function longestSide(data: string): number | undefined {
  const from = data.startsWith("data:") ? data.slice(0, 200).indexOf(",") + 1 : 0;
  const head = Buffer.from(data.slice(from, from + HEAD), "base64");
  if (head.length < 30) return undefined;
  if (head.readUInt32BE(0) === 0x89504e47) return Math.max(head.readUInt32BE(16), head.readUInt32BE(20));
  const start = head.toString("latin1", 0, 16);
  if (start.startsWith("GIF8")) return Math.max(head.readUInt16LE(6), head.readUInt16LE(8));
  if (start.startsWith("RIFF") && start.slice(8, 12) === "WEBP") return sideOfWebp(head);
  return head[0] === 0xff && head[1] === 0xd8
    ? sideOfJpeg(Buffer.from(data.slice(from, from + MAX_HEAD), "base64"))
    : undefined;
}

function sideOfWebp(bytes: Buffer): number | undefined {
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8 ":
      return Math.max(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff);
    case "VP8L": {
      const bits = bytes.readUInt32LE(21);
      return Math.max((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
    }
    case "VP8X":
      return Math.max(bytes.readUIntLE(24, 3), bytes.readUIntLE(27, 3)) + 1;
    default:
      return undefined;
  }
}

/** The frame header of a JPEG comes behind segments that each say their length. */
function sideOfJpeg(bytes: Buffer): number | undefined {
  for (let at = 2; at + 9 < bytes.length;) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1]!;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return Math.max(bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7));
    if (marker === 0xff) at++;
    else at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
