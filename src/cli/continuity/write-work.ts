/** The commands that create and change goals, tasks and checkpoints; the command line is the author. */
import {
  type Author,
  authorBy,
  type Checkpoint,
  ContinuityError,
  type Goal,
  type GoalStatus,
  type Holder,
  type Input,
  type NextStep,
  type Project,
  type ProposalRequest,
  type Task,
  type WorkState,
} from "../../continuity/index.ts";
import { holderText } from "../../continuity/base/holder.ts";
import { checkInput } from "../../continuity/steps/inputs.ts";
import { printable } from "../../doctor/printable.ts";
import { givenTexts, needed } from "./base/given-text.ts";
import {
  commandAuthor,
  type Opened,
  createdProject,
  nameToCreate,
  chooseProject,
  type ReadOptions,
  withContinuity,
} from "./base/store.ts";
import { labelled } from "./base/text.ts";
import { resolveGoalId, onlyGoalId, onlyTaskId, resolveTaskId } from "./which.ts";
import { type Outcome, runAsync, UsageError } from "../run.ts";

interface WriteOptions extends ReadOptions {
  readonly by?: string;
  readonly commandId?: string;
}

interface GoalOptions extends WriteOptions {
  readonly priority?: number;
  readonly new?: boolean;
}

/** False: none any more. */
interface RankOptions {
  readonly priority?: number | false;
  readonly due?: string | false;
  readonly retries?: number | false;
}

interface TaskOptions extends WriteOptions, RankOptions {
  readonly goal?: string;
  readonly acceptanceCriterion?: readonly string[];
  readonly dependsOn?: readonly string[];
}

interface CheckpointOptions extends WriteOptions {
  readonly neededContextRef?: readonly string[];
  readonly blocker?: readonly string[];
}

/** What a command has written. */
interface Written {
  readonly data: { readonly goal: Goal } | { readonly task: Task } | { readonly checkpoint: Checkpoint };
  /** The event in a few words, the project's name aside. */
  readonly sentence: string;
}

/** `openclaw-integrity continuity goal create` */
export async function createGoalCommand(given: string | undefined, options: GoalOptions): Promise<void> {
  await runAsync(options, async () => {
    const { text: found } = await givenTexts(options, ["text"], { text: given });
    const text = needed(found, "the text of the goal, as an argument or with --text-file");
    const fields = { text, ...onlyGiven({ priority: options.priority }), ...command(options) };
    // Before anything is created.
    checkInput("create_goal", fields);
    const create = async (project: Project): Promise<Written> => {
      const goal = await project.createGoal(fields);
      return { data: { goal }, sentence: `goal ${goal.goal_id} created: ${printable(goal.text, 200)}` };
    };
    if (options.new !== true) return unlessMissing(() => written(options, create));
    const name = nameToCreate(options);
    return withContinuity(
      options,
      async (opened) => {
        const { project, warnings } = await createdProject(opened, name, options);
        return { ...(await toOutcome(opened, project, await create(project.as(commandAuthor(options))))), warnings };
      },
      { mustExist: false },
    );
  });
}

/** Adds the way out where the store or the project is not there. */
async function unlessMissing<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ContinuityError) || error.code !== "not-found") throw error;
    throw new ContinuityError(
      error.code,
      `${error.message} To create the project, and its store, with this goal: --new --project <name>.`,
      { cause: error },
    );
  }
}

/** `openclaw-integrity continuity goal status` */
export async function goalStatusCommand(which: string, status: GoalStatus, options: WriteOptions): Promise<void> {
  await runAsync(options, async () => {
    const { reason } = await givenTexts(options, ["reason"]);
    const isEnd = status === "dropped" || status === "failed";
    if (!isEnd && reason !== undefined) throw new UsageError("--reason is for dropped and failed");
    const why = isEnd ? needed(reason, "--reason or --reason-file: why it is not reached") : undefined;
    return written(options, async (project, state) => {
      const goal_id = await resolveGoalId(project, state, which);
      const { goal, dropped } = isEnd
        ? await project.endGoal({ goal_id, status, reason: why!, ...command(options) })
        : { goal: await project.setGoalStatus({ goal_id, status, ...command(options) }), dropped: [] };
      const tasks = dropped.length === 0 ? "" : ` (tasks dropped with it: ${dropped.length})`;
      return { data: { goal }, sentence: `goal ${goal.goal_id} is ${status}${tasks}: ${printable(goal.text, 200)}` };
    });
  });
}

