import { describe, expect, it } from "vitest";
import { activeWork } from "./active-work.ts";
import { type Author, PROGRAM } from "../base/author.ts";
import { nextStep } from "./next-step.ts";
import { type Checkpoint, emptyState, type Goal, type Task, type WorkState } from "../base/state.ts";

const goal = (goal_id: string, created_seq: number, rest: Partial<Goal> = {}): Goal => ({
  goal_id,
  text: `goal ${goal_id}`,
  priority: 0,
  status: "active",
  created_at: "",
  created_seq,
  updated_at: "",
  author: PROGRAM,
  ...rest,
});
const task = (task_id: string, goal_id: string, created_seq: number, rest: Partial<Task> = {}): Task => ({
  task_id,
  goal_id,
  title: `title ${task_id}`,
  status: "todo",
  acceptance_criteria: [],
  depends_on: [],
  blockers: [],
  pause_reason: null,
  evidence: null,
  created_seq,
  status_seq: created_seq,
  updated_at: "",
  author: PROGRAM,
  status_author: PROGRAM,
  ...rest,
});
const checkpoint = (task_id: string, rest: Partial<Checkpoint> = {}): Checkpoint => ({
  task_id,
  where_we_left_off: "left off",
  next_step: "the recorded step",
  needed_context_refs: ["file"],
  blockers: [],
  timestamp: "",
  seq: 9,
  author: PROGRAM,
  ...rest,
});

const byId = <T, Key extends keyof T>(key: Key, list: readonly T[]): Record<string, T> =>
  Object.fromEntries(list.map((one) => [String(one[key]), one]));
const state = (goals: Goal[], tasks: Task[], checkpoints: Checkpoint[] = []): WorkState => ({
  ...emptyState("w", "p"),
  goals: byId("goal_id", goals),
  tasks: byId("task_id", tasks),
  checkpoints: byId("task_id", checkpoints),
});
const chosen = (...of: Parameters<typeof state>): string => {
  const next = nextStep(state(...of));
  return next.kind === "step" ? `${next.rule} ${next.task_id}` : next.kind;
};

