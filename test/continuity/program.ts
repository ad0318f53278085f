import fc from "fast-check";
import type { GoalStatus, Outcome, StepType, TaskStatus } from "../../src/continuity/index.ts";
import { CRASH_POINTS } from "./crash-points.ts";

/** What is done, with ids as they will be: an action knows the number of the command that made its goal or task. */
export type Action =
  | { readonly do: "create_goal"; readonly text: string; readonly priority: number }
  | {
      readonly do: "set_goal_status";
      readonly goal: string;
      readonly status: Exclude<GoalStatus, "dropped" | "failed">;
    }
  | { readonly do: "add_task"; readonly goal: string; readonly text: string; readonly depends: readonly string[] }
  | {
      readonly do: "move";
      readonly how: "start" | "pause" | "block" | "complete";
      readonly task: string;
      readonly text: string;
    }
  | { readonly do: "edit"; readonly task: string; readonly title?: string; readonly depends?: readonly string[] }
  | { readonly do: "edit_goal"; readonly goal: string; readonly text?: string; readonly priority?: number }
  | { readonly do: "drop"; readonly task: string; readonly text: string }
  | {
      readonly do: "update";
      readonly task: string;
      readonly status?: TaskStatus | "dropped";
      readonly reason: string;
      readonly title?: string;
      readonly depends?: readonly string[];
      readonly stand?: string;
    }
  | { readonly do: "checkpoint"; readonly task: string; readonly text: string }
  | { readonly do: "acquire"; readonly owner: string; readonly ttl: number }
  | { readonly do: "heartbeat" }
  | { readonly do: "release" }
  | {
      readonly do: "begin";
      readonly step: string;
      readonly type: StepType;
      readonly key: string | undefined;
      readonly input: number;
    }
  | { readonly do: "complete"; readonly step: string; readonly attempt: number; readonly result: number }
  | { readonly do: "fail"; readonly step: string; readonly attempt: number; readonly acted: boolean }
  | {
      readonly do: "resolve";
      readonly step: string;
      readonly attempt: number;
      readonly outcome: Outcome;
      readonly result: number;
    };

/** How often a command is delivered: again to the same process or the other one, or to both at once. */
export type Delivery = "once" | "again" | "again-elsewhere" | "at-once";

/** One command of a program; whole numbers choose among what is there by then. */
export interface Instruction {
  readonly verb: Action["do"];
  /** Which of the two processes. */
  readonly process: 0 | 1;
  readonly delivery: Delivery;
  /** Where that process dies in this command, if it gets there. */
  readonly crash: string | undefined;
  /** By which the clock jumps before it, of both processes or of one (then they disagree). */
  readonly jump: { readonly by: number; readonly of: "both" | "one" };
  readonly pick: readonly [number, number, number, number];
}

const verbs: readonly (readonly [Action["do"], number])[] = [
  ["create_goal", 2],
  ["set_goal_status", 2],
  ["add_task", 4],
  ["move", 10],
  ["edit", 3],
  ["edit_goal", 1],
  ["drop", 2],
  ["update", 8],
  ["checkpoint", 3],
  ["acquire", 4],
  ["heartbeat", 2],
  ["release", 1],
  ["begin", 6],
  ["complete", 6],
  ["fail", 3],
  ["resolve", 4],
];
const pick = fc.nat({ max: 999 });

const instruction: fc.Arbitrary<Instruction> = fc.record({
  verb: fc.oneof(...verbs.map(([verb, weight]) => ({ arbitrary: fc.constant(verb), weight }))),
  process: fc.constantFrom(0, 1),
  delivery: fc.oneof(
    { arbitrary: fc.constant("once" as const), weight: 5 },
    fc.constantFrom<Delivery>("again", "again-elsewhere", "at-once"),
  ),
  crash: fc.oneof({ arbitrary: fc.constant(undefined), weight: 5 }, fc.constantFrom(...CRASH_POINTS)),
  jump: fc.record({
    by: fc.oneof({ arbitrary: fc.integer({ min: 0, max: 900 }), weight: 4 }, fc.integer({ min: -90_000, max: 90_000 })),
    of: fc.constantFrom("both", "both", "one"),
  }),
  pick: fc.tuple(pick, pick, pick, pick),
});

/** Programs of commands for two processes on one store, valid and invalid ones, with all that may happen meanwhile. */
export const programs: fc.Arbitrary<readonly Instruction[]> = fc.array(instruction, {
  minLength: 5,
  maxLength: 45,
  size: "max",
});
