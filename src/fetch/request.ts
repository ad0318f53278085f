import { type JsonObject, parsedJson } from "../transcript/json/json.ts";
import { findEndpoint, isModelBody, type Endpoint } from "./endpoint.ts";

/** What `fetch` is called with. */
export type FetchArguments = Parameters<typeof fetch>;

/** A request to a model, as it was made. */
export interface ModelRequest {
  readonly endpoint: Endpoint;
  /** Scheme, host and path, without what may be a secret. */
  readonly address: string;
  readonly body: JsonObject;
  /** The arguments of `fetch` for the same request with another body; `isAgain` where a request was sent before. */
  withBody(body: JsonObject, isAgain: boolean): FetchArguments;
}

/** Headers that are made of the body: with another one, the server would refuse the request. */
const OVER_BODY = ["digest", "content-digest", "content-md5", "x-amz-content-sha256", "signature", "signature-input"];

/** A larger body is sent as it is: nobody's model takes it. */
const MAX_BODY = 256 * 1024 * 1024;

/**
 * Reads what is sent to a model; undefined for any other request, for a body that can be read only once or is signed,
 * and for one that is no JSON. Rejects where the body of a `Request` cannot be read.
 */
export async function readRequest([input, init]: FetchArguments): Promise<ModelRequest | undefined> {
  const request = input instanceof Request ? input : undefined;
  const method = init?.method ?? request?.method ?? "GET";
  if (method.toUpperCase() !== "POST") return undefined;
  const address = request?.url ?? String(input);
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  // Before the body: a program's uploads are not read.
  const endpoint = findEndpoint(url);
  if (!endpoint) return undefined;
  const headers = new Headers(init?.headers ?? request?.headers);
  if (isBound(headers)) return undefined;
  const given = init?.body ?? undefined;
  const text = await readText(given, request);
  if (text === undefined || text.length > MAX_BODY) return undefined;
  const body = parsedJson(text);
  if (!isModelBody(endpoint.api, body)) return undefined;
  return {
    endpoint,
    address: `${url.origin}${url.pathname}`,
    body,
    withBody(changed, isAgain) {
      const own = new Headers(headers);
      own.delete("content-length");
      // The server would give what it has given to the first request, or refuse another body under the same key.
      if (isAgain && own.has("idempotency-key")) own.set("idempotency-key", crypto.randomUUID());
      // `fetch` itself names the type of a text, and that of a Blob.
      if (given instanceof Blob && given.type !== "" && !own.has("content-type")) own.set("content-type", given.type);
      const json = JSON.stringify(changed);
      const signal = init?.signal ?? request?.signal;
      const sent = typeof given === "string" ? json : new TextEncoder().encode(json);
      const next: RequestInit = { ...init, method, headers: own, body: sent, ...(signal && { signal }) };
      if (!request) return [input, next];
      // The body of the `Request` given is left unread: a `Request` made of it would have that one.
      return [request.url, { ...readSettings(request), ...next }];
    },
  };
}

/** The settings of a `Request` that its `fetch` heeds, but for its body. */
function readSettings(request: Request): RequestInit {
  const { redirect, credentials, cache, mode, referrer, referrerPolicy, integrity, keepalive } = request;
  return {
    redirect,
    ...(credentials !== undefined && { credentials }),
    ...(cache !== undefined && { cache }),
    // `navigate` cannot be asked for.
    ...(mode !== undefined && mode !== ("navigate" as string) && { mode }),
    ...(referrer !== undefined && referrer !== "about:client" && { referrer }),
    ...(referrerPolicy !== undefined && { referrerPolicy }),
    ...(integrity !== undefined && { integrity }),
    ...(keepalive !== undefined && { keepalive }),
  };
}

function isBound(headers: Headers): boolean {
  return (
    headers.has("content-encoding") ||
    OVER_BODY.some((name) => headers.has(name)) ||
    headers.get("authorization")?.startsWith("AWS4-") === true
  );
}

async function readText(body: unknown, request: Request | undefined): Promise<string | undefined> {
  if (body === undefined) return request?.body ? await request.clone().text() : undefined;
  if (typeof body === "string") return body;
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return new TextDecoder().decode(body as Uint8Array);
  if (body instanceof Blob) return await body.text();
  // A form, or a stream: reading a stream would take it away.
  return undefined;
}
