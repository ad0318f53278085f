import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { APIS, carelessBody } from "../../harness/arbitrary/bodies.ts";
import {
  buildBody,
  damage,
  FAMILY_MODELS,
  healthyEntries,
  idsBeginAgain,
  reasonedBody,
  type FamilyApi,
} from "../../harness/arbitrary/families.ts";
import { Draw } from "../../harness/arbitrary/draw.ts";
import { anyHistory, corruptHistory, healthyFrom } from "../../harness/arbitrary/history.ts";
import { withKnownTypes } from "../../harness/arbitrary/known-types.ts";
import { listViolations } from "../../harness/providers/index.ts";
import { marksIn, pairsIn } from "../../harness/arbitrary/marks.ts";
import { repair } from "../transcript/repair.ts";
import { check, heal, prepare } from "./index.ts";

const RUNS = Number(process.env.PROPERTY_RUNS ?? 500);
const MODELS = ["some-model", "mistral-large-latest", "deepseek-reasoner", "kimi-k2-thinking", "gemini-3-pro"];

/**
 * Heals and holds the outcome against our own rules and against those of the strict provider, which were written apart.
 */
function expectHealed(api: (typeof APIS)[number], body: object, model?: string): object {
  const before = JSON.stringify(body);
  const healed = heal(api, body);
  expect(check(api, healed)).toEqual([]);
  expect(listViolations(api, withKnownTypes(api, healed), model === undefined ? {} : { model })).toEqual([]);
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
      expect(listViolations(api, body)).toEqual([]);
      expect(heal(api, body)).toBe(body);
    }
  });
});

/** Tool names with a dot are healthy in the store only. */
function withPlainName(message: unknown): unknown {
  return JSON.parse(JSON.stringify(message).replaceAll("calendar.list", "calendar_list"));
}

const numbers = fc.array(fc.nat(1_000_000), { minLength: 8, maxLength: 40 });

/** A result is told of the call it belongs to, or of one that stands in for a lost one. */
function expectOwnResults(api: FamilyApi, healed: object): void {
  for (const { call, result } of pairsIn(api, healed as Record<string, unknown>)) {
    const said = JSON.stringify(call ?? "no call");
    for (const mark of marksIn(result).filter((one) => one.startsWith("r"))) {
      if (!said.includes("unknown_tool"))
        expect(said, `the result ${mark} at another call`).toContain(mark.replace("r", "c"));
    }
  }
}

describe.each(Object.keys(FAMILY_MODELS) as FamilyApi[])("server tools and other families on %s", (api) => {
  const models = fc.constantFrom(...FAMILY_MODELS[api]);

  it("go out to the byte where they are healthy", () => {
    fc.assert(
      fc.property(numbers, fc.integer({ min: 1, max: 4 }), models, fc.boolean(), (list, turns, model, thinking) => {
        const body = buildBody(api, model, healthyEntries(api, new Draw(list), turns), thinking);
        expect(listViolations(api, body, { model })).toEqual([]);
        expect(check(api, body)).toEqual([]);
        expect(heal(api, body)).toBe(body);
      }),
      { numRuns: RUNS },
    );
  });

  it("are healed of any damage: valid, nothing lost, no result at another call", () => {
    fc.assert(
      fc.property(
        numbers,
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 6 }),
        models,
        fc.boolean(),
        (list, turns, times, model, thinking) => {
          const draw = new Draw(list);
          const entries = healthyEntries(api, draw, turns);
          damage(api, entries, draw, times);
          const body = buildBody(api, model, entries, thinking);
          const healed = expectHealed(api, body, model);
          const given = marksIn(body);
          expect(
            marksIn(healed)
              .filter((mark) => given.includes(mark))
              .toSorted(),
          ).toEqual(given.toSorted());
          expectOwnResults(api, healed);
        },
      ),
      { numRuns: RUNS },
    );
  });
});

it("ids that begin again behind a compaction: no output from before is told as that of a new call", () => {
  fc.assert(
    fc.property(numbers, fc.integer({ min: 1, max: 4 }), (list, pairs) => {
      const body = idsBeginAgain(new Draw(list), pairs);
      const healed = expectHealed("openai-responses", body);
      expect(marksIn(healed).toSorted()).toEqual(marksIn(body).toSorted());
      expectOwnResults("openai-responses", healed);
    }),
    { numRuns: RUNS },
  );
});

it("what was made with reasoning goes out right behind it, or without the id that points to it", () => {
  fc.assert(
    fc.property(numbers, fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 4 }), (list, turns, times) => {
      const body = reasonedBody(new Draw(list), turns, times);
      // That an item is no longer behind its reasoning cannot be seen without the server's own list.
      fc.pre(!listViolations("openai-responses", body).some(({ message }) => message.includes("required 'reasoning'")));
      const healed = expectHealed("openai-responses", body);
      expect(marksIn(healed).toSorted()).toEqual(marksIn(body).toSorted());
      expectOwnResults("openai-responses", healed);
    }),
    { numRuns: RUNS },
  );
});
