import type { Goal, Json, Project, Task } from "../continuity/index.ts";
import { listStepIds } from "../continuity/decide/open-attempts.ts";
import { likeness } from "../continuity/decide/tasks.ts";
import { compact, type Host, nextAnswer, type Staleness } from "./answers.ts";
import { ADD_TASK, CREATE_GOAL, GET_WORK, SET_GOAL_STATUS, UPDATE_TASK } from "./inputs.ts";
import { completedAfter } from "./past.ts";
import { Reading } from "./reading.ts";
import { type ContinuityTool, tool } from "./tool.ts";
import { viewWork } from "./views.ts";

const SAME_GOAL = "A goal with this text is recorded and not done: this is that one.";
const SAME_TASK =
  "This goal has a task with these words that is not done: this is that one. A second one needs another title.";
/** A call that comes after its goal or task is done is taken for a repetition of a lost one within this time. */
const LATE_MS = 24 * 60 * 60 * 1000;
const DONE_GOAL =
  "A goal with this text was closed in the last 24 hours: this is that one, and nothing was created. If it is to be " +
  "done once more, make it active again, or give the new one another text.";
const DONE_TASK =
  "A task with these words was completed in the last 24 hours: this is that one, and nothing was created. If it is " +
  "to be done once more, give it another title.";
const LOOK_ALIKE = "Other tasks of this goal that are not done have the same title. Drop what is the same work.";
const STILL_OPEN =
  "These steps of the task may have run. They stay recorded until somebody finds out and resolves them.";
const MAX_NAMED = 5;

type NewTask = Parameters<Project["ensureTask"]>[0];

/**
 * Returns the tools that need no lease. A call that is repeated, or asks for what is recorded already, succeeds and
 * says `already`.
 */
export function workTools({
  now = () => Date.now(),
  staleAfterMs,
  calls,
}: Partial<Staleness> & Host = {}): readonly ContinuityTool[] {
  return [
    tool({
      name: "get_work",
      title: "Recorded work",
      description:
        "Goals, tasks, where each was left off, what is next. Call it first. On older_copy, ask_first or " +
        "written_by, ask the user first.",
      parameters: GET_WORK,
      readOnly: true,
      idempotent: true,
      answer: (project, input) => viewWork(project, input, { now, staleAfterMs, calls }),
    }),
    tool({
      name: "create_goal",
      title: "Create a goal",
      description: "Record a goal that the user asked for.",
      parameters: CREATE_GOAL,
      idempotent: true,
      answer: async (project, input) => {
        const done = await doneGoal(project, input, now() - LATE_MS);
        const { goal, already } = done ? { goal: done, already: true } : await project.ensureGoal(input);
        const { goal_id, status, priority, author } = goal;
        const note = done ? DONE_GOAL : SAME_GOAL;
        const reading = new Reading(project.author);
        return reading.answer({
          goal_id,
          status,
          priority,
          ...(already ? { already, note, ...reading.writtenBy({ text: author }) } : {}),
        });
      },
    }),
    tool({
      name: "add_task",
      title: "Add a task",
      description: "Add a task to a goal.",
      parameters: ADD_TASK,
      idempotent: true,
      answer: (project, input) => addTask(project, input, now() - LATE_MS),
    }),
    tool({
      name: "update_task",
      title: "Change a task",
      description:
        "Change a task. doing: before you start; refused if another holds it. where_we_left_off with next_step: " +
        "after each piece, before you stop.",
      parameters: UPDATE_TASK,
      idempotent: true,
      answer: updateTask,
    }),
    tool({
      name: "set_goal_status",
      title: "Change a goal",
      description: "Change or end a goal (dropped, failed: with its tasks).",
      parameters: SET_GOAL_STATUS,
      idempotent: true,
      answer: async (project, input) => {
        const { goal, already, dropped = [] } = await project.updateGoal(input);
        const { goal_id, status, priority } = goal;
        const fields = { goal_id, status, priority, dropped_tasks: dropped.length || null, already: already || null };
        return withNext(project, compact(fields));
      },
    }),
  ];
}

/** Returns the goal of that text that was closed after a time, if none of that text is open. */
async function doneGoal(
  project: Project,
  { text }: { readonly text: string },
  time: number,
): Promise<Goal | undefined> {
  if (Object.values((await project.state()).goals).some((goal) => goal.text === text)) return undefined;
  return (await completedAfter(project, time, ({ goal }) => goal?.text === text))?.goal;
}

/** Returns the task of those words that was completed after a time, if none of those words is open. */
async function doneTask(project: Project, input: NewTask, time: number): Promise<Task | undefined> {
  const wanted = likeness(input);
  const isSame = (task: Task): boolean => likeness(task) === wanted;
  if (Object.values((await project.state()).tasks).some(isSame)) return undefined;
  return (await completedAfter(project, time, ({ task }) => task !== undefined && isSame(task)))?.task;
}

async function addTask(project: Project, input: NewTask, late: number): Promise<Json> {
  const done = await doneTask(project, input, late);
  const { task, already } = done ? { task: done, already: true } : await project.ensureTask(input);
  const { task_id, goal_id, status, depends_on, author } = task;
  const reading = new Reading(project.author);
  const alike = already ? [] : await lookAlikes(project, task);
  return reading.answer(
    compact({
      task_id,
      goal_id,
      status,
      depends_on,
      ...(already ? { already, note: done ? DONE_TASK : SAME_TASK, ...reading.writtenBy({ title: author }) } : {}),
      ...(alike.length === 0 ? {} : { same_title: alike, note: LOOK_ALIKE }),
    }),
  );
}

async function lookAlikes(project: Project, { task_id, goal_id, title }: Task): Promise<string[]> {
  return Object.values((await project.state()).tasks)
    .filter((one) => one.goal_id === goal_id && one.title === title && one.task_id !== task_id)
    .slice(0, MAX_NAMED)
    .map((one) => one.task_id);
}

async function updateTask(project: Project, input: Parameters<Project["updateTask"]>[0]): Promise<Json> {
  const { task_id, status, already } = await project.updateTask(input);
  const open = status === "dropped" || status === "done" ? await listOpenSteps(project, task_id) : [];
  const fields = compact({
    task_id,
    status,
    already: already || null,
    open_steps: open,
    note: open.length === 0 ? null : STILL_OPEN,
  });
  return input.status === undefined ? fields : withNext(project, fields);
}

async function listOpenSteps(project: Project, task_id: string): Promise<string[]> {
  const { open_steps } = await project.activeWork();
  return listStepIds(open_steps.filter((step) => step.task_id === task_id)).slice(0, MAX_NAMED);
}

async function withNext(project: Project, fields: { readonly [key: string]: Json }): Promise<Json> {
  const reading = new Reading(project.author);
  const next = nextAnswer(await project.activeWork(), reading);
  return reading.answer({ ...fields, next });
}
