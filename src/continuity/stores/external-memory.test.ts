import { describe, expect, it } from "vitest";
import { type StableLearning, writeLearning } from "./external-memory.ts";
import { emptyState, type WorkState } from "../base/state.ts";

const [GOAL, TASK] = ["5b1d7c9e-0000-4000-8000-000000000001", "5b1d7c9e-0000-4000-8000-000000000002"];
const state = {
  ...emptyState("w", "p"),
  goals: { [GOAL]: { goal_id: GOAL } },
  tasks: {
    [TASK]: {
      task_id: TASK,
      title: "Rewrite the billing export",
      status: "blocked",
      blockers: ["waits for the tax rates"],
    },
    short: { task_id: "short-task-id", title: "Fix it", status: "todo", blockers: [] },
  },
  checkpoints: {
    [TASK]: {
      where_we_left_off: "The export has half of its columns.",
      next_step: "Add the column for discounts",
      blockers: ["no answer from the bank"],
    },
  },
} as unknown as WorkState;

async function written(learning: unknown): Promise<StableLearning[]> {
  const found: StableLearning[] = [];
  await writeLearning({ write: async (one) => void found.push(one) }, learning as StableLearning, state);
  return found;
}

describe("writing to an external memory", () => {
  for (const kind of ["preference", "decision", "fact"]) {
    it(`lets a stable ${kind} through, as kind and text`, async () => {
      expect(await written({ kind, text: "The user wants amounts in cents." })).toEqual([
        { kind, text: "The user wants amounts in cents." },
      ]);
    });
  }

  it("lets words through that only look like work: short titles", async () => {
    expect((await written({ kind: "fact", text: "Prices are kept in cents; do not fix it by hand" })).length).toBe(1);
  });

  const refused: Record<string, [unknown, RegExp]> = {
    "another kind": [{ kind: "status", text: "x" }, /found the kind "status"/],
    "no text": [{ kind: "fact", text: "  " }, /found no text/],
    "a text that is none": [{ kind: "fact", text: 7 }, /found no text/],
    "another field": [{ kind: "fact", text: "x", status: "doing" }, /found the field status/],
    "a task's id": [{ kind: "fact", text: `see ${TASK.toUpperCase()}` }, new RegExp(`found the id ${TASK}`)],
    "a goal's id": [{ kind: "fact", text: `for ${GOAL}.` }, new RegExp(`found the id ${GOAL}`)],
    "where a task was left off": [
      { kind: "fact", text: "Note: the export  has half\nof its columns." },
      /found where a task was left off/,
    ],
    "the next step": [
      { kind: "decision", text: "Next, add the column for discounts" },
      /found the next step of a task/,
    ],
    "a blocker of a task": [{ kind: "fact", text: "It waits for the tax rates" }, /found a blocker/],
    "a blocker of a checkpoint": [{ kind: "fact", text: "There is no answer from the bank" }, /found a blocker/],
    "the title of an open task": [
      { kind: "fact", text: "we rewrite the billing export" },
      /found the title of a task that is not done/,
    ],
  };
  for (const [name, [learning, found]] of Object.entries(refused)) {
    it(`is refused for ${name}, and nothing is written`, async () => {
      const kept: unknown[] = [];
      const attempt = writeLearning({ write: async (one) => void kept.push(one) }, learning as StableLearning, state);
      await expect(attempt).rejects.toMatchObject({
        code: "memory-write-refused",
        message: expect.stringMatching(found),
      });
      expect(kept).toEqual([]);
    });
  }
});
