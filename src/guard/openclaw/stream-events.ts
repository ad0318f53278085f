/** The streams that OpenClaw reads answers from, and events of the guard's own in their form. */
import { isObject, toWord, type JsonObject } from "../../transcript/json/json.ts";
import { noUsage } from "./usage.ts";

/** An assistant message in OpenClaw's streams. */
export interface AssistantMessage extends JsonObject {
  role: "assistant";
  content: JsonObject[];
  stopReason: string;
  errorMessage?: string;
}

/** An event of a model's stream; `partial` is the message so far, `message` and `error` the finished one. */
export interface StreamEvent extends JsonObject {
  type: string;
  message?: AssistantMessage;
  error?: AssistantMessage;
}

/** The result of a model call: events, and the finished message. */
export interface EventStream extends AsyncIterable<StreamEvent> {
  result(): Promise<AssistantMessage>;
}

export function isEventStream(value: unknown): value is EventStream {
  return (
    isObject(value) && typeof (value as Partial<EventStream>).result === "function" && Symbol.asyncIterator in value
  );
}

/** Returns the finished message if this is the last event of a stream; undefined for every other event. */
export function finishedMessage(event: StreamEvent): AssistantMessage | undefined {
  return event.type === "done" ? event.message : event.type === "error" ? event.error : undefined;
}

/** Creates an empty finished message of the guard, with the model's names, so that OpenClaw treats it as an answer. */
export function ownMessage(model: unknown): AssistantMessage {
  const { api = "", provider = "", id = "" } = isObject(model) ? model : {};
  const usage = noUsage();
  return { role: "assistant", content: [], api, provider, model: id, usage, stopReason: "stop", timestamp: Date.now() };
}

/** Returns a copy of the message with this content, without its error, ended by `stop`. */
export function endedWith(message: AssistantMessage, content: JsonObject[]): AssistantMessage {
  const kept = Object.entries(message).filter(([key]) => !key.startsWith("error"));
  return { ...(Object.fromEntries(kept) as AssistantMessage), content, stopReason: "stop" };
}

/** Appends a text to a message as a block of its own. Returns the message and the events that stream the new block. */
export function sayEvents(
  message: AssistantMessage,
  words: string,
): { events: StreamEvent[]; message: AssistantMessage } {
  const contentIndex = message.content.length;
  // On the user's screen the new text follows directly behind the text that was streamed before.
  const text = message.content.some(({ type }) => type === "text") ? `\n\n${words}` : words;
  const said = { ...message, content: [...message.content, { type: "text", text }] };
  const empty = { ...message, content: [...message.content, { type: "text", text: "" }] };
  return {
    message: said,
    events: [
      { type: "text_start", contentIndex, partial: empty },
      { type: "text_delta", contentIndex, delta: text, partial: said },
      { type: "text_end", contentIndex, content: text, partial: said },
    ],
  };
}

/** Returns what is said in the content of an assistant message, without what stands around it. */
export function textIn(content: readonly unknown[]): string {
  return content
    .map((block) => (isObject(block) && block.type === "text" ? toWord(block.text) : ""))
    .join("")
    .trim();
}
