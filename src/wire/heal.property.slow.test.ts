import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { APIS, carelessBody } from "../../test/arbitrary/bodies.ts";
import { anyHistory, corruptHistory, healthyFrom } from "../../test/arbitrary/history.ts";
import { violationsOf } from "../../test/providers/index.ts";
import { repair } from "../transcript/repair.ts";
import { check, heal, prepare } from "./index.ts";

const RUNS = Number(process.env.PROPERTY_RUNS ?? 2000);
const MODELS = ["some-model", "mistral-large-latest", "deepseek-reasoner", "kimi-k2-thinking", "gemini-3-pro"];

/** Heals and holds the outcome against our own rules and against those of the strict provider, which were written apart. */
function expectHealed(api: (typeof APIS)[number], body: object): unknown {
  const before = JSON.stringify(body);
  const healed = heal(api, body);
  expect(check(api, healed)).toEqual([]);
  expect(violationsOf(api, healed)).toEqual([]);
  expect(heal(api, healed), "healing twice").toBe(healed);
  expect(JSON.stringify(body), "the body was changed").toBe(before);
  expect(JSON.stringify(heal(api, structuredClone(body))), "not deterministic").toBe(JSON.stringify(healed));
  return healed;
}

describe.each(APIS)("%s", (api) => {
  it("heals any corrupt body", () => {
    fc.assert(
      fc.property(corruptHistory, fc.constantFrom(...MODELS), ({ messages, texts, results }, model) => {
        const healed = JSON.stringify(expectHealed(api, carelessBody(api, messages, model)));
        for (const text of texts) expect(healed).toContain(text.trim());
        for (const { text } of results) expect(healed).toContain(text);
      }),
      { numRuns: RUNS },
    );
  });

  it("heals any JSON whatever", () => {
    fc.assert(
      fc.property(anyHistory, fc.constantFrom(...MODELS), fc.boolean(), (messages, model, raw) => {
        const body = carelessBody(api, messages, model);
        const field = "messages" in body ? "messages" : "input" in body ? "input" : "contents";
        expectHealed(api, raw ? { ...body, [field]: messages } : body);
      }),
      { numRuns: RUNS },
    );
  });

  it("gate, prepare, adapter, heal: valid, nothing lost", () => {
    fc.assert(
      fc.property(corruptHistory, fc.constantFrom(...MODELS), ({ messages, texts, results }, model) => {
        const prepared = prepare(api, repair(messages).messages as unknown[]);
        expect(prepare(api, prepared)).toBe(prepared);
        const healed = JSON.stringify(expectHealed(api, carelessBody(api, prepared, model)));
        for (const text of texts) expect(healed).toContain(text.trim());
        for (const { text } of results) expect(healed).toContain(text);
      }),
      { numRuns: RUNS },
    );
  });

  it("returns a healthy body as the same object", () => {
    for (let seed = 0; seed < 100; seed++) {
      const messages = healthyFrom(seed, 1 + (seed % 5));
      // The model's turn is over, so the user speaks last.
      messages.push({ role: "user", content: "go on" });
      expect(prepare(api, messages)).toBe(messages);
      const body = carelessBody(api, messages.map(withPlainName));
      expect(check(api, body)).toEqual([]);
      expect(violationsOf(api, body)).toEqual([]);
      expect(heal(api, body)).toBe(body);
    }
  });
});

/** Tool names with a dot are healthy in the store only. */
function withPlainName(message: unknown): unknown {
  return JSON.parse(JSON.stringify(message).replaceAll("calendar.list", "calendar_list"));
}
