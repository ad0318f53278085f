import { types } from "node:util";
import { classify } from "../../recovery/errors/classify.ts";
import type { ProviderError, ProviderFailure } from "../../recovery/failure.ts";
import { isObject, toWord } from "../../transcript/json/json.ts";
import { writeJson } from "../../transcript/json/write-json.ts";

/**
 * The longest text that is read of one part of an error: its message is at the beginning, and a request or connection
 * in it may be endless.
 */
const MAX_TEXT = 65_536;

/** Classifies an error of an API call or a tool. Never throws, see {@link errorIn}. */
export function classifyError(error: unknown): ProviderFailure {
  return classify(errorIn(error));
}

/**
 * Returns what the error of an API call or a tool says. Reads the errors of the providers' SDKs: `status`, `code`,
 * `type`, and the answer in `error`, `body` or `response`. Never throws, and takes bounded time on any value, including
 * values that contain themselves or cannot be read.
 */
export function errorIn(error: unknown): ProviderError {
  const fields = readable(error);
  if (!fields)
    return {
      text: toWord(typeof error === "object" || typeof error === "function" ? "error" : error).slice(0, MAX_TEXT),
    };
  const { message, status, statusCode, code, type, name } = fields;
  const response = readable(fields.response);
  const parts = [fields.error, fields.body, readable(response?.data) ? response!.data : fields.response];
  const answer = parts
    .filter((part) => readable(part) && !types.isNativeError(part))
    .map((part) => writeJson(part, MAX_TEXT).text);
  const text = [typeof message === "string" ? message.slice(0, MAX_TEXT) : "", ...answer]
    .filter((part) => part !== "")
    .join("\n");
  const known = [status, statusCode, response?.status].find((value) => typeof value === "number");
  return {
    text: text === "" ? (typeof name === "string" ? name : "error") : text,
    ...(typeof known === "number" && { status: known }),
    ...(typeof code === "string" && { code: code.slice(0, MAX_TEXT) }),
    ...(typeof type === "string" && { type: type.slice(0, MAX_TEXT) }),
  };
}

const FIELDS = [
  "message",
  "status",
  "statusCode",
  "code",
  "type",
  "name",
  "error",
  "body",
  "response",
  "data",
] as const;
type Field = (typeof FIELDS)[number];

/** Returns the fields of an object that can be read; undefined for other values. */
function readable(value: unknown): Partial<Record<Field, unknown>> | undefined {
  try {
    if (!isObject(value)) return undefined;
  } catch {
    return undefined;
  }
  const fields: Partial<Record<Field, unknown>> = {};
  for (const field of FIELDS) {
    try {
      fields[field] = value[field];
    } catch {
      // A getter of foreign data may throw.
    }
  }
  return fields;
}

/** Stop reasons of answers that a content filter or a refusal ended, as the providers spell them. */
const FILTERED = new Set([
  "content_filter",
  "refusal",
  "safety",
  "recitation",
  "prohibited_content",
  "blocklist",
  "spii",
  "sensitive",
  "guardrail_intervened",
]);

/** Returns whether an API's answer ends with a content filter or a refusal. Never throws. */
export function isFilteredAnswer(response: unknown): boolean {
  try {
    return endsFiltered(response);
  } catch {
    // The answer cannot be read and reports no filter.
    return false;
  }
}

function endsFiltered(response: unknown): boolean {
  if (!isObject(response)) return false;
  const { stop_reason, stopReason, finish_reason, choices, candidates } = response;
  const inner = [choices, candidates]
    .flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []))
    .filter(isObject);
  const ends = [
    stop_reason,
    stopReason,
    finish_reason,
    ...inner.flatMap((choice) => [choice.finish_reason, choice.finishReason]),
  ];
  return ends.some((end) => typeof end === "string" && FILTERED.has(end.toLowerCase()));
}
