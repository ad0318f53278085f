import { isObject } from "../../transcript/json/json.ts";
import { isEventStream, type AssistantMessage } from "../openclaw/stream-events.ts";

/** How a summariser's answer ended. */
export interface Heard {
  readonly stopReason: unknown;
  /** What the model wrote. */
  readonly words: string;
}

/**
 * Reports how the answer of this stream, or promise of one, ends. Reads no event of it: whoever the stream is for gets
 * all of them. Never throws.
 */
export function heardFrom(stream: unknown, hear: (heard: Heard) => void): void {
  const ended = isEventStream(stream)
    ? stream.result()
    : Promise.resolve(stream).then((opened) => (isEventStream(opened) ? opened.result() : undefined));
  ended.then(
    (message) => {
      if (isObject(message)) hear({ stopReason: message.stopReason, words: readSpoken(message) });
    },
    () => undefined,
  );
}

function readSpoken({ content }: Partial<AssistantMessage>): string {
  const texts: string[] = [];
  for (const block of Array.isArray(content) ? content : [])
    if (isObject(block) && block.type === "text" && typeof block.text === "string") texts.push(block.text);
  return texts.join("\n").trim();
}
