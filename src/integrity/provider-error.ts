import { classify } from "../recovery/classify.ts";
import type { ProviderFailure } from "../recovery/failure.ts";
import { isObject, toJson, wordOf } from "../transcript/json.ts";

/** What an error of an API call or a tool is about. Reads the errors of the providers' SDKs: `status`, `code`, `type`, and the answer in `error` or `body`. */
export function failureOf(error: unknown): ProviderFailure {
  if (!isObject(error)) return classify({ text: wordOf(error) });
  const { message, status, statusCode, code, type, name } = error;
  const answer = [error.error, error.body, error.response].filter((part) => isObject(part) && !(part instanceof Error)).map(toJson);
  const text = [typeof message === "string" ? message : "", ...answer].filter((part) => part !== "").join("\n");
  const known = [status, statusCode].find((value) => typeof value === "number");
  return classify({
    text: text === "" ? wordOf(name ?? "error") : text,
    ...(typeof known === "number" && { status: known }),
    ...(typeof code === "string" && { code }),
    ...(typeof type === "string" && { type }),
  });
}

/** Ends of an answer that a content filter or a refusal stopped, in the fields of the providers' answers. */
const FILTERED = new Set(["content_filter", "refusal", "safety", "recitation", "prohibited_content", "blocklist", "spii", "sensitive", "guardrail_intervened"]);

/** True for an API's answer that ends with a content filter or a refusal. */
export function isFilteredAnswer(response: unknown): boolean {
  if (!isObject(response)) return false;
  const { stop_reason, stopReason, finish_reason, choices, candidates } = response;
  const inner = [choices, candidates].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : [])).filter(isObject);
  const ends = [stop_reason, stopReason, finish_reason, ...inner.flatMap((choice) => [choice.finish_reason, choice.finishReason])];
  return ends.some((end) => typeof end === "string" && FILTERED.has(end.toLowerCase()));
}

