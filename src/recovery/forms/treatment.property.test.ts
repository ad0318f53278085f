import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { APIS, carelessBody } from "../../../harness/arbitrary/bodies.ts";
import { anyHistory, corruptHistory } from "../../../harness/arbitrary/history.ts";
import { listViolations } from "../../../harness/providers/index.ts";
import { validate } from "../../transcript/index.ts";
import { heal, prepare } from "../../wire/index.ts";
import { listMessageIds, isStorable, treat, treatMessage, type Treatment } from "./treatment.ts";

const RUNS = Number(process.env.PROPERTY_RUNS ?? 250);

const KINDS: Treatment[] = [
  { kind: "flat", keepMedia: true },
  { kind: "flat", keepMedia: false },
  { kind: "without_thinking" },
  { kind: "without_media" },
  { kind: "fewer_pictures", limits: { most: 1 } },
  { kind: "fewer_pictures", limits: { bytes: 50, pixels: 100 } },
  { kind: "without_documents" },
  { kind: "one_call_each" },
  { kind: "strict_roles" },
  { kind: "one_message" },
];

/** Any treatment, of calls that stand in the history where it is about calls. */
function makeTreatment(messages: readonly unknown[], at: number): Treatment {
  const ids = messages.flatMap(listMessageIds);
  const own: Treatment[] =
    ids.length > 0
      ? [
          { kind: "calls_as_text", ids: ids.filter((_, index) => index % 2 === at % 2) },
          { kind: "without_thinking", ids },
        ]
      : [];
  const all = [...KINDS, ...own];
  return all[at % all.length]!;
}

describe.each(APIS)("%s", (api) => {
  it("a treated history is valid for the API, keeps every text and result, and is treated once", () => {
    fc.assert(
      fc.property(corruptHistory, fc.nat(20), ({ messages, texts, results }, at) => {
        const prepared = prepare(api, messages);
        const before = JSON.stringify(prepared);
        const treatment = makeTreatment(prepared, at);
        const treated = treat(prepared, treatment);
        expect(JSON.stringify(prepared), "the history was changed").toBe(before);
        expect(treat(structuredClone(prepared), treatment), "not deterministic").toEqual(treated);
        expect(treat(treated, treatment), "treating twice").toEqual(treated);
        const ready = prepare(api, treated);
        expect(validate(ready)).toEqual([]);
        const body = heal(api, carelessBody(api, ready));
        expect(listViolations(api, body)).toEqual([]);
        const sent = readable(body);
        for (const text of texts) expect(sent).toContain(text.trim());
        for (const { text } of results) expect(sent).toContain(text);
      }),
      { numRuns: RUNS },
    );
  });

  it("after the flat form no tool block is left in any body", () => {
    fc.assert(
      fc.property(corruptHistory, ({ messages }) => {
        const body = JSON.stringify(
          heal(api, carelessBody(api, prepare(api, treat(prepare(api, messages), { kind: "flat", keepMedia: true })))),
        );
        expect(body).not.toMatch(
          /"(tool_use|tool_result|tool_calls|tool_call_id|function_call|function_call_output|functionCall|functionResponse|toolUse|toolResult)"/,
        );
      }),
      { numRuns: RUNS },
    );
  });
});

describe("any JSON whatever", () => {
  it("makes no treatment throw, and message by message gives what stands in the whole", () => {
    fc.assert(
      fc.property(anyHistory, fc.nat(20), (messages, at) => {
        const treatment = makeTreatment(messages, at);
        expect(() => treat(messages, treatment)).not.toThrow();
        if (isStorable(treatment))
          for (const message of messages)
            expect(treatMessage(treatMessage(message, treatment), treatment)).toEqual(treatMessage(message, treatment));
      }),
      { numRuns: RUNS },
    );
  });
});

/** All strings of a body, out of their JSON. */
function readable(value: unknown): string {
  if (typeof value === "string") return `${value}\n`;
  if (Array.isArray(value)) return value.map(readable).join("");
  return typeof value === "object" && value !== null ? Object.values(value).map(readable).join("") : "";
}
