import { OUTCOMES, type StepType } from "../../src/continuity/index.ts";
import type { Holder, Oracle } from "./oracle.ts";
import type { Action, Instruction } from "./program.ts";

const STEP_TYPES: readonly StepType[] = ["pure", "idempotent", "non_idempotent"];
const UNKNOWN = "00000000-0000-4000-8000-000000000000";

/** One of a list, or sometimes an id that nothing has. */
function one(list: Iterable<string>, number: number): string {
  const all = [...list, UNKNOWN];
  return all[number % (number % 10 === 0 ? all.length : Math.max(1, all.length - 1))]!;
}

/** The action of an instruction, given what is there by then; `undefined` when it needs a lease and there is none. */
export function chooseAction(
  { verb, pick: [a, b, c, d] }: Instruction,
  { goals, tasks, dropped, steps }: Oracle,
  hasHolder: boolean,
): Action | undefined {
  // A title from few: now and then it is the one that is there.
  const edit = (a1: number, b1: number, c1: number): { title?: string; depends?: readonly string[] } => ({
    ...(a1 % 4 === 0 ? {} : { title: `title ${b1 % 4}` }),
    ...(a1 % 3 === 0 ? { depends: c1 % 2 === 0 ? [] : [one(tasks.keys(), b1), one(tasks.keys(), c1)] } : {}),
    ...(a1 % 12 === 4 || a1 % 12 === 8 ? { title: "title" } : {}),
  });
  switch (verb) {
    case "create_goal":
      return { do: verb, text: `goal ${a}`, priority: (b % 5) - 2 };
    case "set_goal_status":
      return {
        do: verb,
        goal: one(goals.keys(), a),
        status: (["active", "paused", "active", "done"] as const)[b % 4]!,
      };
    case "add_task":
      return {
        do: verb,
        goal: one(goals.keys(), a),
        text: `task ${b}`,
        depends: c % 2 === 0 ? [one(tasks.keys(), c), one(tasks.keys(), d)] : [],
      };
    case "move":
      return {
        do: verb,
        how: (["start", "complete", "block", "pause", "start"] as const)[a % 5]!,
        task: one(tasks.keys(), b),
        text: `text ${c}`,
      };
    case "edit":
      return { do: verb, task: one(tasks.keys(), a), ...edit(b, c, d) };
    case "edit_goal":
      return {
        do: verb,
        goal: one(goals.keys(), a),
        ...(b % 2 === 0 ? { text: `goal ${c}` } : {}),
        ...(b % 3 === 0 ? { priority: (c % 5) - 2 } : {}),
      };
    case "drop":
      return { do: verb, task: one(tasks.keys(), a), text: `reason ${b}` };
    case "update": {
      const status = (["doing", "blocked", "done", "todo", "dropped", undefined] as const)[b % 6];
      const task = one(c % 7 === 0 ? [...dropped] : tasks.keys(), a);
      const reason = `reason ${c % 2}`;
      if (status === "dropped") return { do: verb, task, status, reason };
      const parts = {
        ...(status === undefined ? {} : { status }),
        ...(c % 3 === 0 ? edit(c, b, d) : {}),
        ...(d % 2 === 0 ? { stand: `stand ${a % 3}` } : {}),
      };
      return { do: verb, task, reason, ...(Object.keys(parts).length === 0 ? { stand: "stand" } : parts) };
    }
    case "checkpoint":
      return { do: verb, task: one(tasks.keys(), a), text: `stand ${b}` };
    case "acquire":
      return { do: verb, owner: `owner ${a % 3}`, ttl: 1000 + (b % 30) * 1000 };
    default: {
      if (!hasHolder) return undefined;
      if (verb === "heartbeat" || verb === "release") return { do: verb };
      const number = b % 4;
      const step = `step ${number}`;
      // Mostly what belongs to the step, now and then another step's.
      if (verb === "begin")
        return {
          do: verb,
          step,
          type: STEP_TYPES[(c % 9 === 0 ? number + 1 : number) % 3]!,
          key: d % 9 === 0 ? undefined : KEYS[d % KEYS.length]!(c % 5 === 0 ? number + 1 : number),
          input: c % 11 === 0 ? 1 : 0,
        };
      const known = steps.get(step);
      const attempt = c % 6 === 0 ? c % 3 : (known?.open.at(d % 3 === 0 ? 0 : -1)?.attempt ?? known?.attempts ?? 1);
      if (verb === "complete") return { do: verb, step, attempt, result: d % 2 };
      if (verb === "fail") return { do: verb, step, attempt, acted: d % 2 === 0 };
      return { do: verb, step, attempt, outcome: OUTCOMES[d % 3]!, result: a % 2 };
    }
  }
}

/** Spellings of one key. */
const KEYS: readonly ((step: number) => string)[] = [
  (step) => `cl\u00E9 ${step % 4}`,
  (step) => `cl\u00E9 ${step % 4}`,
  (step) => `  cle\u0301 ${step % 4} `,
];

/** Mostly the latest lease, else one that was before. */
export function pickHolder<T extends { readonly holder: Holder }>(
  { pick: [a] }: Instruction,
  holders: readonly T[],
): T | undefined {
  return a % 3 === 0 ? holders[a % Math.max(1, holders.length)] : holders.at(-1);
}
