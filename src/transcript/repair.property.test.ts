import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyHistory, corruptHistory, healthyFrom } from "../../harness/arbitrary/history.ts";
import { analyse } from "./analyse.ts";
import { looksHealthy } from "./look.ts";
import { repair, type RepairStrategy } from "./repair.ts";
import { validate } from "./validate.ts";

const RUNS = Number(process.env.PROPERTY_RUNS ?? 800);
const STRATEGIES: RepairStrategy[] = ["remove_orphans", "reconstruct", "truncate"];

describe.each(STRATEGIES)("repair with %s", (strategy) => {
  it.each(["keep", "openclaw"] as const)("a corrupt history in, a valid one out (%s spelling)", (spelling) => {
    fc.assert(
      fc.property(
        fc.oneof(
          corruptHistory.map((history) => history.messages),
          anyHistory,
        ),
        (messages) => {
          const before = JSON.stringify(messages);
          const first = repair(messages, { strategy, spelling });
          expect(validate(first.messages)).toEqual([]);
          expect(JSON.stringify(messages), "the stored messages were changed").toBe(before);
          // Repairing again changes nothing, and a copy of the input gives the same bytes.
          expect(repair(first.messages, { strategy, spelling }).messages).toBe(first.messages);
          expect(JSON.stringify(repair(structuredClone(messages), { strategy, spelling }))).toBe(JSON.stringify(first));
          expect(first.repaired).toBe(first.messages !== messages);
        },
      ),
      { numRuns: RUNS },
    );
  });
});

describe("nothing real is lost", () => {
  it.each(["keep", "openclaw"] as const)("texts stay and results stay with their calls (%s spelling)", (spelling) => {
    fc.assert(
      fc.property(corruptHistory, ({ messages, texts, results }) => {
        const repaired = repair(messages, { spelling }).messages as { role: string; content: unknown }[];
        const json = JSON.stringify(repaired);
        for (const text of texts) expect(json).toContain(JSON.stringify(text).slice(1, -1));
        for (const { text, call } of results) {
          if (!json.includes(call)) continue; // the call was cut off or its turn failed, and no real result stood behind it
          const owner = repaired.findIndex(
            (message) => message.role === "assistant" && JSON.stringify(message).includes(call),
          );
          let end = owner + 1;
          while (repaired[end]?.role === "toolResult") end++;
          if (repaired[end]?.role === "user") end++;
          expect(JSON.stringify(repaired.slice(owner, end))).toContain(text);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it("a matchable real result is never dropped, whatever became of its turn", () => {
    fc.assert(
      fc.property(corruptHistory, ({ messages, results }) => {
        const json = JSON.stringify(repair(messages).messages);
        for (const { text } of results) expect(json).toContain(text);
      }),
      { numRuns: RUNS },
    );
  });
});

describe("healthy histories", () => {
  it("come back as the same object", () => {
    for (let seed = 0; seed < 200; seed++) {
      const messages = healthyFrom(seed, 1 + (seed % 7));
      expect(validate(messages)).toEqual([]);
      for (const strategy of STRATEGIES)
        expect(repair(messages, { strategy, spelling: "openclaw" }).messages).toBe(messages);
    }
  });

  it("the quick look never calls a corrupt history healthy", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          corruptHistory.map((history) => history.messages),
          anyHistory,
        ),
        (messages) => {
          for (const spelling of ["keep", "openclaw"] as const) {
            if (looksHealthy(messages, spelling)) expect(analyse(messages, spelling).violations).toEqual([]);
          }
        },
      ),
      { numRuns: RUNS },
    );
  });
});
