import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import type { ProviderError } from "../failure.ts";

/** The content of a provider's error, without the request or the model's output that some providers quote in it. */
export interface ErrorFacts {
  /** The texts of the error, the outermost wrapper first, white space collapsed. */
  sentences: readonly string[];
  /** Codes, types and names of exceptions, in lower case. */
  codes: ReadonlySet<string>;
  /** Paths in the body, from fields for such paths (`param`, `loc`, `path`). */
  paths: readonly string[];
  /** The HTTP status. */
  status: number | undefined;
}

// An error names its reason in the first lines; a longer text quotes the request.
const MAX_TEXT = 48_000;
const MAX_SENTENCE = 8_000;
const MAX_SENTENCES = 40;
/** Bounds on the objects that are searched in one text, on all values that are read, and on nested texts. */
const MAX_OBJECTS = 24;
const MAX_VALUES = 400;
const MAX_DEPTH = 16;
/** Code for parts that were not read, so that the error does not count as one without a reason. */
const UNREAD = "unread";

const WORDS = new Set([
  "message",
  "msg",
  "detail",
  "detailmessage",
  "description",
  "error_description",
  "errormessage",
  "error_message",
  "status_msg",
  "raw",
  "title",
  "explanation",
  "blockreasonmessage",
]);
const CODES = new Set([
  "type",
  "code",
  "status",
  "name",
  "errortype",
  "__type",
  "blockreason",
  "finish_reason",
  "stop_reason",
  "reason",
  "scode",
]);
const STATUSES = new Set(["code", "status", "http_code", "statuscode", "status_code", "httpstatuscode"]);
const HOLDERS = new Set([
  "error",
  "errors",
  "err",
  "innererror",
  "inner_error",
  "metadata",
  "base_resp",
  "details",
  "data",
  "response",
  "body",
  "cause",
  "promptfeedback",
  "provider_specific_fields",
  "$metadata",
]);

/**
 * Reads an error: the JSON objects in its text, JSON inside their strings too, and the text around them. Never throws;
 * linear in the text.
 */
export function readError(error: ProviderError): ErrorFacts {
  const reader = new ErrorReader();
  reader.text(typeof error.text === "string" ? error.text : "", 0);
  for (const code of [error.code, error.type]) if (typeof code === "string") reader.code(code);
  return {
    sentences: reader.sentences,
    codes: reader.codes,
    paths: reader.paths,
    status: error.status ?? statusIn(reader.sentences) ?? reader.status,
  };
}

class ErrorReader {
  readonly sentences: string[] = [];
  readonly codes = new Set<string>();
  readonly paths: string[] = [];
  status: number | undefined;
  #values = 0;

  text(text: string, depth: number): void {
    const { around, objects } = depth < MAX_DEPTH ? splitJson(text.slice(0, MAX_TEXT)) : { around: text, objects: [] };
    const sentence = around.slice(0, MAX_SENTENCE).replaceAll(/\s+/g, " ").trim();
    if (sentence !== "" && this.sentences.length < MAX_SENTENCES) this.sentences.push(sentence);
    for (const object of objects) this.#read(object, depth + 1);
  }

  code(code: string): void {
    if (code.length <= 100) this.codes.add(code.toLowerCase());
  }

  #read(value: unknown, depth: number): void {
    if (++this.#values > MAX_VALUES || (depth > MAX_DEPTH && typeof value === "object")) this.code(UNREAD);
    else if (typeof value === "string") this.text(value, depth);
    else if (Array.isArray(value)) for (const item of value.slice(0, MAX_VALUES)) this.#read(item, depth + 1);
    else if (isObject(value)) this.#object(value, depth);
  }

