import type { ProviderError } from "../failure.ts";

/**
 * OpenClaw's codes for a response that is no answer: one of another type, as a proxy's page, and a stream that ends
 * before an answer does. Of the first one OpenClaw leaves the middle out, as of a secret, where an SDK wraps the error.
 */
const CODES = /^(?:invali(?:d_provider_content_|…)type|stream_incomplete)$/i;

/** True for an error about a response that came in place of an answer: the connection is not at fault, nor load. */
export function isNoAnswer({ code }: ProviderError): boolean {
  return code !== undefined && CODES.test(code);
}
