import { describe, expect, test } from "vitest";
import { historyField } from "../../src/wire/apis.ts";
import { check, heal } from "../../src/wire/index.ts";
import type { ModelApi } from "../corpus/case.ts";
import { listViolations } from "../providers/index.ts";
import { RECORDED_APIS, loadRecorded, type Recorded } from "./recorded.ts";

type Json = Record<string, unknown>;

/** Messages that no API takes. */
const NOTHING: Record<ModelApi, unknown[]> = {
  "anthropic-messages": [{ role: "user", content: "" }, { role: "assistant", content: [] }, null],
  // Words of nobody have to join a neighbour here: one role never speaks twice.
  "bedrock-converse-stream": [
    { role: "assistant", content: [] },
    { role: "user", content: [] },
  ],
  "google-generative-ai": [{ role: "user", parts: [] }, "words"],
  "openai-completions": [{ role: "user", content: "" }, { role: "assistant", content: null }, null],
  "openai-responses": [{ type: "message", role: "user", content: [] }],
};

const text = (item: unknown): string => JSON.stringify(item);
const isResult = (item: unknown): boolean =>
  /"(?:role":"tool|type":"tool_result|functionResponse|function_response|toolResult|type":"function_call_output)"/.test(
    text(item),
  );
const isCall = (item: unknown): boolean =>
  /"(?:tool_calls":\[|type":"tool_use|functionCall|function_call|toolUse|type":"function_call)"?/.test(text(item));

/** A result of Gemini's without a word, which is left out where its call is lost. */
const saysNothing = (item: unknown): boolean =>
  /^\{"parts":\[\{"functionResponse":\{[^{]*"response":\{\}\}\}\]/.test(text(item));

/** What is wrong with one place of a history. */
const FAULTS: Record<string, (items: unknown[], at: number, api: ModelApi) => unknown[] | undefined> = {
  "a message without content": (items, at, api) => items.toSpliced(at, 0, NOTHING[api][at % NOTHING[api].length]),
  "half a character": (items, at) => {
    const broken = text(items[at]).replace(/said \d+/, "$&\\ud83e");
    return broken === text(items[at]) ? undefined : items.with(at, JSON.parse(broken));
  },
  "a lost result": (items, at) => (isResult(items[at]) ? items.toSpliced(at, 1) : undefined),
  "a lost call": (items, at) => (isCall(items[at]) && !isResult(items[at]) ? items.toSpliced(at, 1) : undefined),
};

const pickOptions = ({ model, host }: Recorded): { model: string; host: string } => ({ model, host });

describe.each(RECORDED_APIS)("%s: one fault in an accepted request", (api) => {
  const field = historyField(api)!;
  // Whose result is whose cannot be told where one id is used twice.
  const requests = [...loadRecorded(api).values()].filter(
    ({ status, body }) =>
      status === 200 &&
      Array.isArray(body[field]) &&
      body["previous_response_id"] === undefined &&
      !text(body).includes("9qpohuk8"),
  );

  test.each(Object.keys(FAULTS))(
    "%s is healed wherever it stands, and every other message is the same object",
    (fault) => {
      for (const request of requests) {
        const given = request.body[field] as unknown[];
        for (let at = 0; at < given.length; at++) {
          const items = FAULTS[fault]!([...given], at, api);
          const body: Json = { ...request.body, [field]: items };
          if (!items || check(api, body, pickOptions(request)).length === 0) continue;
          const healed = heal(api, body, pickOptions(request));
          expect(check(api, healed, pickOptions(request))).toEqual([]);
          expect(listViolations(api, healed, pickOptions(request))).toEqual([]);
          expect(heal(api, healed, pickOptions(request))).toBe(healed);
          const sent = new Set(healed[field] as unknown[]);
          const isAtFault = (place: number): boolean => place === at && !items.includes(given[place]);
          const changed = given.filter((item, place) => !sent.has(item) && !isAtFault(place) && !saysNothing(item));
          expect(changed.map(text), text(body)).toEqual([]);
        }
      }
    },
  );
});
