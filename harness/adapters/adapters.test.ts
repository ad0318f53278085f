import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { heal, prepare } from "../../src/wire/index.ts";
import { askedMessages, arbitraryCase, describeCase } from "./cases.ts";
import { installedAdapters } from "./installed.ts";
import { describeFault, judgeAlone, judgeRepaired } from "./judge.ts";
import { listTargets, writtenBy } from "./targets.ts";
import { toWire } from "./wire.ts";
import { healthyFrom } from "../arbitrary/history.ts";
import { listViolations } from "../providers/index.ts";

const RUNS = Number(process.env["ADAPTER_RUNS"] ?? 120);
const adapters = await installedAdapters();
const PAIRS = adapters.flatMap((adapter) => adapter.apis.map((api) => ({ adapter, api, name: adapter.name })));

/** Tool names with a dot are healthy in the store only. */
function withPlainNames(messages: unknown[]): unknown[] {
  return JSON.parse(JSON.stringify(messages).replaceAll("calendar.list", "calendar_list")) as unknown[];
}

describe.each(PAIRS)("the adapter of $name for $api", ({ adapter, api }) => {
  it("gets any history, and what it makes of it is valid in the end, nothing lost", async () => {
    const property = fc.asyncProperty(arbitraryCase(api, [adapter]), async (one) => {
      const fault = describeFault(await judgeRepaired(adapter, one.model, one.messages, one.expected));
      if (fault !== undefined) throw new Error(`${fault}\n${describeCase(one)}`);
    });
    const { failed, errorInstance } = await fc.check(property, { numRuns: RUNS });
    expect(failed, String(errorInstance)).toBe(false);
  });

  it("sends a healthy history as it is", async () => {
    for (const model of listTargets(api)) {
      for (let seed = 0; seed < 10; seed++) {
        const history = withPlainNames([
          ...healthyFrom(seed, 1 + (seed % 4)),
          { role: "user", content: "go on", timestamp: 1 },
        ]);
        const messages = writtenBy(model, history);
        expect(prepare(api, messages)).toBe(messages);
        const body = await adapter.build(model, messages);
        // A release may brick a healthy history by itself (ids for Mistral, calls of Gemini 3); that is healed too.
        const refused = listViolations(api, toWire(api, body), { model: model.id }).length > 0;
        expect(heal(api, body) === body || refused, `${model.id}, seed ${seed}`).toBe(true);
      }
    }
  });
});

it("finds fault with what the adapters make of corrupt histories without the repair", async () => {
  const refusing = new Set<string>();
  for (const adapter of adapters) {
    for (const one of fc.sample(arbitraryCase("anthropic-messages", [adapter]), { numRuns: 60, seed: 1 })) {
      const { refused } = await judgeAlone(adapter, one.model, askedMessages(one.messages), one.expected);
      if (refused !== undefined) refusing.add(adapter.name);
    }
  }
  expect([...refusing]).toEqual(adapters.map(({ name }) => name));
});
