import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { charactersPerToken, promptTokens, withMeasured, type Measured } from "./characters-per-token.ts";

describe("the tokens of a prompt are read from each form of usage, with those in a cache", () => {
  it.each<[form: string, usage: unknown, tokens: number | undefined]>([
    ["OpenClaw", { input: 5, output: 9, cacheRead: 2000, cacheWrite: 300, totalTokens: 2314 }, 2305],
    ["Anthropic", { input_tokens: 5, cache_read_input_tokens: 2000, cache_creation_input_tokens: null }, 2005],
    ["Bedrock", { inputTokens: 5, cacheReadInputTokens: 7, cacheWriteInputTokens: 1 }, 13],
    ["OpenAI", { prompt_tokens: 70, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 50 } }, 70],
    ["Responses", { input_tokens: 70, input_tokens_details: { cached_tokens: 50 } }, 70],
    ["Gemini", { promptTokenCount: 12, candidatesTokenCount: 4 }, 12],
    ["an empty one", { input: 0, output: 0 }, undefined],
    ["none", undefined, undefined],
    ["texts", { input: "5" }, undefined],
  ])("%s", (_form, usage, tokens) => {
    expect(promptTokens(usage)).toBe(tokens);
  });
});

describe("characters of a token", () => {
  it("are measured from what was sent", () => {
    expect(charactersPerToken([])).toBeUndefined();
    const one = withMeasured([], 35_000, { input: 0, cacheRead: 9000, cacheWrite: 1000 });
    expect(charactersPerToken(one)).toBe(3.5);
    expect(charactersPerToken(withMeasured(one, 20_000, { input: 10_000 }))).toBe(2);
  });

  it("are not measured from small or impossible answers", () => {
    const before: Measured = [3500];
    expect(withMeasured(before, 1000, { input: 400 })).toBe(before);
    expect(withMeasured(before, 50, { input: 5000 })).toBe(before);
    expect(withMeasured(before, 5_000_000, { input: 600 })).toBe(before);
    expect(withMeasured(before, Number.NaN, { input: 600 })).toBe(before);
    expect(withMeasured(before, 5000, "none")).toBe(before);
  });

  it("follow the measurements, and not a single one that is far off", () => {
    const around = fc.double({ min: 0.95, max: 1.05, noNaN: true });
    fc.assert(
      fc.property(
        fc.double({ min: 1, max: 5, noNaN: true }),
        fc.array(around, { minLength: 2, maxLength: 12 }),
        fc.double({ min: 0.3, max: 15, noNaN: true }),
        fc.nat(12),
        (perToken, others, off, at) => {
          const all = others.map((part) => perToken * part);
          all.splice(at % (all.length + 1), 0, off);
          let measured: Measured = [];
          for (const each of all) measured = withMeasured(measured, each * 10_000, { input: 10_000 });
          expect(measured.length).toBeLessThanOrEqual(5);
          expect(charactersPerToken(measured)).toBeGreaterThan(perToken * 0.94);
          expect(charactersPerToken(measured)).toBeLessThan(perToken * 1.06);
        },
      ),
    );
  });
});
