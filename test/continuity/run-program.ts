import { listAttempts, isOver } from "../../src/continuity/decide/open-attempts.ts";
import { expect } from "vitest";
import { nextStep, type Lease, type ObjectStorage, type Project, type WorkState } from "../../src/continuity/index.ts";
import { canonicalText } from "../../src/continuity/base/json.ts";
import { restore } from "../../src/continuity/ledger/replay.ts";
import { chooseAction, pickHolder } from "./actions.ts";
import { Crash, CRASHES } from "./crash-points.ts";
import { memoryObjects } from "./injected.ts";
import { type Answer, Oracle } from "./oracle.ts";
import type { Action, Instruction } from "./program.ts";
import { type Held, type Machines, World } from "./world.ts";

/** What a program left behind: compared between databases. */
export interface Ending {
  readonly checksums: readonly string[];
  readonly state: string;
  readonly next: string;
}

const BESIDE: ReadonlySet<Action["do"]> = new Set(["acquire", "release"]);
const WITH_COMMAND_ID: ReadonlySet<Action["do"]> = new Set([
  "create_goal",
  "set_goal_status",
  "add_task",
  "move",
  "edit",
  "edit_goal",
  "drop",
  "update",
  "checkpoint",
]);

/**
 * Runs a program in a project of its own, holds every answer and every state against the oracle, and checks the ledger
 * at the end.
 */
export async function runProgram(
  machines: Machines,
  project_id: string,
  program: readonly Instruction[],
): Promise<Ending> {
  const [objects, oracle] = [memoryObjects(), new Oracle()];
  const world = new World(machines, project_id, objects);
  let held: Held[] = [];
  for (const [index, instruction] of program.entries()) {
    const { jump, delivery } = instruction;
    world.clocks[instruction.process] += jump.by;
    if (jump.of === "both") world.clocks[instruction.process === 0 ? 1 : 0] += jump.by;
    const action = chooseAction(instruction, oracle, held.length > 0);
    if (!action) continue;
    const needsLease = !WITH_COMMAND_ID.has(action.do) && action.do !== "acquire";
    const chosen = needsLease ? pickHolder(instruction, held) : undefined;
    const which = chosen?.process ?? instruction.process;
    const other = which === 0 ? 1 : 0;
    const told = `${index}: ${JSON.stringify(action)} to process ${which}`;
    const command = String(index);
    const command_id = delivery !== "once" && WITH_COMMAND_ID.has(action.do) ? `command ${index}` : undefined;
    const apply = (process: 0 | 1, cut?: { readonly isCutOff: boolean }): Answer =>
      oracle.apply(action, world.clocks[process], world.makeId(command), chosen?.holder, cut);
    const events = oracle.events.length;
    const got = (lease: Lease): void => {
      held.push({
        lease,
        process: which,
        holder: {
          owner: lease.owner_id,
          token: lease.fencing_token,
          ttl: (action as Action & { do: "acquire" }).ttl,
          expires: lease.expiresAt,
        },
      });
    };
    const options = { command_id, lease: chosen?.lease, got };
    if (command_id !== undefined && delivery === "at-once") {
      const answers = await Promise.all([
        world.deliver(which, command, action, options),
        world.deliver(other, command, action, options),
      ]);
      const expected = apply(which);
      for (const answer of answers) expectAnswer(answer, expected, `${told}, and to the other at once`);
    } else {
      // Both databases must be able to die there: most commits are one statement in PostgreSQL.
      const crash =
        instruction.crash?.endsWith("-written") && instruction.crash.startsWith("commit:") && !BESIDE.has(action.do)
          ? undefined
          : instruction.crash;
      const answer = await world.deliver(which, command, action, { ...options, crash });
      let isCutOff = false;
      if (answer instanceof Crash) {
        const hasGrown = (await (await world.project(other)).position()) - events;
        isCutOff = oracle.isOverDoing(action) && hasGrown === 1;
        if (CRASHES[answer.point]!.written || isCutOff)
          expect(apply(which, { isCutOff }), `${told}, dead at ${answer.point}, was allowed`).not.toHaveProperty(
            "code",
          );
        world.kill(which);
        held = held.filter(({ process }) => process !== which);
      } else expectAnswer(answer, apply(which), told);
      if (command_id !== undefined) {
        const again = delivery === "again" ? which : other;
        const isWritten = oracle.events.length > events && !isCutOff;
        const expected = isWritten
          ? { gives: "goal_created task_added".includes(oracle.events.at(-1)!) ? world.makeId(command) : undefined }
          : apply(again);
        expectAnswer(
          await world.deliver(again, command, action, options),
          expected,
          `${told}, delivered again to ${again}`,
        );
      }
    }
    const reader = await world.project(index % 2 === 0 ? 0 : 1);
    const state = await reader.state();
    expect(await captureWork(reader, state, oracle), told).toEqual(oracle.picture());
    expect(pickStep(state), told).toEqual(oracle.nextStep());
  }
  return ended(world, oracle, machines, objects);
}

