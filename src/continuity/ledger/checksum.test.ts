import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { states, successors } from "../../../test/continuity/states.ts";
import { stateChecksum } from "./checksum.ts";
import { applyDelta, computeDelta } from "./delta.ts";
import { canonicalText, sha256 } from "../base/json.ts";
import { emptyState, RECORDS, type WorkState } from "../base/state.ts";

const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
const runs = { numRuns: Number(process.env["CONTINUITY_RUNS"] ?? 100) };

/** The state's checksum by its definition: every entry is hashed, no hash is remembered. */
function fresh(state: WorkState): string {
  const digests = RECORDS.map(
    (name) =>
      [
        name,
        Object.fromEntries(Object.entries(state[name]).map(([id, entry]) => [id, sha256(canonicalText(entry))])),
      ] as const,
  );
  return sha256(canonicalText({ ...state, ...Object.fromEntries(digests) }));
}

function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  return typeof value === "object" && value !== null
    ? Object.fromEntries(
        Object.entries(value)
          .map(([key, member]) => [key, turned(member)] as const)
          .toReversed(),
      )
    : value;
}

describe("the checksum of a state", () => {
  it("does not depend on the order of keys", () => {
    fc.assert(
      fc.property(states, (state) => {
        expect(stateChecksum(turned(state) as WorkState)).toBe(stateChecksum(state));
      }),
      runs,
    );
  });

  it("is that of a computation without remembered digests, also behind deltas", () => {
    fc.assert(
      fc.property(successors, ([before, after]) => {
        expect(stateChecksum(before)).toBe(fresh(copy(before)));
        expect(stateChecksum(applyDelta(before, computeDelta(before, after)))).toBe(fresh(copy(after)));
      }),
      runs,
    );
  });

  it("differs between states that differ", () => {
    fc.assert(
      fc.property(successors, ([before, after]) => {
        expect(stateChecksum(before) === stateChecksum(after)).toBe(canonicalText(before) === canonicalText(after));
      }),
      runs,
    );
  });

  it("covers an entry by a name that an assignment passes over, put in from outside", () => {
    const state = emptyState("w", "p");
    const tampered = JSON.parse(
      JSON.stringify(state).replace('"goals":{}', '"goals":{"__proto__":{"status":"active"}}'),
    ) as WorkState;
    expect(Object.values(tampered.goals).length).toBe(1);
    expect(stateChecksum(tampered)).not.toBe(stateChecksum(state));
  });
});
