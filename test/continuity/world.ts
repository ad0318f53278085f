import {
  Continuity,
  type ContinuityStore,
  type Json,
  type Lease,
  type ObjectStorage,
  type Project,
} from "../../src/continuity/index.ts";
import { Crash } from "./crash-points.ts";
import { START, makeUuid } from "./injected.ts";
import type { Answer, Holder } from "./oracle.ts";
import type { Place } from "./places.ts";
import type { Action } from "./program.ts";

/** Two stores on one database, as two processes have them; kept over many programs. Each can be told where to die. */
export interface Machines {
  readonly stores: readonly [ContinuityStore, ContinuityStore];
  readonly armed: [string | undefined, string | undefined];
  /** Where processes died so far. */
  readonly hit: Set<string>;
}

/** Opens both. */
export async function machinesOn(place: Place): Promise<Machines> {
  const armed: [string | undefined, string | undefined] = [undefined, undefined];
  const hit = new Set<string>();
  const open = (which: 0 | 1): Promise<ContinuityStore> => place.open((point) => dieAt({ armed, hit }, which, point));
  return { stores: [await open(0), await open(1)], armed, hit };
}

function dieAt({ armed, hit }: Pick<Machines, "armed" | "hit">, which: 0 | 1, point: string): void {
  if (armed[which] !== point) return;
  armed[which] = undefined;
  hit.add(point);
  throw new Crash(point);
}

/** A large result goes to the object storage. */
const RESULTS: readonly Json[] = [0, "x".repeat(1500)];

/** Two processes that work on one project, with clocks and ids of the test. */
export class World {
  readonly project_id: string;
  readonly clocks: [number, number] = [START, START];
  readonly #machines: Machines;
  readonly #objects: ObjectStorage;
  readonly #projects: [Project | undefined, Project | undefined] = [undefined, undefined];
  #command = "";
  readonly #ids: [number, number] = [0, 0];

  constructor(machines: Machines, project_id: string, objects: ObjectStorage) {
    this.#machines = machines;
    this.project_id = project_id;
    this.#objects = objects;
  }

