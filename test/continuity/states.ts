import fc from "fast-check";
import { emptyState, type WorkState } from "../../src/continuity/base/state.ts";

const text = fc.oneof(
  { arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }), weight: 3 },
  fc.constantFrom("", "a/b", "~1~0", "\u{1F600}", "\u2028", "0", "null"),
);
/** Ids as hard as they come; those that reach a prototype are refused where they come in. */
const id = fc.oneof(
  fc.constantFrom("a", "b", "c", "d"),
  fc.constantFrom("a/b", "~", "~1", "", "-", "0", "toString", "valueOf", "ä\u0308", "length"),
  fc.uuid(),
);
const seq = fc.nat({ max: 9 });
const list = fc.array(text, { maxLength: 4 });
const time = fc.integer({ min: 0, max: 10 }).map((second) => new Date(1e12 + second * 1000).toISOString());

const author = fc.record({ entry: fc.constantFrom("openclaw", "mcp", "cli", "library"), name: fc.option(text) });

const goal = fc.record({
  goal_id: id,
  text,
  priority: fc.integer({ min: -5, max: 5 }),
  status: fc.constantFrom("active", "paused", "done"),
  created_at: time,
  created_seq: seq,
  updated_at: time,
  author,
});
const task = fc
  .tuple(
    fc.record({
      task_id: id,
      goal_id: id,
      title: text,
      status: fc.constantFrom("todo", "doing", "blocked", "done"),
      acceptance_criteria: list,
      depends_on: list,
      blockers: list,
      pause_reason: fc.option(text),
      evidence: fc.option(text),
      created_seq: seq,
      status_seq: seq,
      updated_at: time,
      author,
      status_author: author,
    }),
    fc.option(fc.record({ criteria_author: author }), { nil: {} }),
  )
  .map(([fields, criteria]) => ({ ...fields, ...criteria }));
const checkpoint = fc.record({
  task_id: id,
  where_we_left_off: text,
  next_step: text,
  needed_context_refs: list,
  blockers: list,
  timestamp: time,
  seq,
  author,
});
const openStep = fc.record({
  step_id: id,
  step_type: fc.constantFrom("pure", "idempotent", "non_idempotent"),
  attempt_id: seq,
  fencing_token: seq,
  idempotency_key: fc.option(text),
  input_checksum: text,
  input_text: text,
  task_id: fc.option(id),
  started_at: time,
  author,
});
const arbitraryRecord = <T>(entry: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> =>
  fc.dictionary(id, entry, { maxKeys: 5, noNullPrototype: true });

/** Any state of one workflow, also such as no commands lead to. */
export const states: fc.Arbitrary<WorkState> = fc
  .record({
    goals: arbitraryRecord(goal),
    tasks: arbitraryRecord(task),
    checkpoints: arbitraryRecord(checkpoint),
    open_steps: arbitraryRecord(openStep),
    lease: fc.record({ owner_id: fc.option(text), fencing_token: seq }),
    completed_steps: seq,
    worked_at: fc.option(time),
  })
  .map((parts) => ({ ...emptyState("w", "p"), ...parts }) as WorkState);

/**
 * A state and one that has most of its entries, some of them as the same objects: as two states behind each other are.
 */
export const successors: fc.Arbitrary<readonly [WorkState, WorkState]> = fc
  .tuple(states, states, fc.constantFrom("all", "some", "lease"))
  .map(([before, other, which]) => {
    if (which === "all") return [before, other] as const;
    if (which === "lease") return [before, { ...before, lease: other.lease }] as const;
    return [
      before,
      {
        ...before,
        goals: { ...before.goals, ...other.goals },
        tasks: { ...other.tasks, ...before.tasks },
        completed_steps: other.completed_steps,
      },
    ] as const;
  });
