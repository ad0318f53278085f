import { describe, expect, it } from "vitest";
import { computeExponent, measure, findSteep, TOO_STEEP } from "./growth.ts";
import type { Order } from "./measure.ts";

/** Each subject on some families, and each family on some subjects; `npm run trial growth` measures all of them. */
const SAMPLES: readonly Order[] = [
  { kind: "histories", n: 48, oneOf: 8 },
  { kind: "rows", n: 64, oneOf: 5 },
  { kind: "texts", n: 256, oneOf: 8 },
  { kind: "values", n: 1000 },
];

describe("what is measured in operations, not in time", () => {
  it("tells a loop from a loop in a loop, also where a built-in function is the inner one", async () => {
    const growths = await measure({ kind: "controls", n: 100 });
    const steep = growths.filter((growth) => computeExponent(growth) >= TOO_STEEP).map(({ subject }) => subject);
    expect(growths.length).toBe(4);
    expect(steep).toEqual([
      "a loop in a loop",
      "a search of a built-in function in a loop",
      "a list that is copied for each of its items",
    ]);
  });
});

describe.concurrent("no input makes the work of a function grow faster than the input, and none makes the function throw", () => {
  it.each(SAMPLES)("$kind", async (order) => {
    const growths = await measure(order);
    const steep = await findSteep(growths, order.n);
    expect(growths.length).toBeGreaterThan(50);
    expect(
      steep.map(
        (growth) =>
          `${growth.subject} on ${growth.family}: ${growth.thrown ?? `power ${computeExponent(growth).toFixed(2)}, operations ${growth.counts.join(", ")}`}`,
      ),
    ).toEqual([]);
  });

  it("many results of one message whose calls are all lost, on Gemini", async () => {
    // Fewer do not tell.
    const subject = "check and heal, google-generative-ai";
    const order = { kind: "histories", n: 300, subject, families: ["orphans"] };
    const growths = await measure(order);
    expect(growths).toHaveLength(1);
    expect(await findSteep(growths, order.n)).toEqual([]);
  });
});
