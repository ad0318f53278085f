import type { Static, TObject } from "typebox";
import { Type } from "typebox";
import { INPUTS, type Json, type Project } from "../continuity/index.ts";
import { checkShape } from "../continuity/steps/inputs.ts";
import { compact, nextAnswer, nextWithAge, type Staleness, workAnswer } from "./answers.ts";
import { Reading } from "./reading.ts";
import type { ContinuityTool } from "./tool.ts";

const NOTHING = Type.Object({}, { additionalProperties: false });

/** A tool before its input is checked. */
interface Definition<Schema extends TObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly parameters: Schema;
  readonly readOnly?: boolean;
  readonly idempotent?: boolean;
  readonly answer: (project: Project, input: Static<Schema>) => Promise<Json>;
}

/** Returns a tool that rejects inputs that do not fit its schema. */
export function tool<Schema extends TObject>({
  answer,
  readOnly = false,
  idempotent = readOnly,
  ...rest
}: Definition<Schema>): ContinuityTool {
  const { name, parameters } = rest;
  return {
    ...rest,
    readOnly,
    idempotent,
    run: (project, input) => Promise.resolve().then(() => answer(project, checkShape(name, parameters, input ?? {}))),
  };
}

/** Returns the tools that need no lease: goals, tasks, checkpoints, the next step and the active work. */
export function workTools({
  now = () => Date.now(),
  staleAfterMs,
}: Partial<Staleness> = {}): readonly ContinuityTool[] {
  const staleness: Staleness = { now, staleAfterMs };
  return [
    tool({
      name: "create_goal",
      title: "Create a goal",
      description:
        "Record why work is being done, so that it can be taken up again later. Create a goal only for work the user has asked for. Gives its goal_id, which tasks need.",
      parameters: INPUTS.create_goal,
      answer: async (project, input) => {
        const { goal_id, status, priority } = await project.createGoal(input);
        return { goal_id, status, priority };
      },
    }),
    tool({
      name: "set_goal_status",
      title: "Pause, resume or close a goal",
      description:
        "Pause a goal, take it up again (active) or close it (done). The tasks of a goal that is not active never come next. It is done only when all its tasks are.",
      parameters: INPUTS.set_goal_status,
      idempotent: true,
      answer: async (project, input) => {
        const { goal_id, status } = await project.setGoalStatus(input);
        return withNext(project, { goal_id, status });
      },
    }),
    tool({
      name: "add_task",
      title: "Add a task",
      description:
        "Add a unit of work to a goal, to be done later. Tasks it depends on must exist already. Gives its task_id.",
      parameters: INPUTS.add_task,
      answer: async (project, input) => {
        const { task_id, goal_id, status, depends_on } = await project.addTask(input);
        return compact({ task_id, goal_id, status, depends_on });
      },
    }),
    tool({
      name: "start_task",
      title: "Start a task",
      description:
        "Begin to work on a task, continue a blocked one, or reopen one that is done. Refused while a task it depends on is not done. Answers with where it was left off, when that was recorded.",
      parameters: INPUTS.start_task,
      idempotent: true,
      answer: async (project, input) => {
        const { task_id, status } = await project.startTask(input);
        return withNext(project, { task_id, status });
      },
    }),
    tool({
      name: "pause_task",
      title: "Pause a task",
      description:
        "Put a task that is being done or blocked back among those to do. Record its checkpoint first, so that it can be resumed.",
      parameters: INPUTS.pause_task,
      idempotent: true,
      answer: async (project, input) => {
        const { task_id, status } = await project.pauseTask(input);
        return withNext(project, { task_id, status });
      },
    }),
    tool({
      name: "block_task",
      title: "Block a task",
      description: "Say that a task that is being done cannot continue, and what it waits for.",
      parameters: INPUTS.block_task,
      idempotent: true,
      answer: async (project, input) => {
        const { task_id, status, blockers } = await project.blockTask(input);
        return withNext(project, { task_id, status, blockers });
      },
    }),
    tool({
      name: "complete_task",
      title: "Complete a task",
      description:
        "Say that a task that is being done is finished, with what shows it. Only when its acceptance criteria hold. Answers with the next step.",
      parameters: INPUTS.complete_task,
      idempotent: true,
      answer: async (project, input) => {
        const { task_id, status } = await project.completeTask(input);
        return withNext(project, { task_id, status });
      },
    }),
    tool({
      name: "update_checkpoint",
      title: "Record where work stands",
      description:
        "Record where a task stands and the one action that comes next. Do it whenever something is finished, before anything long or risky, and before you stop: after an interruption the work continues from exactly this.",
      parameters: INPUTS.update_checkpoint,
      idempotent: true,
      answer: async (project, input) => {
        const { task_id, next_step, timestamp } = await project.updateCheckpoint(input);
        return { task_id, next_step, timestamp };
      },
    }),
    tool({
      name: "get_next_step",
      title: "What comes next",
      description:
        "What to do next, from the recorded state alone: the task being done, else the one blocked last, else the most important one to do, with where it was left off. The same state always gives the same answer. " +
        "kind propose_tasks means that nothing can be worked on: propose tasks to the user and record only what they want. When ask_first is there, ask the user before you continue.",
      parameters: NOTHING,
      readOnly: true,
      answer: async (project) => {
        const reading = new Reading(project.author);
        return reading.answer(nextWithAge(await project.activeWork(), staleness, reading));
      },
    }),
    tool({
      name: "get_active_work",
      title: "Where were we",
      description:
        "The open work: goals, tasks that are not done, blockers, steps that may have run without a known outcome, and what comes next. Call it when the user asks where things stand, or at the beginning of a conversation.",
      parameters: NOTHING,
      readOnly: true,
      answer: async (project) => {
        const reading = new Reading(project.author);
        return reading.answer(workAnswer(await project.activeWork(), staleness, reading));
      },
    }),
  ];
}

/** {@link workTools} with the machine's clock; the user is asked about work that is older than 24 hours. */
export const continuityTools: readonly ContinuityTool[] = workTools();

async function withNext(project: Project, fields: { readonly [key: string]: Json }): Promise<Json> {
  const reading = new Reading(project.author);
  const next = nextAnswer(await project.getNextStep(), reading);
  return reading.answer({ ...fields, next });
}
