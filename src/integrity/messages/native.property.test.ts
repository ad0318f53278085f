/** What a repair of an Anthropic session leaves: a strict provider takes it, whatever stood in the history. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { carelessBody } from "../../../harness/arbitrary/bodies.ts";
import { anyHistory, corruptHistory, healthyFrom } from "../../../harness/arbitrary/history.ts";
import { listViolations } from "../../../harness/providers/index.ts";
import { repairIn, violationsIn } from "./native.ts";

const RUNS = Number(process.env.PROPERTY_RUNS ?? 300);
const API = "anthropic-messages";

/** What the strict provider says of the messages, the user's next words behind them. */
function refusals(messages: readonly unknown[]): unknown[] {
  return listViolations(API, {
    model: "claude-opus-4-6",
    max_tokens: 100,
    messages: [...messages, { role: "user", content: "And now?" }],
  });
}

function expectRepaired(messages: readonly unknown[]): string {
  const before = JSON.stringify(messages);
  const { messages: repaired, repaired: isChanged, repairs } = repairIn("anthropic", messages);
  expect(refusals(repaired)).toEqual([]);
  expect(violationsIn("anthropic", repaired)).toEqual([]);
  expect(repairIn("anthropic", repaired).messages, "repairing twice").toBe(repaired);
  expect(JSON.stringify(messages), "the history was changed").toBe(before);
  expect(isChanged).toBe(violationsIn("anthropic", messages).length > 0);
  expect(repairs.length > 0).toBe(isChanged);
  if (!isChanged) expect(repaired).toBe(messages);
  expect(JSON.stringify(repaired)).not.toMatch(/"(toolCall|toolResult|toolCallId)":|"role":"toolResult"/);
  return JSON.stringify(repaired);
}

describe("an Anthropic history after its repair", () => {
  it.each([
    ["in OpenClaw's form", false],
    ["in Anthropic's form", true],
  ])("is one that the API takes, and nothing is lost: corrupt histories %s", (_what, isNative) => {
    fc.assert(
      fc.property(corruptHistory, ({ messages, texts, results }) => {
        const given = isNative ? (carelessBody(API, messages).messages as unknown[]) : messages;
        const repaired = expectRepaired(given);
        for (const text of texts) expect(repaired).toContain(text.trim());
        for (const { text } of results) expect(repaired).toContain(text);
      }),
      { numRuns: RUNS },
    );
  });

  it("is one that the API takes: any JSON whatever", () => {
    fc.assert(
      fc.property(anyHistory, (messages) => {
        expectRepaired(messages);
      }),
      { numRuns: RUNS },
    );
  });

  it("is the very same list when it was healthy", () => {
    for (let seed = 0; seed < 100; seed++) {
      const messages = JSON.parse(
        JSON.stringify(carelessBody(API, healthyFrom(seed, 1 + (seed % 5))).messages).replaceAll(
          "calendar.list",
          "calendar_list",
        ),
      ) as unknown[];
      expect(refusals(messages)).toEqual([]);
      expect(violationsIn("anthropic", messages)).toEqual([]);
      expect(repairIn("anthropic", messages).messages).toBe(messages);
    }
  });
});
