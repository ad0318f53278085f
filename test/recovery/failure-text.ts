import type { ProviderError, ProviderFailure } from "../../src/recovery/failure.ts";

/**
 * A real error text: where it was reported or documented; the text as OpenClaw leaves it (the provider's words are
 * those of the source, the wrapper is OpenClaw's or the SDK's); what it is about, in the short form of {@link inShort};
 * what is known besides.
 */
export type FailureText = readonly [from: string, text: string, is: string, known?: Omit<ProviderError, "text">];

/** A failure in one line: `history tool_pairing @18.1 toolu_1`, `content_filter answer`, `size`. */
export function inShort(failure: ProviderFailure): string {
  switch (failure.kind) {
    case "history": {
      const place =
        failure.message === undefined
          ? []
          : [`@${failure.message}${failure.block === undefined ? "" : `.${failure.block}`}`];
      return ["history", failure.problem, ...place, ...failure.ids].join(" ");
    }
    case "content_filter":
      return `content_filter ${failure.part}`;
    default:
      return failure.kind;
  }
}

/** Anthropic's envelope, as its SDK puts it into a message. */
export function anthropicError(message: string, type = "invalid_request_error", status = 400): string {
  return `${status} ${JSON.stringify({ type: "error", error: { type, message }, request_id: "req_011CVw2irzCqYx77e329n3GK" })}`;
}

/** OpenAI's envelope, as a gateway passes it on. */
export function openAiError(
  message: string,
  param: string | null = null,
  code: string | null = null,
  type = "invalid_request_error",
  status = 400,
): string {
  return `${status} ${JSON.stringify({ error: { message, type, param, code } })}`;
}

/** Google's envelope, as its SDK puts it into a message. */
export function geminiError(message: string, status = "INVALID_ARGUMENT", code = 400): string {
  return JSON.stringify({
    error: { message: JSON.stringify({ error: { code, message, status } }), code, status: "Bad Request" },
  });
}
