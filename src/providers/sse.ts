/** Pieces of the servers' streams: server-sent events, and texts cut so that a stream can break inside. */
import type { Frame, JsonObject, Mark } from "./types.ts";

/** One server-sent event. */
export function sse(data: JsonObject | string, options: { event?: string; mark?: Mark } = {}): Frame {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  const head = options.event === undefined ? "" : `event: ${options.event}\n`;
  const frame: Frame = { data: `${head}data: ${text}\n\n` };
  if (options.mark !== undefined) frame.mark = options.mark;
  return frame;
}

/** The arguments of a call as JSON text; a string is taken for such text, right or wrong. */
export function argumentsText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? {});
}

/** The arguments of a call as a value; text that is no JSON becomes an empty object. */
export function argumentsValue(value: unknown): unknown {
  if (typeof value !== "string") return value ?? {};
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return {};
  }
}

/** A text in up to `count` parts of the same length, none of them empty. */
export function splitText(text: string, count: number): string[] {
  const size = Math.ceil(text.length / Math.max(1, count));
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size));
  return pieces;
}

/** A text in two parts, so that a stream can break inside it. */
export function halves(text: string): [string, string] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}