/** `openclaw-integrity continuity task add` */
export async function addTaskCommand(given: string | undefined, options: TaskOptions): Promise<void> {
  await runAsync(options, async () => {
    const { title: found } = await givenTexts(options, ["title"], { title: given });
    const title = needed(found, "the title of the task, as an argument or with --title-file");
    const { goal, acceptanceCriterion, dependsOn } = options;
    return written(options, async (project, state) => {
      const depends_on: string[] = [];
      for (const which of dependsOn ?? []) depends_on.push(await resolveTaskId(project, state, which));
      const task = await project.addTask({
        goal_id: goal === undefined ? onlyGoalId(state) : await resolveGoalId(project, state, goal),
        title,
        ...onlyGiven({ acceptance_criteria: acceptanceCriterion && [...acceptanceCriterion] }),
        ...(readRank(options) as Pick<Input<"add_task">, "priority" | "due" | "retries">),
        ...(depends_on.length > 0 && { depends_on }),
        ...command(options),
      });
      return { data: { task }, sentence: `task ${task.task_id} added: ${printable(task.title, 200)}` };
    });
  });
}

interface EditOptions extends WriteOptions, RankOptions {
  /** False: none any more. */
  readonly acceptanceCriterion?: readonly string[] | false;
  readonly dependsOn?: readonly string[] | false;
}

/** `openclaw-integrity continuity goal edit` */
export async function editGoalCommand(which: string, options: GoalOptions): Promise<void> {
  await runAsync(options, async () => {
    const { text } = await givenTexts(options, ["text"]);
    const fields = onlyGiven({ text, priority: options.priority });
    if (Object.keys(fields).length === 0) throw new UsageError("missing --text, --text-file or --priority");
    return written(options, async (project, state) => {
      const goal_id = await resolveGoalId(project, state, which);
      const goal = await project.editGoal({ goal_id, ...fields, ...command(options) });
      return { data: { goal }, sentence: `goal ${goal.goal_id} edited: ${printable(goal.text, 200)}` };
    });
  });
}

/** `openclaw-integrity continuity task edit` */
export async function editTaskCommand(which: string, options: EditOptions): Promise<void> {
  await runAsync(options, async () => {
    const { title } = await givenTexts(options, ["title"]);
    const { acceptanceCriterion: criteria, dependsOn } = options;
    const rank = readRank(options);
    if ([title, criteria, dependsOn].every((one) => one === undefined) && Object.keys(rank).length === 0)
      throw new UsageError(
        "missing what is to be changed: --title, --acceptance-criterion, --depends-on, --priority, --due or --retries",
      );
    return written(options, async (project, state) => {
      const task_id = await resolveTaskId(project, state, which);
      const depends_on: string[] = [];
      for (const other of dependsOn || []) depends_on.push(await resolveTaskId(project, state, other));
      const task = await project.editTask({
        task_id,
        ...onlyGiven({ title, acceptance_criteria: criteria === undefined ? undefined : [...(criteria || [])] }),
        ...(dependsOn !== undefined && { depends_on }),
        ...rank,
        ...command(options),
      });
      return { data: { task }, sentence: `task ${task.task_id} edited: ${printable(task.title, 200)}` };
    });
  });
}

function orNull<Value>(value: Value | false | undefined): Value | null | undefined {
  return value === false ? null : value;
}

/** Returns the rank that is given; null for what it is to have no more. */
function readRank({ priority, due, retries }: RankOptions): Pick<Input<"edit_task">, "priority" | "due" | "retries"> {
  return onlyGiven({ priority: orNull(priority), due: orNull(due), retries: orNull(retries) });
}

interface Move {
  /** What the task is then. */
  readonly now: string;
  readonly text?: "reason" | "blocker" | "evidence";
  /** What the text has to say, where there must be one. */
  readonly needed?: string;
}

const MOVES = {
  drop: { now: "is dropped", text: "reason", needed: "why it is not to be done" },
  start: { now: "is in progress" },
  pause: { now: "is paused", text: "reason" },
  block: { now: "is blocked", text: "blocker", needed: "what it waits for" },
  fail: { now: "has failed", text: "reason", needed: "why it has failed" },
  complete: { now: "is done", text: "evidence" },
} as const satisfies Readonly<Record<string, Move>>;

/** The commands that move a task to another status. */
export type TaskMove = keyof typeof MOVES;