  /** The project as the process knows it; a process that died is started anew. */
  async project(which: 0 | 1): Promise<Project> {
    return (this.#projects[which] ??= await this.#started(which).project(this.project_id));
  }

  /** A process that knows nothing yet. */
  #started(which: 0 | 1): Continuity {
    return new Continuity({
      store: this.#machines.stores[which],
      objects: this.#objects,
      snapshots: { everyEvents: 4, inlineBytes: 900, keep: 2 },
      producer_version: "model",
      now: () => this.clocks[which],
      newId: () => this.makeId(this.#command, ++this.#ids[which]),
      random: () => 0.5,
      sleep: async () => {},
      crashPoint: (point) => dieAt(this.#machines, which, point),
    });
  }

  /** A process of its own, beside the two. */
  fresh(): Promise<Project> {
    return this.#started(0).project(this.project_id);
  }

  kill(which: 0 | 1): void {
    this.#projects[which] = undefined;
  }

  /** The id that a command's n-th thing gets, whichever process carries it out. */
  makeId(command: string, n = 1): string {
    return makeUuid(`${this.project_id}/${command}/${n}`);
  }

  /** Gives a command to a process. A lease that it acquires is told to `got`. */
  async deliver(
    which: 0 | 1,
    command: string,
    action: Action,
    {
      command_id,
      lease,
      crash,
      got,
    }: {
      command_id?: string | undefined;
      lease?: Lease | undefined;
      crash?: string | undefined;
      got?: (lease: Lease) => void;
    },
  ): Promise<Answer | Crash> {
    this.#command = command;
    this.#ids[which] = 0;
    const project = await this.project(which);
    this.#machines.armed[which] = crash;
    try {
      return { gives: await carriedOut(project, action, command_id, lease, got) };
    } catch (error) {
      if (error instanceof Crash) return error;
      const { code } = error as { code?: unknown };
      if (typeof code !== "string") throw error;
      return { code };
    } finally {
      this.#machines.armed[which] = undefined;
    }
  }
}

async function carriedOut(
  project: Project,
  action: Action,
  command_id: string | undefined,
  lease: Lease | undefined,
  got?: (lease: Lease) => void,
): Promise<unknown> {
  const id = command_id === undefined ? {} : { command_id };
  switch (action.do) {
    case "create_goal":
      return (await project.createGoal({ text: action.text, priority: action.priority, ...id })).goal_id;
    case "set_goal_status":
      return void (await project.setGoalStatus({ goal_id: action.goal, status: action.status, ...id }));
    case "add_task":
      return (
        await project.addTask({ goal_id: action.goal, title: action.text, depends_on: [...action.depends], ...id })
      ).task_id;
    case "move": {
      const { task: task_id, text } = action;
      if (action.how === "start") await project.startTask({ task_id, ...id });
      if (action.how === "pause") await project.pauseTask({ task_id, reason: text, ...id });
      if (action.how === "block") await project.blockTask({ task_id, blocker: text, ...id });
      if (action.how === "complete") await project.completeTask({ task_id, evidence: text, ...id });
      return undefined;
    }
    case "edit":
      return void (await project.editTask({
        task_id: action.task,
        ...(action.title === undefined ? {} : { title: action.title }),
        ...(action.depends === undefined ? {} : { depends_on: [...action.depends] }),
        ...id,
      }));
    case "edit_goal": {
      const { do: _, goal: goal_id, ...fields } = action;
      return void (await project.editGoal({ goal_id, ...fields, ...id }));
    }
    case "drop":
      return void (await project.dropTask({ task_id: action.task, reason: action.text, ...id }));
    case "update": {
      const { status, reason, title, depends, stand } = action;
      return void (await project.updateTask({
        task_id: action.task,
        why: reason,
        ...(status === undefined ? {} : { status }),
        ...(title === undefined ? {} : { title }),
        ...(depends === undefined ? {} : { depends_on: [...depends] }),
        ...(stand === undefined ? {} : { where_we_left_off: stand, next_step: `next ${stand}` }),
        ...id,
      }));
    }
    case "checkpoint":
      return void (await project.updateCheckpoint({
        task_id: action.task,
        where_we_left_off: action.text,
        next_step: `next ${action.text}`,
        ...id,
      }));
    case "acquire": {
      const acquired = await project.acquireLease({ owner_id: action.owner, ttlMs: action.ttl });
      got?.(acquired);
      return acquired.fencing_token;
    }
    case "heartbeat":
      return lease!.heartbeat();
    case "release":
      return lease!.release();
    case "begin": {
      const begun = await project.steps.begin(lease!, {
        step_id: action.step,
        step_type: action.type,
        idempotency_key: action.key,
        input: action.input,
      });
      if (begun.status === "open") return { open: begun.attempts.map(({ attempt_id }) => attempt_id) };
      return begun.status === "run"
        ? begun.attempt_id
        : { attempt: begun.attempt_id, result: RESULTS.indexOf(begun.result as string) };
    }
    case "complete":
      return (
        await project.steps.complete(
          lease!,
          { step_id: action.step, attempt_id: action.attempt },
          RESULTS[action.result],
        )
      ).duplicate
        ? "duplicate"
        : undefined;
    case "fail":
      return project.steps.fail(lease!, { step_id: action.step, attempt_id: action.attempt }, "it failed", {
        mayHaveActed: action.acted,
      });
    case "resolve":
      return (
        await project.steps.resolve(lease!, {
          step_id: action.step,
          attempt_id: action.attempt,
          outcome: action.outcome,
          reason: "it was looked up",
          ...(action.outcome === "completed" ? { result: RESULTS[action.result]! } : {}),
        })
      ).duplicate
        ? "duplicate"
        : undefined;
  }
}

/** A lease with what the oracle knows of it, and the process that has it. */
export interface Held {
  readonly holder: Holder;
  readonly lease: Lease;
  readonly process: 0 | 1;
}
