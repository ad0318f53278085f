import type { Static } from "typebox";
import { describe, expect, it } from "vitest";
import type { Input, OperationName } from "./input-types.ts";
import { checkInput, INPUTS, SCHEMAS } from "./inputs.ts";

const RANK = { priority: 3, due: "2026-11-26", retries: 2 };

const GOOD: Record<OperationName, Record<string, unknown>> = {
  create_goal: { text: "g", priority: 1 },
  set_goal_status: { goal_id: "g", status: "paused" },
  end_goal: { goal_id: "g", status: "dropped", reason: "r" },
  fail_task: { task_id: "t", reason: "r" },
  edit_goal: { goal_id: "g", text: "g", priority: 2 },
  update_goal: { goal_id: "g", status: "paused", why: "r", text: "g", priority: 2 },
  add_task: { goal_id: "g", title: "t", acceptance_criteria: ["a"], depends_on: ["t0"], ...RANK },
  edit_task: { task_id: "t", title: "t", acceptance_criteria: ["a"], depends_on: ["t0"], ...RANK },
  drop_task: { task_id: "t", reason: "r" },
  start_task: { task_id: "t" },
  pause_task: { task_id: "t", reason: "r" },
  block_task: { task_id: "t", blocker: "b" },
  complete_task: { task_id: "t", evidence: "e" },
  update_checkpoint: {
    task_id: "t",
    where_we_left_off: "w",
    next_step: "n",
    needed_context_refs: ["c"],
    blockers: ["b"],
  },
  update_task: {
    task_id: "t",
    status: "done",
    why: "r",
    title: "t",
    acceptance_criteria: ["a"],
    depends_on: ["t0"],
    ...RANK,
    where_we_left_off: "w",
    next_step: "n",
    needed_context_refs: ["c"],
    blockers: ["b"],
  },
};

type Flat<Type> = { [Key in keyof Type]: Type[Key] };
type Same<One, Other> =
  (<Type>() => Type extends One ? 1 : 2) extends <Type>() => Type extends Other ? 1 : 2 ? true : false;
type Written = { [Name in OperationName]: Flat<Input<Name>> };
type Checked = { [Name in OperationName]: Flat<Static<(typeof SCHEMAS)[Name]>> };

describe("inputs", () => {
  it("have the types that their schemas check", () => {
    const areSame: Same<Written, Checked> = true;
    expect(areSame).toBe(true);
    expect(Object.keys(INPUTS)).toEqual(Object.keys(SCHEMAS));
  });

  for (const name of Object.keys(INPUTS) as OperationName[]) {
    const good = GOOD[name];
    it(`of ${name} are taken as docs/continuity.md has them, with and without what is optional`, () => {
      expect(checkInput(name, { ...good, command_id: "c" })).toEqual({ ...good, command_id: "c" });
      const needed = Object.fromEntries(
        Object.entries(good).filter(([key]) => SCHEMAS[name].required.includes(key as never)),
      );
      expect(checkInput(name, needed)).toEqual(needed);
    });

    for (const key of SCHEMAS[name].required) {
      it(`of ${name} without ${key} are refused by name`, () => {
        const { [key]: _, ...rest } = good;
        expect(() => checkInput(name, rest)).toThrow(
          expect.objectContaining({
            code: "bad-input",
            message: expect.stringMatching(new RegExp(`expected ${name}\\(.*found .*\\b${key}\\b`)),
          }),
        );
      });
    }

    it(`of ${name} are refused with the place of each fault`, () => {
      for (const key of Object.keys(good)) {
        for (const value of [null, {}, ["ok", 7], "   "].filter(
          (one) =>
            !(key.endsWith("_id") && typeof one === "string") &&
            !(one === null && name === "edit_task" && Object.hasOwn(RANK, key)),
        )) {
          expect(() => checkInput(name, { ...good, [key]: value }), `${key} ${JSON.stringify(value)}`).toThrow(
            expect.objectContaining({
              code: "bad-input",
              message: expect.stringMatching(new RegExp(`found /${key}\\b`)),
            }),
          );
        }
      }
      expect(() => checkInput(name, { ...good, other: 1 })).toThrow(/found .*other/);
      for (const none of [undefined, null, "text", 7, []])
        expect(() => checkInput(name, none)).toThrow(expect.objectContaining({ code: "bad-input" }));
    });
  }

  const faults: [OperationName, Record<string, unknown>, string][] = [
    ["create_goal", { text: "g", priority: 1001 }, "/priority"],
    ["create_goal", { text: "g", priority: 0.5 }, "/priority"],
    ["create_goal", { text: "x".repeat(2001) }, "/text"],
    ["create_goal", { text: "g", command_id: "" }, "/command_id"],
    ["set_goal_status", { goal_id: "g", status: "finished" }, "/status"],
    ["add_task", { goal_id: "g", title: "t", acceptance_criteria: ["a", " "] }, "/acceptance_criteria/1"],
    ["add_task", { goal_id: "g", title: "t", depends_on: Array.from({ length: 101 }, () => "t") }, "/depends_on"],
    [
      "update_checkpoint",
      { task_id: "t", where_we_left_off: "w", next_step: "n", blockers: Array.from({ length: 51 }, () => "b") },
      "/blockers",
    ],
    ["start_task", { task_id: "x".repeat(101) }, "/task_id"],
    ["block_task", { task_id: "t", blocker: "a\u0000b" }, "block_task/blocker"],
    ["add_task", { goal_id: "g", title: "t", acceptance_criteria: ["a", "\ud800"] }, "add_task/acceptance_criteria/1"],
  ];
  for (const [name, input, place] of faults) {
    it(`of ${name} are refused at ${place}: ${JSON.stringify(input).slice(0, 60)}`, () => {
      expect(() => checkInput(name, input)).toThrow(
        expect.objectContaining({ code: "bad-input", message: expect.stringContaining(place) }),
      );
    });
  }
});
