import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { Continuity, ContinuityError, openSqliteStore, type Project, type Task } from "../../src/continuity/index.ts";
import { injected } from "./injected.ts";

const RUNS = Number(process.env["CONTINUITY_RUNS"] ?? 12);
const UNUSED_MS = 15 * 60_000;
const AGENTS = ["A", "B", "C"] as const;
const few = fc.nat({ max: 7 });
const MOVES = [
  "goal",
  "goal end",
  "task",
  "task",
  "start next",
  "start next",
  "start",
  "start",
  "complete",
  "fail",
  "block",
  "pause",
  "put back",
  "checkpoint",
  "drop",
  "release",
  "give",
  "take",
  "wait",
  "wait",
  "kill",
] as const;
type Move = { readonly what: (typeof MOVES)[number]; readonly who: number; readonly a: number; readonly b: number };
const moves: fc.Arbitrary<Move[]> = fc.array(
  fc.record({ what: fc.constantFrom(...MOVES), who: fc.nat({ max: 2 }), a: few, b: few }),
  {
    minLength: 5,
    maxLength: 60,
  },
);

/** Three agents and a person at one project, and what the world knows of who does which task. */
class World {
  readonly clock = injected();
  readonly file = join(newFolder(), "work.sqlite");
  readonly gone = new Set<string>();
  readonly sessions = AGENTS.map((name) => `${name} 0`);
  /** Who was let do a task last, and when that one made a call last; nobody after somebody's decision. */
  readonly doing = new Map<string, { readonly who: number; used: number }>();
  readonly opened: Continuity[] = [];

  /** Each process has a kernel of its own on the file. */
  async agent(who: number): Promise<Project> {
    const claims = { session: this.sessions[who]!, isGone: (session: string) => this.gone.has(session) };
    const kernel = new Continuity({ store: openSqliteStore({ file: this.file }), ...this.clock, claims });
    this.opened.push(kernel);
    return (await kernel.project("p")).as({ entry: "mcp", name: "agent" });
  }

  /** The same state gives the same answers, also to a process that has just read the ledger. */
  async answersTheSame(who: number, project: Project): Promise<void> {
    const work = await project.activeWork();
    assert.deepEqual(await (await this.agent(who)).activeWork(), work);
    await this.opened.pop()!.close();
    if (work.next.kind === "propose_tasks") assert.equal(work.can_start, null, "a task can start, and none is offered");
    assert.equal(work.ready[0]?.task_id, work.can_start?.task_id);
  }

  /** A call of an agent, as its tools make it. */
  async call<Value>(who: number, project: Project, work: () => Promise<Value>): Promise<Value | undefined> {
    await project.keepClaims();
    for (const one of this.doing.values())
      if (one.who === who && this.clock.now() < one.used + UNUSED_MS) one.used = this.clock.now();
    try {
      return await work();
    } catch (error) {
      if (error instanceof ContinuityError && error.code !== "damaged") return undefined;
      throw error;
    }
  }

  /** An agent was let do a task: nobody else may be at it. */
  begun(task: string, who: number): void {
    const before = this.doing.get(task);
    if (before !== undefined && before.who !== who)
      // Of a call in the first quarter of its time a claim writes nothing.
      assert.ok(
        this.clock.now() >= before.used + UNUSED_MS * 0.75,
        `${task} has two holders: ${before.who} and ${who}`,
      );
    this.doing.set(task, { who, used: this.clock.now() });
  }
}

