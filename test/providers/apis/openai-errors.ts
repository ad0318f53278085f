import type { ApiAdapter, JsonObject, ProviderError } from "../types.ts";

const TYPES: Record<ProviderError["kind"], string> = {
  invalid: "invalid_request_error",
  "content-filter": "invalid_request_error",
  auth: "invalid_request_error",
  "rate-limit": "requests",
  server: "server_error",
  overloaded: "server_error",
};

/** OpenAI's error envelope. */
export function openAiError(error: ProviderError): JsonObject {
  const param = error.path === undefined || error.path === "" ? null : error.path;
  return { error: { message: error.message, type: TYPES[error.kind], param, code: error.code ?? null } };
}

/** Failures of both OpenAI APIs. */
export const OPENAI_FAILURES: ApiAdapter["failures"] = {
  "content-filter": {
    status: 400,
    message:
      "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
    code: "content_filter",
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
