import { createHash } from "node:crypto";
import { encodePng } from "../png.ts";

/** A JPEG of 64 × 48 pixels. */
export const JPEG =
  "/9j/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxOUlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT0//wAARCAAwAEADASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAX/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFgEBAQEAAAAAAAAAAAAAAAAAAAQG/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8AhgIWwAAAAAAAAAAAAAAAAAAAAAAf/9k=";

export const SVG = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><rect width="20" height="20" fill="red"/></svg>',
).toString("base64");

/** A PNG of one grey in these dimensions, in base64; the seed chooses the grey. */
export function makePng(width: number, height: number, seed = ""): string {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 8;
  const rows = Buffer.alloc((width + 1) * height, createHash("sha256").update(seed).digest()[0]);
  for (let row = 0; row < height; row++) rows[row * (width + 1)] = 0;
  return encodePng(head, rows);
}

/** The width of a PNG or JPEG in base64; 0 of anything else. */
export function readWidth(picture: string): number {
  const data = Buffer.from(picture, "base64");
  if (data.toString("latin1", 1, 4) === "PNG") return data.readUInt32BE(16);
  if (data.readUInt16BE(0) !== 0xff_d8) return 0;
  // Segments up to the frame, which begins with the height.
  for (let at = 2; at + 9 <= data.length; at += 2 + data.readUInt16BE(at + 2)) {
    const marker = data[at + 1]!;
    if (marker >= 0xc0 && marker <= 0xc2) return data.readUInt16BE(at + 7);
  }
  return 0;
}