async function play(world: World, program: readonly Move[]): Promise<Project[]> {
  const agents = [await world.agent(0), await world.agent(1), await world.agent(2)];
  const person = agents[0]!.as({ entry: "cli", name: "Ann" });
  for (const { what, who, a, b } of program) {
    const me = agents[who]!;
    const state = await me.state();
    const goals = Object.keys(state.goals);
    const tasks = Object.values(state.tasks).toSorted((one, other) => one.created_seq - other.created_seq);
    const task_id = tasks[a % Math.max(1, tasks.length)]?.task_id ?? "none";
    const goal_id = goals[a % Math.max(1, goals.length)] ?? "none";
    const start = async (id: string): Promise<void> => {
      if (await world.call(who, me, () => me.startTask({ task_id: id }))) world.begun(id, who);
    };
    /** What only the one who does a task may do with it. */
    const owned = async (work: () => Promise<unknown>): Promise<void> => {
      if ((await world.call(who, me, work)) === undefined) return;
      world.begun(task_id, who);
      if ((await me.state()).tasks[task_id]?.status !== "doing") world.doing.delete(task_id);
    };
    if (what === "goal") await me.createGoal({ text: "g", priority: b });
    if (what === "goal end") await world.call(who, me, () => me.endGoal({ goal_id, status: "dropped", reason: "r" }));
    if (what === "task")
      await world.call(who, me, () =>
        me.addTask({
          goal_id,
          title: "t",
          retries: b % 3,
          ...(b % 2 ? { priority: b } : {}),
          ...(b % 3 ? { due: `2026-01-0${b + 1}` } : {}),
          depends_on: tasks.slice(b, b + (b % 3)).map((task) => task.task_id),
        }),
      );
    if (what === "start next") {
      const next = await me.getNextStep();
      if (next.kind === "step") await start(next.rule === "blocked" ? (next.can_start ?? next).task_id : next.task_id);
    }
    if (what === "start") await start(task_id);
    if (what === "complete") await owned(() => me.completeTask({ task_id }));
    if (what === "fail") await owned(() => me.failTask({ task_id, reason: `r${b}` }));
    if (what === "block") await owned(() => me.blockTask({ task_id, blocker: "b" }));
    if (what === "pause") await owned(() => me.pauseTask({ task_id }));
    if (what === "put back") await owned(() => me.updateTask({ task_id, status: "todo" }));
    if (what === "drop") await owned(() => me.dropTask({ task_id, reason: "r" }));
    if (what === "checkpoint")
      await world.call(who, me, async () => {
        await me.updateCheckpoint({ task_id, where_we_left_off: "w", next_step: `n${b}` });
        if ((await me.state()).tasks[task_id]!.status === "doing") world.begun(task_id, who);
      });
    if (what === "wait") world.clock.pass((b + 1) * 3 * 60_000);
    if (what === "kill") {
      world.gone.add(world.sessions[who]!);
      world.sessions[who] = `${world.sessions[who]}'`;
      agents[who] = await world.agent(who);
      // Agents of one name that have ended are one: whoever of them comes first goes on.
      for (const [task, one] of world.doing) if (one.who === who) world.doing.delete(task);
    }
    if (tasks.length > 0 && ["release", "give", "take"].includes(what)) {
      const to = { author: { entry: "mcp", name: "agent" }, session: world.sessions[b % 3]! } as const;
      const mine = { author: person.author, session: null };
      await person.giveTask(task_id, what === "release" ? null : what === "give" ? to : mine);
      world.doing.delete(task_id);
      if (what === "give") world.begun(task_id, b % 3);
    }
    await world.answersTheSame(who, agents[who]!);
  }
  return agents;
}

/** The agents do what they are told to do next until nothing is told; `started` are the tasks that were begun so. */
async function workedOff(world: World, agents: readonly Project[]): Promise<void> {
  world.clock.pass(2 * UNUSED_MS);
  for (let turn = 0; turn < 500; turn++) {
    const project = agents[turn % agents.length]!;
    const { next, can_start } = await project.activeWork();
    const todo = next.kind === "step" && next.rule === "blocked" ? can_start : next;
    if (todo === null || todo.kind !== "step") break;
    const { task_id } = todo;
    await project.startTask({ task_id }).catch((error: ContinuityError) => {
      // What it does already.
      if (error.code !== "invalid-transition") throw error;
    });
    await project.completeTask({ task_id });
  }
  const { tasks, goals, claims = {} } = await agents[0]!.state();
  const canStart = ({ task_id, goal_id, status, depends_on }: Task): boolean =>
    goals[goal_id]?.status === "active" &&
    claims[task_id]?.until !== null &&
    (status === "doing" || (status === "todo" && depends_on.every((id) => !(id in tasks))));
  assert.deepEqual(Object.values(tasks).filter(canStart), [], "tasks that could start and never were");
}

it(
  "random programs of three agents and a person give no task two holders, start every task that can start, and always get the same next step",
  async () => {
    await fc.assert(
      fc.asyncProperty(moves, async (program) => {
        const world = new World();
        try {
          await workedOff(world, await play(world, program));
        } finally {
          for (const kernel of world.opened) await kernel.close();
        }
      }),
      { numRuns: RUNS },
    );
  },
  60_000 + RUNS * 2000,
);
