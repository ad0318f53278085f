import type { Saying } from "./saying.ts";

/** Temporary errors: the same request may work later. Matched against text in lower case, as all {@link Saying}s. */
export const OVERLOAD: readonly Saying[] = [
  ["several", /overloaded|rate[_ -]?limit|too many requests|try again later|(?:try again|retry) in \d/],
  ["several", /internal ?server ?error|service ?unavailable|bad gateway|gateway time-?out/],
  ["Bedrock", /too many tokens, please wait|throttl|unexpected error during processing|model stream error/],
  ["Gemini", /resource_exhausted|high demand|internal error (?:has occurred|encountered)/],
  ["Codex", /at capacity/],
  ["Mistral", /tier capacity exceeded/],
  ["OpenAI", /server_error|server had an error/],
  ["Z.ai", /high concurrency usage/],
  ["llama.cpp", /loading model/],
  ["Hugging Face", /(?:still|currently) loading/],
];

/** Codes of temporary errors; used only without an HTTP status. */
export const OVERLOAD_CODES: ReadonlySet<string> = new Set([
  "unavailable",
  "internal",
  "deadline_exceeded",
  "api_error",
  "timeout_error",
]);

/** Errors of the connection; used only without an HTTP status, since a status means that the provider has answered. */
export const CONNECTION: readonly Saying[] = [
  ["Node", /\becon\w{3,12}|\benotfound|\betimedout|\beai_again|socket hang up/],
  ["undici", /fetch failed|other side closed|^(?:error: )?terminated\.?$/],
  ["node-fetch", /premature close/],
  ["SDKs", /connection (?:error|closed|reset|refused|terminated|lost)|\btimed? ?out\b/],
  ["Codex", /stream (?:ended|closed|disconnected)/],
  ["OpenClaw", /network[_ ]error|finish_reason: error/],
];

/** Statuses of a temporary error below 500. */
export const OVERLOAD_STATUS: ReadonlySet<number> = new Set([408, 425, 429]);