describe("the next step", () => {
  it("is of the task that is being done, whatever priorities others have", () => {
    expect(
      chosen(
        [goal("g", 1), goal("h", 2, { priority: 9 })],
        [
          task("a", "h", 3),
          task("b", "g", 4, { status: "doing" }),
          task("c", "h", 5, { status: "blocked", status_seq: 9 }),
        ],
      ),
    ).toBe("doing b");
  });

  it("is of the task started last when several are being done, by position and not by time", () => {
    const tasks = [
      task("a", "g", 2, { status: "doing", status_seq: 8, updated_at: "2020-01-01T00:00:00.000Z" }),
      task("b", "g", 3, { status: "doing", status_seq: 7, updated_at: "2030-01-01T00:00:00.000Z" }),
    ];
    expect(chosen([goal("g", 1)], tasks)).toBe("doing a");
    expect(chosen([goal("g", 1)], tasks.toReversed())).toBe("doing a");
  });

  it("is of the most recently blocked task when none is being done", () => {
    const tasks = [
      task("a", "g", 2, { status: "blocked", status_seq: 6, blockers: ["x"] }),
      task("b", "g", 3, { status: "blocked", status_seq: 5 }),
      task("c", "g", 4),
    ];
    expect(chosen([goal("g", 1)], tasks)).toBe("blocked a");
  });

  it("is else of the task to do whose goal has the highest priority, then of the one added first", () => {
    const goals = [
      goal("low", 1, { priority: -1 }),
      goal("high", 2, { priority: 5 }),
      goal("also", 3, { priority: 5 }),
    ];
    expect(chosen(goals, [task("a", "low", 4), task("b", "also", 6), task("c", "high", 5), task("d", "high", 7)])).toBe(
      "todo c",
    );
  });

  it("passes over tasks of goals that are paused or done, also when they are being done or blocked", () => {
    const goals = [
      goal("paused", 1, { status: "paused", priority: 9 }),
      goal("done", 2, { status: "done" }),
      goal("g", 3, { priority: -9 }),
    ];
    expect(
      chosen(goals, [
        task("a", "paused", 4, { status: "doing" }),
        task("b", "done", 5, { status: "blocked" }),
        task("c", "g", 6),
      ]),
    ).toBe("todo c");
  });

  it("passes over tasks that wait for others, and asks for proposals when all of them do", () => {
    const tasks = [
      task("a", "g", 2, { depends_on: ["x"] }),
      // A task that is done has left the state.
      task("b", "g", 3, { depends_on: ["z"] }),
      task("x", "other", 4, { status: "doing" }),
    ];
    const goals = [goal("g", 1), goal("other", 6, { status: "paused" })];
    expect(chosen(goals, tasks)).toBe("todo b");
    const waiting = nextStep(
      state(
        goals,
        tasks.filter(({ task_id }) => task_id !== "b"),
      ),
    );
    expect(waiting).toEqual({
      kind: "propose_tasks",
      goals: [{ goal_id: "g", text: "goal g", priority: 0, author: PROGRAM }],
      waiting: [{ task_id: "a", title: "title a", depends_on: ["x"], author: PROGRAM }],
    });
  });

  it("is a request for proposals, with the goals by priority, when there is nothing to do", () => {
    const goals = [
      goal("b", 2),
      goal("a", 1),
      goal("c", 3, { priority: 1 }),
      goal("p", 4, { status: "paused", priority: 9 }),
    ];
    const next = nextStep(state(goals, []));
    expect(next.kind === "propose_tasks" && [next.goals.map(({ goal_id }) => goal_id), next.waiting]).toEqual([
      ["c", "a", "b"],
      [],
    ]);
    expect(nextStep(emptyState("w", "p"))).toEqual({ kind: "propose_tasks", goals: [], waiting: [] });
  });

  it("says what the checkpoint recorded, and the title where there is none: nothing is made up", () => {
    const [A, B, C, D] = (["a", "b", "c", "d"] as const).map((name): Author => ({ entry: "mcp", name })) as [
      Author,
      Author,
      Author,
      Author,
    ];
    const blocked = task("a", "g", 2, {
      status: "blocked",
      blockers: ["answer", "key"],
      acceptance_criteria: ["works"],
      author: B,
      status_author: C,
    });
    expect(
      nextStep(
        state([goal("g", 1, { author: A })], [blocked], [checkpoint("a", { blockers: ["key", "more"], author: D })]),
      ),
    ).toEqual({
      kind: "step",
      rule: "blocked",
      goal_id: "g",
      task_id: "a",
      title: "title a",
      next_step: "the recorded step",
      next_step_from: "checkpoint",
      where_we_left_off: "left off",
      required_context_refs: ["file"],
      blockers: ["answer", "key", "more"],
      acceptance_criteria: ["works"],
      authors: { goal: A, task: B, criteria: B, checkpoint: D, next_step: D, blockers: [C, C, D] },
    });
    expect(nextStep(state([goal("g", 1)], [task("a", "g", 2, { author: B })]))).toMatchObject({
      next_step: "title a",
      next_step_from: "title",
      where_we_left_off: null,
      required_context_refs: [],
      blockers: [],
      authors: { goal: PROGRAM, task: B, criteria: B, checkpoint: null, next_step: B, blockers: [] },
    });
  });

  it("is the same for the same state, in whatever order its records are", () => {
    const goals = [goal("g", 1), goal("h", 2)];
    const tasks = [task("a", "h", 3), task("b", "g", 4), task("c", "g", 5)];
    expect(nextStep(state(goals.toReversed(), tasks.toReversed()))).toEqual(nextStep(state(goals, tasks)));
    expect(activeWork(state(goals.toReversed(), tasks.toReversed()))).toEqual(activeWork(state(goals, tasks)));
  });
});

describe("the active work", () => {
  it("has all that is unfinished: active goals, open tasks in their order, blockers, steps without an outcome", () => {
    const open = {
      step_id: "s",
      step_type: "pure",
      attempt_id: 1,
      fencing_token: 1,
      idempotency_key: null,
      input_checksum: "",
      input_text: "null",
      task_id: null,
      started_at: "",
      author: PROGRAM,
    } as const;
    const tasks = [task("b", "g", 3, { status: "blocked", blockers: ["answer"] }), task("a", "g", 2)];
    const work = activeWork({
      ...state([goal("g", 1), goal("p", 5, { status: "paused" })], tasks, [
        checkpoint("b", { blockers: ["answer", "key"] }),
      ]),
      open_steps: { t: { ...open, step_id: "t" }, s: open },
      worked_at: "then",
    });
    expect([
      work.goals.map(({ goal_id }) => goal_id),
      work.tasks.map(({ task_id }) => task_id),
      work.active_task?.task_id,
      work.checkpoint?.next_step,
    ]).toEqual([["g"], ["a", "b"], "b", "the recorded step"]);
    expect([work.unresolved_blockers, work.open_steps.map(({ step_id }) => step_id), work.worked_at]).toEqual([
      [
        { task_id: "b", blocker: "answer", author: PROGRAM },
        { task_id: "b", blocker: "key", author: PROGRAM },
      ],
      ["s", "t"],
      "then",
    ]);
  });

  it("has no active task when proposals are asked for", () => {
    expect(activeWork(emptyState("w", "p"))).toMatchObject({
      active_task: null,
      checkpoint: null,
      next: { kind: "propose_tasks" },
      worked_at: null,
    });
  });
});
