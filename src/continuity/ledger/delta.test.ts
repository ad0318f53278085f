import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { states, successors } from "../../../test/continuity/states.ts";
import { valueInline } from "../../base/quoted.ts";
import { stateChecksum } from "./checksum.ts";
import { applyDelta, computeDelta, type Delta } from "./delta.ts";
import { PROGRAM } from "../base/author.ts";
import { canonicalText } from "../base/json.ts";
import { emptyState, type Task, type WorkState } from "../base/state.ts";

const TASK: Task = {
  task_id: "t",
  goal_id: "g",
  title: "t",
  status: "todo",
  acceptance_criteria: [],
  depends_on: [],
  blockers: [],
  pause_reason: null,
  evidence: null,
  created_seq: 2,
  status_seq: 2,
  updated_at: "2026-01-05T08:00:00.000Z",
  author: PROGRAM,
  status_author: PROGRAM,
};

const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
const runs = { numRuns: Number(process.env["CONTINUITY_RUNS"] ?? 100) };

describe("deltas", () => {
  it("lead from any state to any other, also from copies that came out of a store", () => {
    fc.assert(
      fc.property(successors, ([before, after]) => {
        const delta = computeDelta(before, after);
        expect(canonicalText(applyDelta(before, delta))).toBe(canonicalText(after));
        const read = applyDelta(copy(before), copy(delta));
        expect(read).toEqual(after);
        expect(stateChecksum(read)).toBe(stateChecksum(after));
      }),
      runs,
    );
  });

  it("are the same whenever they are computed, in whatever order the keys are", () => {
    fc.assert(
      fc.property(successors, ([before, after]) => {
        expect(canonicalText(computeDelta(reversed(before), reversed(after)))).toBe(
          canonicalText(computeDelta(copy(before), copy(after))),
        );
        // An entry that is the same object is not looked into: that must come to the same.
        expect(canonicalText(computeDelta(before, after))).toBe(canonicalText(computeDelta(copy(before), copy(after))));
      }),
      runs,
    );
  });

  it("are empty between equal states", () => {
    fc.assert(
      fc.property(states, (state) => {
        expect(computeDelta(state, copy(state))).toEqual([]);
      }),
      runs,
    );
  });

  it("change neither the state that they are applied to, nor share with what they came from", () => {
    fc.assert(
      fc.property(successors, ([before, after]) => {
        const [was, delta] = [copy(before), copy(computeDelta(before, after))];
        const wasDelta = copy(delta);
        const next = applyDelta(before, delta);
        const entries = Object.values(next.tasks) as unknown as { title: string; blockers: string[] }[];
        for (const [index, task] of entries.entries()) {
          if (Object.values(before.tasks).includes(task as unknown as Task)) continue;
          task.title = `changed ${index}`;
          task.blockers.push("changed");
        }
        expect([before, delta]).toEqual([was, wasDelta]);
      }),
      runs,
    );
  });

  it("replace a long list as a whole, and still lead to the same state", () => {
    const task = (criteria: string[]): WorkState => ({
      ...emptyState("w", "p"),
      tasks: { t: { ...TASK, acceptance_criteria: criteria } },
    });
    const [before, after] = [
      task(Array.from({ length: 3000 }, (_, n) => `a${n}`)),
      task(Array.from({ length: 3000 }, (_, n) => `b${n}`)),
    ];
    const delta = computeDelta(before, after);
    expect([delta.length, applyDelta(before, delta)]).toEqual([1, after]);
  });

  const refused: Record<string, Delta> = {
    "a prototype by name": [{ op: "add", path: "/goals/__proto__", value: {} }],
    "a prototype inside an entry": [{ op: "add", path: "/goals/g/__proto__/polluted", value: true }],
    "a constructor": [{ op: "add", path: "/tasks/constructor", value: {} }],
    "a constructor's prototype": [{ op: "add", path: "/goals/g/constructor/prototype/polluted", value: true }],
    "the identity of the workflow": [{ op: "replace", path: "/workflow_id", value: "other" }],
    "the project": [{ op: "replace", path: "/project_id", value: "other" }],
    "a record as a whole": [{ op: "replace", path: "/goals", value: {} }],
    "the whole state": [{ op: "replace", path: "", value: {} }],
    "a part that there is none of": [{ op: "add", path: "/other", value: 1 }],
    "a copy from elsewhere": [{ op: "copy", from: "/workflow_id", path: "/worked_at" }],
    "a move out of a prototype": [{ op: "move", from: "/goals/__proto__", path: "/goals/x" }],
    "a path that is no text": [{ op: "add", path: 7 as unknown as string, value: 1 }],
    "an entry that is not there": [{ op: "remove", path: "/goals/unknown" }],
    "an operation that there is none of": [{ op: "spoil", path: "/goals/g" } as unknown as Delta[number]],
    "a test that fails": [{ op: "test", path: "/completed_steps", value: 9 }],
  };
  for (const [name, delta] of Object.entries(refused)) {
    it(`are refused as damaged, with the operation, when they touch ${name}`, () => {
      const before = { ...emptyState("w", "p"), goals: { g: { text: "g" } } } as unknown as WorkState;
      const was = copy(before);
      expect(() => applyDelta(before, delta)).toThrow(
        expect.objectContaining({
          code: "damaged",
          message: expect.stringContaining(
            `the operation ${valueInline(delta[0]!.op)} at ${valueInline(delta[0]!.path)}:`,
          ),
        }),
      );
      expect(before).toEqual(was);
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    });
  }
});

/** The same with all keys in another order, as another database gives them. */
function reversed<T>(value: T): T {
  if (Array.isArray(value)) return value.map(reversed) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, member]) => [key, reversed(member)] as const)
      .toReversed(),
  ) as T;
}
