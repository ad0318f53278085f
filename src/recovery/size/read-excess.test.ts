import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anthropicError, geminiError, openAiError } from "../../../test/recovery/failure-text.ts";
import { FILTERED, NO_ACCESS, OVERLOADED, TOO_LONG } from "../../../test/recovery/not-history.ts";
import { REPORTED_SIZE } from "../../../test/recovery/reports/size.ts";
import { TOO_LONG_ELSEWHERE } from "../../../test/recovery/route-texts.ts";
import { classify } from "../errors/classify.ts";
import { readExcess, type Excess } from "./read-excess.ts";

/** Beginnings of the texts of other tests, and what they say; a text that is in none of these says nothing. */
const SAID: readonly (readonly [part: string, excess: Excess])[] = [
  ["prompt is too long: 209331 tokens > 200000 maximum", { unit: "tokens", limit: 200_000, count: 209_331 }],
  ["190000 + 20000 > 204648", { unit: "tokens", limit: 184_648, count: 190_000 }],
  ["Request exceeds the maximum size", { unit: "bytes" }],
  ["your messages resulted in 131072 tokens", { unit: "tokens", limit: 128_000, count: 131_072 }],
  ["input token count (1200000)", { unit: "tokens", limit: 1_048_576, count: 1_200_000 }],
  ["exceeded model token limit: 262144", { unit: "tokens", limit: 262_144 }],
  ["[1, 98304]", { unit: "tokens", limit: 98_304 }],
  ["contains 140000 tokens", { unit: "tokens", limit: 131_072, count: 140_000 }],
  ['"n_prompt_tokens":9000', { unit: "tokens", limit: 8192, count: 9000 }],
  ["Request size is 33.25 MB", { unit: "bytes", limit: 32_000_000, count: 33_250_000 }],
  ["Maximum request body size 1048576", { unit: "bytes", limit: 1_048_576, count: 1_309_298 }],
  ["413 Request Entity Too Large", { unit: "bytes" }],
  ["FUNCTION_PAYLOAD_TOO_LARGE", { unit: "bytes" }],
  ["PayloadTooLargeError", { unit: "bytes" }],
  ['"request_too_large"', { unit: "bytes" }],
  ["configured limit of 272000", { unit: "tokens", limit: 272_000, count: 300_000 }],
  ["messages[3].content': string too long", { unit: "characters", limit: 10_485_760, count: 12_345_678 }],
  ["input[3].output': string too long", { unit: "characters", limit: 10_485_760, count: 12_345_678 }],
  ["Limit 30000, Requested 45000", { unit: "tokens", limit: 30_000, count: 45_000 }],
  ["202350 tokens > 200000", { unit: "tokens", limit: 200_000, count: 202_350 }],
  ["requested about 2500021 tokens", { unit: "tokens", limit: 200_000, count: 2_500_021 }],
  ["requested about 150000 tokens", { unit: "tokens", limit: 131_072, count: 150_000 }],
  ["request (70000 tokens)", { unit: "tokens", limit: 65_536, count: 70_000 }],
  ["keep the first 45000 tokens", { unit: "tokens", limit: 4096, count: 45_000 }],
  ["requested 40000 tokens (38000 in", { unit: "tokens", limit: 30_768, count: 38_000 }],
  ["requested 1250025 tokens", { unit: "tokens", limit: 1_048_565, count: 1_250_025 }],
  ["by 1119046 tokens", { unit: "tokens", over: 1_119_046 }],
  ["contains 150000 tokens", { unit: "tokens", limit: 131_072, count: 150_000 }],
  ["Limit 6000, Requested 9000", { unit: "tokens", limit: 6000, count: 9000 }],
  ["[1, 983616]", { unit: "tokens", limit: 983_616 }],
  ["Current length is 40000", { unit: "tokens", limit: 32_768, count: 40_000 }],
  ["Given: 9000 `inputs`", { unit: "tokens", limit: 7681, count: 9000 }],
  ["Given: 9000", { unit: "tokens", limit: 8193, count: 9000 }],
  ["resulted in 204308 tokens", { unit: "tokens", limit: 128_000, count: 204_308 }],
  ["limit: 20971520 bytes", { unit: "bytes", limit: 20_971_520 }],
  ["30000000 > 25000000", { unit: "bytes", limit: 25_000_000, count: 30_000_000 }],
  ["decoder prompt (length 40000)", { unit: "tokens", limit: 32_768, count: 40_000 }],
  ["maximum prompt length is 131072", { unit: "tokens", limit: 131_072, count: 537_812 }],
  ["prompt token count of 140000", { unit: "tokens", limit: 128_000, count: 140_000 }],
  ["exceeded by 1234 tokens", { unit: "tokens", over: 1234 }],
  ["maximum length 2048, but got", { unit: "messages", limit: 2048, count: 2101 }],
  ["maximum length 16000, but got", { unit: "messages", limit: 16_000, count: 16_007 }],
  ["Maximum allowed is 10485760 bytes", { unit: "bytes", limit: 10_485_760 }],
];

