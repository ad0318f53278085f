import type { Api, FrontAnswer } from "../providers/index.ts";

/** Errors in the envelopes of the APIs, as their endpoints send them. */
export const anthropicError = (message: string, status = 400, type = "invalid_request_error"): FrontAnswer => ({
  status,
  body: { type: "error", error: { type, message }, request_id: "req_011CXtest" },
});

export const openAiError = (message: string, more: object = {}, status = 400): FrontAnswer => ({
  status,
  body: { error: { message, type: "invalid_request_error", param: null, code: null, ...more } },
});

export const geminiError = (message: string, status = 400): FrontAnswer => ({
  status,
  body: { error: { code: status, message, status: status === 400 ? "INVALID_ARGUMENT" : "INTERNAL" } },
});

/** The error in the envelope of this API. */
export function wrapError(api: Api, status: number, message: string): FrontAnswer {
  if (api === "anthropic-messages") return anthropicError(message, status, status < 500 ? undefined : "api_error");
  if (api === "google-generative-ai") return geminiError(message, status);
  if (api === "bedrock-converse-stream") return { status, body: { message } };
  return openAiError(message, status < 500 ? {} : { type: "server_error" }, status);
}

/** A stream of these events, which ends well whatever is in it. */
export const makeStream = (events: readonly object[], isNamed = true): FrontAnswer => ({
  status: 200,
  contentType: "text/event-stream",
  body: events
    .map(
      (event) =>
        `${isNamed && "type" in event ? `event: ${String(event.type)}\n` : ""}data: ${JSON.stringify(event)}\n\n`,
    )
    .join(""),
});