function expectAnswer(answer: Answer | Crash, expected: Answer, told: string): void {
  const { event: _, ...rest } = expected as { event?: string };
  expect(answer instanceof Crash ? `died at ${answer.point}` : answer, told).toEqual(
    "code" in expected ? expected : { gives: undefined, ...rest },
  );
}

async function ended(world: World, oracle: Oracle, machines: Machines, objects: ObjectStorage): Promise<Ending> {
  const [store] = machines.stores;
  const project = await world.fresh();
  const state = await project.state();
  const row = (await store.workflow(project.workflow_id))!;
  const texts = [
    state,
    (await restore(store, row, objects, { fromZero: true })).state,
    await (await world.project(0)).state(),
    await (await world.project(1)).state(),
  ].map(canonicalText);
  expect(new Set(texts).size, "replay from zero, snapshot and tail, and what both processes know are one state").toBe(
    1,
  );
  expect(await captureWork(project, state, oracle)).toEqual(oracle.picture());
  expect(await project.verify()).toMatchObject({ damages: [], events: oracle.events.length });
  return {
    checksums: await checkLedger(project, oracle),
    state: texts[0]!,
    next: canonicalText(await project.getNextStep()),
  };
}

/**
 * By the ledger alone: what was acknowledged is there once and in order, no step is completed twice, none under a token
 * that was no longer valid.
 */
async function checkLedger(project: Project, oracle: Oracle): Promise<string[]> {
  const [types, checksums, completed]: [string[], string[], Set<unknown>] = [[], [], new Set()];
  let token: unknown = 0;
  for await (const { event_type, data, checksum } of project.history()) {
    types.push(event_type);
    checksums.push(checksum);
    if (event_type === "lease_acquired") {
      expect(Number(data["fencing_token"])).toBe(Number(token) + 1);
      token = data["fencing_token"];
    }
    if (!event_type.startsWith("step_")) continue;
    expect(data["fencing_token"], "under the latest token").toBe(token);
    expect(completed.has(data["step_id"]), `${event_type} of a step that was completed before`).toBe(false);
    if (event_type === "step_completed" || data["outcome"] === "completed") completed.add(data["step_id"]);
  }
  expect(types).toEqual(oracle.events);
  return checksums;
}

function mapped<T, U>(record: Readonly<Record<string, T>>, to: (entry: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([id, entry]) => [id, to(entry)]));
}

/** The work of a state, and what is finished, of which only the ledger has the last forms. */
async function captureWork(project: Project, state: WorkState, oracle: Oracle): Promise<object> {
  const finished = await project.finished([...oracle.goals.keys(), ...oracle.tasks.keys()]);
  const inState = [...Object.values(state.goals), ...Object.values(state.tasks)];
  expect(inState.filter(({ status }) => status === "done")).toEqual([]);
  expect(state.finished ?? { goals: 0, tasks: 0 }).toEqual({
    goals: Object.keys(finished.goals).length,
    tasks: Object.keys(finished.tasks).length,
  });
  return {
    goals: mapped({ ...state.goals, ...finished.goals }, ({ text, priority, status, created_seq }) => ({
      text,
      priority,
      status,
      seq: created_seq,
    })),
    tasks: mapped(
      { ...state.tasks, ...finished.tasks },
      ({ goal_id, title, status, depends_on, blockers, pause_reason, evidence, created_seq, status_seq }) => ({
        goal: goal_id,
        title,
        status,
        depends: depends_on,
        blockers,
        reason: pause_reason,
        evidence,
        seq: created_seq,
        statusSeq: status_seq,
      }),
    ),
    checkpoints: mapped({ ...state.checkpoints, ...finished.checkpoints }, ({ where_we_left_off, next_step, seq }) => ({
      where: where_we_left_off,
      next: next_step,
      seq,
    })),
    lease: { owner: state.lease.owner_id, token: state.lease.fencing_token },
    open: mapped(state.open_steps, ({ step_id }) =>
      listAttempts(state, step_id).map((one) => ({
        attempt: one.attempt_id,
        token: one.fencing_token,
        over: isOver(one),
        givenUp: one.given_up !== undefined,
      })),
    ),
    completed: state.completed_steps,
  };
}

function pickStep(state: WorkState): readonly [string, string] | "propose_tasks" {
  const next = nextStep(state);
  return next.kind === "step" ? [next.task_id, next.next_step] : next.kind;
}