/** What other versions of the same servers say. */
const MORE: readonly (readonly [from: string, text: string, excess: Excess | undefined])[] = [
  [
    "kimi-cli#2011",
    "400 Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)",
    { unit: "tokens", limit: 262_144, count: 269_030 },
  ],
  [
    "vLLM",
    openAiError(
      "This model's maximum context length is 8192 tokens. However, you requested 2000 output tokens and your prompt contains at least 6193 input tokens, for a total of at least 8193 tokens.",
    ),
    { unit: "tokens", limit: 6192, count: 6193 },
  ],
  [
    "vLLM",
    openAiError("This model's maximum context length is 8192 tokens. However, your request has 9000 input tokens."),
    { unit: "tokens", limit: 8192, count: 9000 },
  ],
  [
    "OpenAI, with functions",
    openAiError(
      "This model's maximum context length is 4097 tokens. However, you requested 4468 tokens (4012 in the messages, 200 in the functions, and 256 in the completion).",
    ),
    { unit: "tokens", limit: 3841, count: 4012 },
  ],
  [
    "OpenRouter",
    openAiError(
      "This endpoint's maximum context length is 131072 tokens. However, you requested about 150000 tokens (110000 of text input, 8000 of tool input, 32000 in the output).",
    ),
    { unit: "tokens", limit: 99_072, count: 118_000 },
  ],
  [
    "Anthropic, with separators",
    anthropicError("prompt is too long: 209,331 tokens > 200,000 maximum"),
    { unit: "tokens", limit: 200_000, count: 209_331 },
  ],
  [
    "LiteLLM",
    "413 Request size is too large. Request size is 33.25 MB. Max size is 32.0 MB",
    { unit: "bytes", limit: 32_000_000, count: 33_250_000 },
  ],
  [
    "aiohttp",
    "413 Maximum request body size 1048576 exceeded, actual body size 1309298",
    { unit: "bytes", limit: 1_048_576, count: 1_309_298 },
  ],
  ["OmniRoute", "413 Request body too large. Maximum allowed: 50 MB", { unit: "bytes", limit: 50_000_000 }],
  ["an unknown server", "413 no", { unit: "bytes" }],
  ["Groq", "413 Request too large for model `x` in organization `y`", undefined],
  ["MiniMax, a code", "400 invalid params, context window exceeds limit (2013)", undefined],
  ["an id", "400 Invalid 'input[3].call_id': string too long. Expected a string with maximum length 64", undefined],
  [
    "Gemini, without a count",
    geminiError("the maximum number of tokens allowed (1048576)"),
    { unit: "tokens", limit: 1_048_576 },
  ],
];

const TEXTS = [...TOO_LONG, ...REPORTED_SIZE, ...TOO_LONG_ELSEWHERE].map(([from, text]) => [from, text] as const);

describe("what was too much is read from a refusal, so that the next request is not refused for the same", () => {
  it.each(TEXTS)("%s: %s", (_from, text) => {
    expect(readExcess({ text })).toEqual(SAID.find(([part]) => text.includes(part))?.[1]);
  });

  it.each(MORE)("%s: %s", (_from, text, excess) => {
    expect(readExcess({ text })).toEqual(excess);
  });

  it("every saying of the table is that of a text", () => {
    for (const [part] of SAID)
      expect(
        TEXTS.some(([, text]) => text.includes(part)),
        part,
      ).toBe(true);
  });

  it("what a minute takes is not learned as the size of the context", () => {
    const text = "429 Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 45000.";
    expect(classify({ text })).toEqual({ kind: "size" });
  });
});

it("errors about something else say nothing", () => {
  for (const [, text] of [...OVERLOADED, ...NO_ACCESS, ...FILTERED]) expect(readExcess({ text }), text).toBeUndefined();
});

it("no text makes it throw, or names a number that is none", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...TEXTS.map(([, text]) => text), "9".repeat(40), "(", '{"', " ", "≥")),
      (texts) => {
        const excess = readExcess({ text: texts.join("") });
        for (const number of [excess?.limit, excess?.count, excess?.over])
          expect(number === undefined || (Number.isSafeInteger(number) && number > 0)).toBe(true);
      },
    ),
  );
});
