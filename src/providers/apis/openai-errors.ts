import type { ApiAdapter, JsonObject, ProviderError } from "../types.ts";

const TYPES: Record<ProviderError["kind"], string> = {
  invalid: "invalid_request_error",
  "content-filter": "invalid_request_error",
  auth: "invalid_request_error",
  "rate-limit": "requests",
  server: "server_error",
  overloaded: "server_error",
};

const safe = { filtered: false, severity: "safe" };
const AZURE_FILTER = {
  code: "ResponsibleAIPolicyViolation",
  content_filter_result: {
    hate: safe,
    self_harm: safe,
    sexual: safe,
    violence: { filtered: true, severity: "medium" },
  },
};

/** OpenAI's error envelope. */
export function openAiError(error: ProviderError): JsonObject {
  const param = error.path === undefined || error.path === "" ? null : error.path;
  const body: JsonObject = { message: error.message, type: TYPES[error.kind], param, code: error.code ?? null };
  // Azure says which of its categories it was.
  return { error: error.code === "content_filter" ? { ...body, status: 400, innererror: AZURE_FILTER } : body };
}

/** Failures of both OpenAI APIs. */
export const OPENAI_FAILURES: ApiAdapter["failures"] = {
  "content-filter": {
    status: 400,
    message:
      "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
    code: "content_filter",
  },
  "invalid-prompt": {
    status: 400,
    message:
      "Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a different prompt: https://platform.openai.com/docs/guides/reasoning#advice-on-prompting",
    code: "invalid_prompt",
  },
  auth: { status: 401, message: "Incorrect API key provided: sk-te**st.", code: "invalid_api_key" },
  "rate-limit": { status: 429, message: "Rate limit reached for requests", code: "rate_limit_exceeded" },
  server: { status: 500, message: "The server had an error while processing your request. Sorry about that!" },
  overloaded: {
    status: 503,
    message: "The server is currently overloaded with other requests. Sorry about that! You can retry your request.",
    code: "server_is_overloaded",
  },
};
