import { isObject, type JsonObject } from "../transcript/json/json.ts";
import type { ProviderError } from "./failure.ts";

/** What a provider's error says, without the request or the model's words that some providers quote in it. */
export interface ErrorFacts {
  /** What is said in words, the outermost wrapper first, white space collapsed. */
  sentences: readonly string[];
  /** Codes, types and names of exceptions, in lower case. */
  codes: ReadonlySet<string>;
  /** Places in the body that stand in fields of their own (`param`, `loc`). */
  paths: readonly string[];
  /** The HTTP status. */
  status: number | undefined;
}

// An error says what is wrong in its first lines; what is longer quotes the request.
const MOST_TEXT = 48_000;
const MOST_SENTENCE = 8_000;
const MOST_SENTENCES = 40;
/** Objects that are looked for in one text, values that are read in all, and texts within texts. */
const MOST_OBJECTS = 24;
const MOST_VALUES = 400;
const MOST_DEPTH = 16;
/** Stands for what was not read, so that the error is not taken for one that says nothing. */
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
 * Reads an error: JSON where there is JSON, at whatever depth, and the text around it. Never throws; linear in the
 * text.
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
    const { around, objects } =
      depth < MOST_DEPTH ? splitJson(text.slice(0, MOST_TEXT)) : { around: text, objects: [] };
    const sentence = around.slice(0, MOST_SENTENCE).replaceAll(/\s+/g, " ").trim();
    if (sentence !== "" && this.sentences.length < MOST_SENTENCES) this.sentences.push(sentence);
    for (const object of objects) this.#read(object, depth + 1);
  }

  code(code: string): void {
    if (code.length <= 100) this.codes.add(code.toLowerCase());
  }

  #read(value: unknown, depth: number): void {
    if (++this.#values > MOST_VALUES || (depth > MOST_DEPTH && typeof value === "object")) this.code(UNREAD);
    else if (typeof value === "string") this.text(value, depth);
    else if (Array.isArray(value)) for (const item of value.slice(0, MOST_VALUES)) this.#read(item, depth + 1);
    else if (isObject(value)) this.#object(value, depth);
  }

  #object(object: JsonObject, depth: number): void {
    for (const [name, value] of Object.entries(object).slice(0, MOST_VALUES)) {
      const key = name.toLowerCase();
      if (STATUSES.has(key)) this.#takeStatus(value);
      if (CODES.has(key) && (typeof value === "number" || typeof value === "string")) this.code(String(value));
      // Python's validators give the place as a list: ["body", "messages", 3, "content"].
      if (key === "loc" && Array.isArray(value))
        this.#path(
          value.filter((part) => part !== "body" && (typeof part === "string" || typeof part === "number")).join("."),
        );
      else if (key === "param" || key === "field") this.#path(value);
      else if (key === "flagged_input") this.code(key);
      else if (WORDS.has(key) || (key === "reason" && typeof value === "string" && value.includes(" ")))
        this.#read(value, depth + 1);
      else if (HOLDERS.has(key)) this.#read(value, depth + 1);
    }
  }

  #path(path: unknown): void {
    if (typeof path === "string" && path !== "" && this.paths.length < MOST_SENTENCES)
      this.paths.push(path.slice(0, 300));
  }

  #takeStatus(value: unknown): void {
    const status = typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value;
    // The innermost status is the one that the model's own server gave, and the wrapper repeats it.
    if (typeof status === "number" && status >= 400 && status < 600) this.status = status;
  }
}

/** The JSON objects in a text, and the text without them. What does not parse stays text. */
function splitJson(text: string): { around: string; objects: unknown[] } {
  const objects: unknown[] = [];
  const around: string[] = [];
  let from = 0;
  let start = text.indexOf("{");
  for (let tries = 0; start >= 0 && tries < MOST_OBJECTS; tries++) {
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

/** Index behind the brace that closes the one at `start`; -1 when there is none. */
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
  // A body that was printed as a string has its quotes escaped once more.
  for (const text of json.startsWith('{\\"') ? [json.replaceAll(/\\(["\\])/g, "$1")] : [json]) {
    try {
      const value: unknown = JSON.parse(text);
      if (isObject(value)) return value;
    } catch {
      // Braces that are no JSON, or JSON that was cut off: the text is read as it is.
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

const STATUS_WORDS =
  /^(?:[a-z.]{0,40}error:? )?(?:error )?(?:http(?: status)? |api error:? )?\(?([45]\d\d)\b|\b(?:status(?: ?code)?|error code|got status|api error|bad request|http(?: error)?)[: ]{0,2}\(?([45]\d\d)\b/i;

/** The status as it stands in the outermost words, where OpenClaw and the SDKs write it. */
function statusIn(sentences: readonly string[]): number | undefined {
  const [, first, later] = STATUS_WORDS.exec(sentences[0]?.slice(0, 400) ?? "") ?? [];
  const status = first ?? later;
  return status === undefined ? undefined : Number(status);
}