/** `openclaw-integrity continuity task drop`, `start`, `pause`, `block`, `fail` and `complete` */
export async function moveTaskCommand(name: TaskMove, which: string, options: WriteOptions): Promise<void> {
  await runAsync(options, async () => {
    const { now, text, needed: why }: Move = MOVES[name];
    const texts = await givenTexts(options, text === undefined ? [] : [text]);
    if (text !== undefined && why !== undefined) needed(texts[text], `--${text} or --${text}-file: ${why}`);
    return written(options, async (project, state) => {
      const task_id = await resolveTaskId(project, state, which);
      const move = project[`${name}Task`] as (fields: object) => Promise<Task>;
      const task = await move.call(project, { task_id, ...onlyGiven(texts), ...command(options) });
      return { data: { task }, sentence: `task ${task.task_id} ${now}: ${printable(task.title, 200)}` };
    });
  });
}

interface ReleaseOptions extends WriteOptions {
  readonly to?: string;
}

/** `openclaw-integrity continuity task release`: frees a task from its holder, or gives it to another agent. */
export async function releaseTaskCommand(which: string, options: ReleaseOptions): Promise<void> {
  const { to: name } = options;
  await giveTask(which, options, ({ author: { entry } }) => {
    if (name === undefined) return null;
    return { author: authorBy(entry === "openclaw" ? "openclaw" : "mcp", name), session: null };
  });
}

/**
 * `openclaw-integrity continuity task take`: has a person do the task, whoever holds it, until it is released or done.
 */
export async function takeTaskCommand(which: string, options: WriteOptions): Promise<void> {
  await giveTask(which, options, () => ({ author: commandAuthor(options), session: null }));
}

/** Gives a task to whom `to` returns for the author who has begun the project. */
async function giveTask(
  which: string,
  options: WriteOptions,
  to: (begun: { readonly author: Author }) => Holder | null,
): Promise<void> {
  await runAsync(options, () =>
    written(options, async (project, state) => {
      const task_id = await resolveTaskId(project, state, which);
      const holder = to({ author: (await project.begunBy()) ?? project.author });
      const isChanged = await project.giveTask(task_id, holder);
      const task = (await project.state()).tasks[task_id]!;
      const now = holder === null ? "free for any agent" : `for ${holderText(holder)} alone`;
      const already = isChanged ? "" : " already";
      return { data: { task }, sentence: `task ${task_id} is ${now}${already}: ${printable(task.title, 200)}` };
    }),
  );
}

/** `openclaw-integrity continuity checkpoint` */
export async function checkpointCommand(which: string | undefined, options: CheckpointOptions): Promise<void> {
  await runAsync(options, async () => {
    const texts = await givenTexts(options, ["where-we-left-off", "next-step"]);
    const fields: Omit<Input<"update_checkpoint">, "task_id"> = {
      where_we_left_off: needed(texts["where-we-left-off"], "--where-we-left-off or --where-we-left-off-file"),
      next_step: needed(texts["next-step"], "--next-step or --next-step-file: the one action that comes next"),
      ...onlyGiven({
        needed_context_refs: options.neededContextRef && [...options.neededContextRef],
        blockers: options.blocker && [...options.blocker],
      }),
      ...command(options),
    };
    return written(options, async (project, state) => {
      const task_id = which === undefined ? onlyTaskId(state) : await resolveTaskId(project, state, which);
      const checkpoint = await project.updateCheckpoint({ task_id, ...fields });
      const title = state.tasks[task_id]?.title ?? task_id;
      return { data: { checkpoint }, sentence: `checkpoint of task ${task_id} written: ${printable(title, 200)}` };
    });
  });
}

/** Writes to the project that the options name, as this command line's author. */
function written(
  options: WriteOptions,
  write: (project: Project, state: WorkState) => Promise<Written>,
): Promise<Outcome> {
  return withContinuity(options, async (opened) => {
    const project = (await chooseProject(opened, options)).as(commandAuthor(options));
    return toOutcome(opened, project, await write(project, await project.state()));
  });
}

async function toOutcome({ place }: Opened, project: Project, { data, sentence }: Written): Promise<Outcome> {
  const { next } = await project.activeWork();
  return {
    data: { place, project_id: project.project_id, ...data, next },
    lines: [sentence, ...labelled("project", project.project_id), ...labelled("next", nextText(next))],
  };
}

function nextText(next: NextStep | ProposalRequest): string {
  return next.kind === "step" ? next.next_step : "no task can be worked on: propose new tasks";
}

function command({ commandId }: WriteOptions): { readonly command_id?: string } {
  return onlyGiven({ command_id: commandId });
}

/** Leaves out what was not given. */
function onlyGiven<Fields extends object>(
  fields: Fields,
): { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
