import { fromBase64 } from "../../base/bytes.ts";
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
  const head = viewOn(data.slice(from, from + HEAD));
  if (head.byteLength < 30) return undefined;
  if (head.getUint32(0) === 0x89504e47) return Math.max(head.getUint32(16), head.getUint32(20));
  const start = textAt(head, 0, 16);
  if (start.startsWith("GIF8")) return Math.max(head.getUint16(6, true), head.getUint16(8, true));
  if (start.startsWith("RIFF") && start.slice(8, 12) === "WEBP") return sideOfWebp(head);
  return head.getUint16(0) === 0xffd8 ? sideOfJpeg(viewOn(data.slice(from, from + MAX_HEAD))) : undefined;
}

function viewOn(base64: string): DataView {
  return new DataView(fromBase64(base64).buffer);
}

function textAt(bytes: DataView, from: number, to: number): string {
  let text = "";
  for (let at = from; at < to; at++) text += String.fromCharCode(bytes.getUint8(at));
  return text;
}

function sideOfWebp(bytes: DataView): number | undefined {
  switch (textAt(bytes, 12, 16)) {
    case "VP8 ":
      return Math.max(bytes.getUint16(26, true) & 0x3fff, bytes.getUint16(28, true) & 0x3fff);
    case "VP8L": {
      const bits = bytes.getUint32(21, true);
      return Math.max((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
    }
    case "VP8X":
      return Math.max(bytes.getUint32(23, true) >>> 8, bytes.getUint32(26, true) >>> 8) + 1;
    default:
      return undefined;
  }
}

/** The frame header of a JPEG comes behind segments that each say their length. */
function sideOfJpeg(bytes: DataView): number | undefined {
  for (let at = 2; at + 9 < bytes.byteLength;) {
    if (bytes.getUint8(at) !== 0xff) return undefined;
    const marker = bytes.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return Math.max(bytes.getUint16(at + 5), bytes.getUint16(at + 7));
    if (marker === 0xff) at++;
    else at += 2 + bytes.getUint16(at + 2);
  }
  return undefined;
}
