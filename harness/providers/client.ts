import { decodeEvents, type DecodedEvent } from "../../src/providers/index.ts";
import type { Api, JsonObject } from "../../src/providers/index.ts";

/** A plain request to the provider, as a client without any SDK sends it. */
export interface Sent {
  path: string;
  body: JsonObject;
}

/** A request that every API accepts; `content` is the user's message. */
export function hello(api: Api, options: { model?: string; stream?: boolean; content?: string } = {}): Sent {
  const { stream = true, content = "hello" } = options;
  const model = options.model ?? "claude-test";
  switch (api) {
    case "anthropic-messages":
      return { path: "/v1/messages", body: { model, max_tokens: 10, stream, messages: [{ role: "user", content }] } };
    case "openai-completions":
      return { path: "/v1/chat/completions", body: { model, stream, messages: [{ role: "user", content }] } };
    case "openai-responses":
      return {
        path: "/v1/responses",
        body: { model, stream, input: [{ role: "user", content: [{ type: "input_text", text: content }] }] },
      };
    case "google-generative-ai":
      return {
        path: `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
        body: { contents: [{ role: "user", parts: [{ text: content }] }] },
      };
    case "bedrock-converse-stream":
      return {
        path: `/model/${encodeURIComponent(model)}/${stream ? "converse-stream" : "converse"}`,
        body: { messages: [{ role: "user", content: [{ text: content }] }] },
      };
  }
}

/** What came back: status, headers, the bytes, and whether the connection broke before the end. */
export interface Got {
  status: number;
  headers: Headers;
  bytes: Buffer;
  broken: boolean;
}

/** How a client listens, and stops. */
export interface Listening {
  signal?: AbortSignal;
  /** Called with all that has arrived, each time more has. */
  onBytes?: (bytes: Buffer) => void;
}

/** Sends and reads to the end, or to where the connection broke. */
export async function send(url: string, { path, body }: Sent, { signal, onBytes }: Listening = {}): Promise<Got> {
  const init: RequestInit = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  const response = await fetch(url + path, signal === undefined ? init : { ...init, signal });
  const chunks: Uint8Array[] = [];
  let broken = false;
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk as Uint8Array);
      onBytes?.(Buffer.concat(chunks));
    }
  } catch {
    broken = true;
  }
  return { status: response.status, headers: response.headers, bytes: Buffer.concat(chunks), broken };
}

/** The JSON of each server-sent event, [DONE] left out, and of a bare error behind the last one. */
function sseEvents(bytes: Buffer): JsonObject[] {
  const blocks = bytes.toString().split("\n\n");
  const rest = blocks.pop() ?? "";
  const error = rest === "" ? [] : [JSON.parse(rest) as JsonObject];
  return [...eventData(blocks), ...error];
}

function eventData(blocks: string[]): JsonObject[] {
  return blocks.flatMap((block) => {
    const data = block
      .split("\n")
      .find((line) => line.startsWith("data: "))
      ?.slice(6);
    return data === undefined || data === "[DONE]" ? [] : [JSON.parse(data) as JsonObject];
  });
}

/** The events of a stream of `api`; an event of Bedrock's carries its type, and an exception its name. */
export function parseEvents(api: Api, bytes: Buffer): JsonObject[] {
  if (api !== "bedrock-converse-stream") return sseEvents(bytes);
  return decodeEvents(bytes).map(({ headers, payload }: DecodedEvent) => ({
    type: headers[":event-type"] ?? headers[":exception-type"],
    ...(JSON.parse(payload) as JsonObject),
  }));
}

/** What a client makes of the events: its text, its calls as far as they came, and why it ended. */
export interface Understood {
  text: string;
  thinking: string;
  calls: { id: string; name: string; arguments: string }[];
  stop?: string;
  error?: string;
  /** Text in the field that OpenAI's APIs have for refusals. */
  refusal?: string;
}

/** Reads a stream as clients do, each API in its own way. */
export function understand(api: Api, bytes: Buffer): Understood {
  const got: Understood = { text: "", thinking: "", calls: [] };
  for (const event of parseEvents(api, bytes)) READERS[api](event, got);
  return got;
}

const at = (value: unknown, ...path: (string | number)[]): unknown =>
  path.reduce((holder: unknown, key) => (holder as Record<string | number, unknown> | undefined | null)?.[key], value);
const str = (value: unknown, ...path: (string | number)[]): string => {
  const found = at(value, ...path);
  return typeof found === "string" ? found : "";
};

function stopped(got: Understood, why: unknown): void {
  if (typeof why === "string") got.stop = why;
}

function refused(got: Understood, part: string): void {
  if (part !== "") got.refusal = (got.refusal ?? "") + part;
}

const READERS: Record<Api, (event: JsonObject, got: Understood) => void> = {
  "anthropic-messages": (event, got) => {
    const block = at(event, "content_block");
    if (str(block, "type") === "tool_use")
      got.calls.push({ id: str(block, "id"), name: str(block, "name"), arguments: "" });
    got.text += str(event, "delta", "text");
    got.thinking += str(event, "delta", "thinking");
    const call = got.calls.at(-1);
    if (call !== undefined) call.arguments += str(event, "delta", "partial_json");
    stopped(got, at(event, "delta", "stop_reason"));
    if (event["type"] === "error") got.error = str(event, "error", "message");
  },
  "openai-completions": (event, got) => {
    const delta = at(event, "choices", 0, "delta");
    got.text += str(delta, "content");
    got.thinking += str(delta, "reasoning_content");
    refused(got, str(delta, "refusal"));
    const call = at(delta, "tool_calls", 0);
    if (str(call, "id") !== "")
      got.calls.push({ id: str(call, "id"), name: str(call, "function", "name"), arguments: "" });
    const last = got.calls.at(-1);
    if (last !== undefined) last.arguments += str(call, "function", "arguments");
    stopped(got, at(event, "choices", 0, "finish_reason"));
    if (event["error"] !== undefined) got.error = str(event, "error", "message");
  },
  "openai-responses": (event, got) => {
    const type = str(event, "type");
    const item = at(event, "item");
    if (type === "response.output_item.added" && str(item, "type") === "function_call") {
      got.calls.push({ id: str(item, "call_id"), name: str(item, "name"), arguments: "" });
    }
    if (type === "response.output_text.delta") got.text += str(event, "delta");
    if (type === "response.refusal.delta") refused(got, str(event, "delta"));
    if (type === "response.reasoning_summary_text.delta") got.thinking += str(event, "delta");
    const last = got.calls.at(-1);
    if (type === "response.function_call_arguments.delta" && last !== undefined) last.arguments += str(event, "delta");
    if (type === "response.completed" || type === "response.incomplete") stopped(got, at(event, "response", "status"));
    if (type === "error") got.error = str(event, "message");
    if (type === "response.failed") got.error = str(event, "response", "error", "message");
  },
  "google-generative-ai": (event, got) => {
    for (const part of (at(event, "candidates", 0, "content", "parts") ?? []) as unknown[]) {
      if (at(part, "thought") === true) got.thinking += str(part, "text");
      else got.text += str(part, "text");
      const call = at(part, "functionCall");
      if (call !== undefined) {
        got.calls.push({ id: str(call, "id"), name: str(call, "name"), arguments: JSON.stringify(at(call, "args")) });
      }
    }
    stopped(got, at(event, "candidates", 0, "finishReason") ?? at(event, "promptFeedback", "blockReason"));
    if (event["error"] !== undefined) got.error = str(event, "error", "message");
  },
  "bedrock-converse-stream": (event, got) => {
    const use = at(event, "start", "toolUse");
    if (use !== undefined) got.calls.push({ id: str(use, "toolUseId"), name: str(use, "name"), arguments: "" });
    got.text += str(event, "delta", "text");
    got.thinking += str(event, "delta", "reasoningContent", "text");
    const last = got.calls.at(-1);
    if (last !== undefined) last.arguments += str(event, "delta", "toolUse", "input");
    stopped(got, at(event, "stopReason"));
    if (str(event, "type").endsWith("Exception")) got.error = str(event, "message");
  },
};
