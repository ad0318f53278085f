import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Continuity, type Project } from "../../src/continuity/index.ts";
import { LONGEST_RESULT } from "../../src/continuity/steps/recordable.ts";
import { injected } from "./injected.ts";
import { kinds, type Place } from "./places.ts";

const RUNS = Number(process.env["CONTINUITY_RUNS"] ?? 20);

class Receipt {
  readonly number = 17;
  readonly #secret: string = "not stored";
  paid(): boolean {
    return this.#secret !== "";
  }
}
const cyclic: Record<string, unknown> = { name: "itself" };
cyclic["self"] = cyclic;
const hostile = {
  get amount(): never {
    throw new Error("no amount\nof money");
  },
};

/** What a body returns, and what is stored of it; a pattern for what JSON cannot write. */
const RESULTS: readonly [name: string, returned: unknown, recorded: unknown][] = [
  ["a date", new Date(0), "1970-01-01T00:00:00.000Z"],
  ["a map", new Map([["a", 1]]), {}],
  ["an instance of a class", new Receipt(), { number: 17 }],
  ["NaN", Number.NaN, null],
  ["undefined inside of an object", { id: 1, note: undefined }, { id: 1 }],
  ["functions inside of an object and a list", { act: () => 1, list: [() => 1] }, { list: [null] }],
  ["a value with toJSON", { toJSON: () => ({ as: "it says" }) }, { as: "it says" }],
  ["undefined", undefined, null],
  ["half a surrogate pair", { text: "\ud800" }, { text: "\ud800" }],
  ["U+0000", "a\u0000b", "a\u0000b"],
  [
    "a key that reaches a prototype",
    JSON.parse('{"__proto__":1,"constructor":2}'),
    JSON.parse('{"__proto__":1,"constructor":2}'),
  ],
  ["a hundred levels", nested(100), nested(100)],
  ["a bigint", { paid: 10n }, /cannot be stored as JSON \(.*BigInt.*paid: 10n/],
  ["a cyclic value", cyclic, /cannot be stored as JSON \(Converting circular.*name: 'itself'/s],
  ["a function", () => 1, /cannot be stored as JSON \(a function\)/],
  ["a symbol", Symbol("s"), /cannot be stored as JSON \(a symbol\).*Symbol\(s\)/],
  ["a property that throws", hostile, /cannot be stored as JSON \(no amount\)/],
  ["more levels than a stack has", nested(50_000), /cannot be stored as JSON/],
  ["too much", "x".repeat(LONGEST_RESULT), /cannot be stored as JSON \(\d+ characters of JSON\)/],
];

function nested(levels: number): unknown {
  let value: unknown = "innermost";
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

for (const { skip, title, place } of kinds()) {
  describe.skipIf(skip)(`the result of a step on ${title}`, () => {
    let projects = 0;

    async function fresh(spot: Place, project_id: string): Promise<Project> {
      return new Continuity({ store: await spot.open(), ...injected(project_id) }).project(project_id);
    }

    /** Runs a step that returns the value, and once more in another process. */
    async function twice(spot: Place, returned: unknown): Promise<unknown[]> {
      const project_id = `project ${++projects}`;
      const first = await fresh(spot, project_id);
      const lease = await first.acquireLease({ owner_id: "o" });
      let acts = 0;
      const pay = { step_id: "pay", step_type: "non_idempotent", idempotency_key: "key" } as const;
      const act = async (): Promise<unknown> => {
        acts += 1;
        return returned;
      };
      const { executed: ran, ...once } = await first.runStep(lease, pay, act);
      const other = await fresh(spot, project_id);
      const { executed: ranAgain, ...again } = await other.runStep(lease, pay, act);
      expect([ran, ranAgain, acts]).toEqual([true, false, 1]);
      expect(again, "a later call gives the same").toEqual(once);
      expect((await other.verify()).damages).toEqual([]);
      return [once, again];
    }

    it.each(RESULTS)(
      "that is %s is recorded, and given back the same by every call",
      async (_name, returned, recorded) => {
        for (const outcome of await twice(await place(), returned))
          expect(outcome).toEqual(
            recorded instanceof RegExp
              ? { result: expect.stringMatching(recorded), result_form: "text" }
              : { result: recorded },
          );
      },
    );

    it("is never refused, whatever it is: the body runs once, and each call gives the same", async () => {
      const spot = await place();
      const anything = fc.anything({
        withBigInt: true,
        withDate: true,
        withMap: true,
        withSet: true,
        withNullPrototype: true,
        withSparseArray: true,
        withTypedArray: true,
        withBoxedValues: true,
        withUnicodeString: true,
      });
      await fc.assert(
        fc.asyncProperty(anything, async (returned) => void (await twice(spot, returned))),
        { numRuns: RUNS },
      );
    });

    it("is refused by hand when it is not JSON, before anything is written, with what to pass", async () => {
      const project = await fresh(await place(), "p");
      const lease = await project.acquireLease({ owner_id: "o" });
      const begun = await project.steps.begin(lease, { step_id: "s", step_type: "pure" });
      await expect(project.steps.complete(lease, begun, new Date(0) as never)).rejects.toMatchObject({
        code: "bad-input",
        message: expect.stringContaining("JSON.parse(JSON.stringify(result))"),
      });
      expect((await project.state()).open_steps).toHaveProperty("s");
    });

    it("is a failure in one line when the body throws something without a text", async () => {
      const project = await fresh(await place(), "p");
      const lease = await project.acquireLease({ owner_id: "o" });
      const thrown = Object.create(null) as object;
      const run = project.runStep(lease, { step_id: "s", step_type: "pure" }, async () => {
        throw thrown;
      });
      await expect(run).rejects.toBe(thrown);
      expect((await project.state()).open_steps).toEqual({});
    });
  });
}
