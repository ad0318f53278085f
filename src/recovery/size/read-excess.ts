import { spelledPlain, readWords } from "../errors/classify.ts";
import {
  BODY_SIZE,
  CONTEXT_SIZE,
  LIST_SIZE,
  MINUTE_SIZE,
  OVER_CONTEXT_SIZE,
  TEXT_SIZE,
} from "../errors/patterns/size-limits.ts";
import { LONG_FIELD } from "../errors/patterns/size.ts";
import { readSize, type SaidSize } from "../errors/read-size.ts";
import type { ProviderError } from "../failure.ts";

/** What a refusal says of the size of a request. */
export interface Excess {
  /** Tokens of the prompt, bytes of the body, characters of one text, or messages. */
  readonly unit: "tokens" | "bytes" | "characters" | "messages";
  /** How many are taken, without those that the request left for the answer. */
  readonly limit?: number;
  /** How many the request had. */
  readonly count?: number;
  /** How many it had above a limit that is not named. */
  readonly over?: number;
}

/** Only the beginning of an error is read. */
const MAX_TEXT = 16_000;

/**
 * Reads from a refusal what was too much, and how much of it there was and may be, as far as it is said; undefined
 * where it says nothing of it. Linear in the text; never throws.
 */
export function readExcess(error: ProviderError): Excess | undefined {
  const { words, status } = readWords(error);
  // Numbers in fields of their own are no words of the error.
  const fields = typeof error.text === "string" ? spelledPlain(error.text.slice(0, MAX_TEXT)) : "";
  const tokens =
    readSize(CONTEXT_SIZE, words) ??
    readSize(MINUTE_SIZE, words) ??
    readSize(OVER_CONTEXT_SIZE, words) ??
    readSize(CONTEXT_SIZE, fields);
  if (tokens) return toExcess("tokens", tokens);
  const text = LONG_FIELD.test(words) ? undefined : readSize(TEXT_SIZE, words);
  if (text) return toExcess("characters", text);
  const list = readSize(LIST_SIZE, words);
  if (list) return toExcess("messages", list);
  const body = readSize(BODY_SIZE, words) ?? (status === 413 && !/too large for /.test(words) ? {} : undefined);
  return body && toExcess("bytes", body);
}

function toExcess(unit: Excess["unit"], { limit, count, all, output = 0, over }: SaidSize): Excess {
  const had = count ?? (all === undefined ? undefined : all - output);
  const taken = limit === undefined ? undefined : limit - output;
  return {
    unit,
    ...(taken !== undefined && taken > 0 && { limit: taken }),
    ...(had !== undefined && had > 0 && { count: had }),
    ...(over !== undefined && { over }),
  };
}
