import { types } from "node:util";
import { classify } from "../../recovery/classify.ts";
import type { ProviderFailure } from "../../recovery/failure.ts";
import { isObject, wordOf } from "../../transcript/json/json.ts";
import { writeJson } from "../../transcript/json/write-json.ts";

/**
 * As much of one part of an error as is read: its words are in its beginning, and a request or a connection that it
 * holds has no end.
 */
const MOST_TEXT = 65_536;

/**
 * What an error of an API call or a tool is about. Reads the errors of the providers' SDKs: `status`, `code`, `type`,
 * and the answer in `error`, `body` or `response`. Never throws; takes bounded time on any value, one that contains
 * itself or cannot be read too.
 */
export function failureOf(error: unknown): ProviderFailure {
  const fields = readable(error);
  if (!fields)
    return classify({
      text: wordOf(typeof error === "object" || typeof error === "function" ? "error" : error).slice(0, MOST_TEXT),
    });
  const { message, status, statusCode, code, type, name } = fields;
  const response = readable(fields.response);
  const parts = [fields.error, fields.body, readable(response?.data) ? response!.data : fields.response];
  const answer = parts
    .filter((part) => readable(part) && !types.isNativeError(part))
    .map((part) => writeJson(part, MOST_TEXT).text);
  const text = [typeof message === "string" ? message.slice(0, MOST_TEXT) : "", ...answer]
    .filter((part) => part !== "")
    .join("\n");
  const known = [status, statusCode, response?.status].find((value) => typeof value === "number");
  return classify({
    text: text === "" ? (typeof name === "string" ? name : "error") : text,
    ...(typeof known === "number" && { status: known }),
    ...(typeof code === "string" && { code: code.slice(0, MOST_TEXT) }),
    ...(typeof type === "string" && { type: type.slice(0, MOST_TEXT) }),
  });
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

/** The fields of an object that can be read; undefined for what is no object. */
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
      // A property of others may do anything.
    }
  }
  return fields;
}

/** Ends of an answer that a content filter or a refusal stopped, in the fields of the providers' answers. */
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

/** True for an API's answer that ends with a content filter or a refusal. Never throws. */
export function isFilteredAnswer(response: unknown): boolean {
  try {
    return endsFiltered(response);
  } catch {
    // It cannot be read, and says nothing of a filter.
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