  #object(object: JsonObject, depth: number): void {
    for (const [name, value] of Object.entries(object).slice(0, MAX_VALUES)) {
      const key = name.toLowerCase();
      if (STATUSES.has(key)) this.#takeStatus(value);
      if (CODES.has(key) && (typeof value === "number" || typeof value === "string")) this.code(String(value));
      // Python's validators report the path as a list, ["body", "messages", 3, "content"], some with arrows.
      if ((key === "loc" || key === "path") && Array.isArray(value))
        this.#path(
          value.filter((part) => part !== "body" && (typeof part === "string" || typeof part === "number")).join("."),
        );
      else if (key === "loc" && typeof value === "string") this.#path(value.replaceAll(" -> ", "."));
      else if (key === "param" || key === "field" || key === "path") this.#path(value);
      else if (key === "flagged_input") this.code(key);
      else if (WORDS.has(key) || (key === "reason" && typeof value === "string" && value.includes(" ")))
        this.#read(value, depth + 1);
      else if (HOLDERS.has(key)) this.#read(value, depth + 1);
    }
  }

  #path(path: unknown): void {
    if (typeof path === "string" && path !== "" && this.paths.length < MAX_SENTENCES)
      this.paths.push(path.slice(0, 300));
  }

  #takeStatus(value: unknown): void {
    const status = typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value;
    // The innermost status wins: it comes from the model's own server, and wrappers repeat it.
    if (typeof status === "number" && status >= 400 && status < 600) this.status = status;
  }
}

/** Splits a text into the JSON objects in it and the text around them. A part that does not parse stays text. */
function splitJson(text: string): { around: string; objects: unknown[] } {
  const objects: unknown[] = [];
  const around: string[] = [];
  let from = 0;
  let start = text.indexOf("{");
  for (let tries = 0; start >= 0 && tries < MAX_OBJECTS; tries++) {
    const end = endOfObject(text, start);
    const object = end < 0 ? undefined : parse(text.slice(start, end));
    if (object === undefined || !saysSomething(object)) {
      start = text.indexOf("{", start + 1);
      continue;
    }
    objects.push(object);
    around.push(text.slice(from, start));
    from = end;
    start = text.indexOf("{", end);
  }
  around.push(text.slice(from));
  return { around: around.join(" "), objects };
}

/** Returns the index behind the brace that closes the one at `start`; -1 when there is none. */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  let isString = false;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (isString) {
      if (character === "\\") at++;
      else if (character === '"') isString = false;
    } else if (character === '"') isString = true;
    else if (character === "{") depth++;
    else if (character === "}" && --depth === 0) return at + 1;
  }
  return -1;
}

function parse(json: string): JsonObject | undefined {
  // In a body that was printed as a string, all quotes are escaped once more.
  for (const text of json.startsWith('{\\"') ? [json.replaceAll(/\\(["\\])/g, "$1")] : [json]) {
    try {
      const value: unknown = JSON.parse(text);
      if (isObject(value)) return value;
    } catch {
      // Braces that are no JSON, or truncated JSON: read as text.
    }
  }
  return undefined;
}

function saysSomething(object: JsonObject): boolean {
  return Object.keys(object).some((name) => {
    const key = name.toLowerCase();
    return WORDS.has(key) || CODES.has(key) || HOLDERS.has(key);
  });
}

// A status as OpenClaw and the SDKs write it: at the beginning of a text, or behind one of these words.
const STATUS_FIRST = /^(?:[a-z.]{0,40}error:? )?(?:error )?(?:http(?: status)? |api error:? )?\(?([45]\d\d)\b/i;
const STATUS_WORDS = "status(?: ?code)?|error code|got status|api error|bad request|http(?: error)?";
const STATUS_LATER = new RegExp(String.raw`\b(?:${STATUS_WORDS})[: ]{0,2}\(?([45]\d\d)\b`, "i");

/** Returns the status in the outermost text. */
function statusIn(sentences: readonly string[]): number | undefined {
  const text = sentences[0]?.slice(0, 400) ?? "";
  const [, status] = STATUS_FIRST.exec(text) ?? STATUS_LATER.exec(text) ?? [];
  return status === undefined ? undefined : Number(status);
}
