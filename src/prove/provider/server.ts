/** A provider on a socket that enforces the rules of the Messages API, for the OpenClaw of a proof. */
import { randomUUID, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { isObject } from "../../transcript/json/json.ts";
import { findRefusal } from "./rules.ts";

/** One request that the provider got. */
export interface ProviderRequest {
  /** The body as it came. */
  readonly text: string;
  /** The text of the answer; absent when the request was refused. */
  readonly answer?: string;
  /** The error message; absent when the request was answered. */
  readonly refusal?: string;
}

/** A rule in addition to those of the API. Returns the error message for a body that breaks it. */
export type ExtraRule = (body: unknown) => string | undefined;

/** A provider that is listening. */
export interface Provider {
  /** All requests with the key until now, in the order in which they were answered. */
  readonly requests: readonly ProviderRequest[];
  /** Cuts all connections. Resolves when the socket is gone. */
  close(): Promise<void>;
}

/** No conversation of a proof comes near it. */
const MAX_BYTES = 8 << 20;

/** Starts a provider on the socket `path`. It answers requests with this key only. */
export async function startProvider(
  path: string,
  apiKey: string,
  extraRule: ExtraRule = () => undefined,
): Promise<Provider> {
  const requests: ProviderRequest[] = [];
  const server = createServer((request, response) => {
    if (!hasKey(request, apiKey)) return fail(response, 401, "authentication_error", "invalid x-api-key");
    take(request, response, extraRule).then(
      (taken) => taken && requests.push(taken),
      () => response.destroy(),
    );
  });
  server.listen(path);
  await once(server, "listening");
  return {
    requests,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function hasKey({ headers }: IncomingMessage, apiKey: string): boolean {
  const given = Buffer.from(String(headers["x-api-key"]));
  return given.length === apiKey.length && timingSafeEqual(given, Buffer.from(apiKey));
}

async function take(
  request: IncomingMessage,
  response: ServerResponse,
  extraRule: ExtraRule,
): Promise<ProviderRequest | undefined> {
  const text = await readBody(request);
  if (request.method !== "POST" || request.url?.split("?")[0] !== "/v1/messages") {
    fail(response, 404, "not_found_error", "Not found");
    return undefined;
  }
  const body = parsed(text);
  const refusal = findRefusal(body) ?? extraRule(body);
  if (refusal !== undefined) {
    fail(response, 400, "invalid_request_error", refusal);
    return { text, refusal };
  }
  // The number in the answer tells which request an answer of OpenClaw comes from.
  const answer = `Proof answer ${randomUUID()}.`;
  if (isObject(body) && body.stream === true) stream(response, answer);
  else send(response, 200, { ...message(), content: [{ type: "text", text: answer }], stop_reason: "end_turn" });
  return { text, answer };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error("the request is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function message(): object {
  const usage = { input_tokens: 100, output_tokens: 10 };
  return { id: `msg_${randomUUID()}`, type: "message", role: "assistant", model: "proof", stop_sequence: null, usage };
}

/** A fixed id: early releases take a refusal with 429 or 503 anywhere in its text for an overload, and wait. */
const REFUSED_REQUEST = "req_Proof";

function fail(response: ServerResponse, status: number, type: string, text: string): void {
  send(response, status, { type: "error", error: { type, message: text }, request_id: REFUSED_REQUEST });
}

function send(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function stream(response: ServerResponse, text: string): void {
  const events: readonly object[] = [
    { type: "message_start", message: { ...message(), content: [], stop_reason: null } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 10 } },
    { type: "message_stop" },
  ];
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const event of events)
    response.write(`event: ${(event as { type: string }).type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}
