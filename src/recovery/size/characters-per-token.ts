import { isObject, isPositive } from "../../transcript/json/json.ts";

/** Measured characters of a thousand tokens on one route, the newest last. */
export type Measured = readonly number[];

/** How many of the last measurements count. */
const RECENT = 5;

/** With fewer tokens, what was not measured of a request is too large a part of it. */
const LEAST_TOKENS = 500;

/** A token has between a tenth of a character and a line of blanks. */
const POSSIBLE = { least: 100, most: 20_000 } as const;

/**
 * Fields of an answer's usage that hold tokens of its prompt: in OpenClaw's form, in Anthropic's, Bedrock's, OpenAI's
 * and Gemini's. Those of one form are added up: what was read from a cache or written to it counts too.
 */
const PROMPT_FIELDS: readonly (readonly string[])[] = [
  ["input", "cacheRead", "cacheWrite"],
  ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"],
  ["inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens"],
  ["prompt_tokens"],
  ["promptTokenCount"],
];

/** Returns how many tokens the prompt had, by an answer's usage; undefined where it does not say. */
export function promptTokens(usage: unknown): number | undefined {
  if (!isObject(usage)) return undefined;
  for (const fields of PROMPT_FIELDS) {
    let tokens = 0;
    for (const field of fields) if (isPositive(usage[field])) tokens += usage[field];
    if (tokens > 0) return tokens;
  }
  return undefined;
}

/**
 * Adds what an answer's usage says of the request: `characters` is all that was sent, of {@link measureMessages} with
 * system prompt and tools. The same list where it says nothing, or something impossible.
 */
export function withMeasured(measured: Measured, characters: number, usage: unknown): Measured {
  const tokens = promptTokens(usage);
  if (tokens === undefined || tokens < LEAST_TOKENS) return measured;
  const ratio = Math.round((characters / tokens) * 1000);
  if (!(ratio >= POSSIBLE.least && ratio <= POSSIBLE.most)) return measured;
  return [...measured.slice(1 - RECENT), ratio];
}

/**
 * Returns how many characters a token has: the middle one of the measurements, the smaller one of two in the middle, so
 * that a single one that is far off does not count. Undefined where there are none.
 */
export function charactersPerToken(measured: Measured): number | undefined {
  const middle = measured.toSorted((one, other) => one - other)[Math.floor((measured.length - 1) / 2)];
  return middle === undefined ? undefined : middle / 1000;
}
