/** Pictures whose bytes are text, such as an error page that was stored under the name of a picture. */
import { fromBase64 } from "../base/bytes.ts";
import { isObject, type JsonObject } from "../transcript/json/json.ts";
import { textBlock, type Block } from "./model.ts";

/** The characters of base64 that show what a file is: 768 bytes. */
const HEAD = 1024;

/** True for a byte of control that text does not have: all but tabs, ends of lines and pages, and escapes. */
function isControl(byte: number): boolean {
  return byte < 9 || (byte > 13 && byte < 32 && byte !== 27);
}

/** True for base64 whose bytes begin with text; no picture of a known format does. */
export function isTextInBase64(data: string): boolean {
  const bytes = fromBase64(data.slice(0, HEAD));
  if (bytes.some(isControl)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the words of an Anthropic picture whose bytes are text, which Claude refuses; undefined for anything else.
 */
export function sayPicture({ type, source }: JsonObject, claude: boolean): Block | undefined {
  if (!claude || type !== "image" || !isObject(source) || source.type !== "base64") return undefined;
  const { data } = source;
  if (typeof data !== "string" || data === "" || !isTextInBase64(data)) return undefined;
  const text = new TextDecoder().decode(fromBase64(data));
  return textBlock(`[This was sent as a picture, and is a text:]\n${text}`);
}
