import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { healthyFrom } from "./arbitrary/history.ts";
import { APIS } from "./arbitrary/bodies.ts";
import { heal, prepare } from "../src/wire/index.ts";
import { casesOf, describeCase } from "./adapters/cases.ts";
import { judgeAlone, judgeRepaired } from "./adapters/judge.ts";
import { installedAdapters } from "./adapters/installed.ts";
import { targetsOf, writtenBy } from "./adapters/targets.ts";

const RUNS = Number(process.env["ADAPTER_RUNS"] ?? 250);
const adapters = await installedAdapters();

/** Tool names with a dot are healthy in the store only. */
function withPlainNames(messages: unknown[]): unknown[] {
  return JSON.parse(JSON.stringify(messages).replaceAll("calendar.list", "calendar_list")) as unknown[];
}

describe.each(adapters)("the adapters of $name", (adapter) => {
  it.each(APIS.filter((api) => adapter.apis.includes(api)))("%s: any history becomes a valid request, nothing lost", async (api) => {
    await fc.assert(
      fc.asyncProperty(casesOf(api, [adapter]), async (one) => {
        const verdict = await judgeRepaired(adapter, one.model, one.messages, one.expected);
        expect(verdict, describeCase(one)).toEqual({ lost: [] });
      }),
      { numRuns: RUNS },
    );
  });

  it.each(APIS.filter((api) => adapter.apis.includes(api)))("%s: a healthy history is sent as the adapter builds it", async (api) => {
    for (const model of targetsOf(api)) {
      for (let seed = 0; seed < 10; seed++) {
        const messages = writtenBy(model, withPlainNames([...healthyFrom(seed, 1 + (seed % 4)), { role: "user", content: "go on", timestamp: 1 }]));
        expect(prepare(api, messages)).toBe(messages);
        const body = await adapter.build(model, messages);
        // Our rules see no fault in what a release sends of its own accord.
        expect(heal(api, body), `${model.id} ${seed}`).toBe(body);
      }
    }
  });
});

it("sees what the adapters make of corrupt histories without the repair", async () => {
  const refusals = new Map<string, number>();
  for (const adapter of adapters) {
    for (const one of fc.sample(casesOf("anthropic-messages", [adapter]), { numRuns: 60, seed: 1 })) {
      const { refused } = await judgeAlone(adapter, one.model, one.messages, one.expected);
      if (refused !== undefined) refusals.set(adapter.name, (refusals.get(adapter.name) ?? 0) + 1);
    }
  }
  expect([...refusals.keys()]).toEqual(adapters.map(({ name }) => name));
});
