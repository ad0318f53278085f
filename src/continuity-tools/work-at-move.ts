/** What a conversation that goes back, or is forked, has to know of its recorded work. */
import { nameInline, quotedInline, section } from "../base/quoted.ts";
import {
  type Author,
  briefing,
  type BriefingOptions,
  type NextStep,
  type OpenStep,
  type ProposalRequest,
  type Project,
  strangerTo,
  type WorkState,
} from "../continuity/index.ts";
import { ownEntry } from "../continuity/decide/find.ts";
import { listStepIds } from "../continuity/decide/open-attempts.ts";
import { callsText } from "../continuity/work/calls-since.ts";
import { readTaskEnd } from "../continuity/work/ended.ts";

/** A call of a tool in a conversation, or what an earlier move told of the work. */
export interface WorkCall {
  /** The name of the tool; undefined for what a move told. */
  readonly tool: string | undefined;
  readonly input: unknown;
  /** What the tool answered; undefined where no answer is stored. */
  readonly answer: unknown;
}

/** The calls of a conversation that moves to another place of its history, oldest first. */
export interface WorkCalls {
  /** The calls on the way to that place, whose answers stay in the history. */
  readonly kept: readonly WorkCall[];
  /** The calls behind that place, also on other branches. */
  readonly left: readonly WorkCall[];
}

/** A next step as it was told. */
interface ToldStep {
  /** `step` where the action was told as the step that comes next. */
  readonly kind: "step" | undefined;
  readonly task_id: string;
  readonly next_step: string;
}

/** What a move tells of recorded work. */
export interface WorkAtMove {
  /** Parts of its text, each with a heading of its own; foreign words are quoted. */
  readonly sections: readonly string[];
  /** The next step that is told, for {@link WorkCall.answer} of a later move. */
  readonly told: { readonly next: ToldStep | null };
}

/** What a move tells where nothing is recorded. */
export const NO_WORK: WorkAtMove = { sections: [], told: { next: null } };

/** What a move tells where the work cannot be read; `toolPrefix` is that of the tools' names. */
export function unreadWork(toolPrefix = ""): WorkAtMove {
  const unread =
    "[Recorded work could not be read at this move: what is said of it before may be out of date. Ask with " +
    `${toolPrefix}get_work.]`;
  return { ...NO_WORK, sections: [unread] };
}

/** How many goals, tasks and steps are told, the last ones. */
const MAX_TOLD = 20;
/** How far the ledger is searched for what became of steps. */
const FURTHEST = 500;
const LONGEST = 300;

const STAYS =
  "[Recorded work does not go back. What was recorded of it after this point still holds; what is done there is not " +
  "to be done again:]";
const OUTDATED =
  "[Out of date: these next steps of recorded work, which stand before this point. What is told below holds:]";
const NOTHING = "[No recorded work is to be continued at the moment of this move";

/** What is to be done about an attempt of which nobody knows. */
const FIND_OUT = "may have acted: find out or ask the user";
const DO_NOT = `${FIND_OUT}, and resolve it before you do it again`;
const DO_NOT_HERE = `${FIND_OUT} before you do it`;

const OTHERS =
  "[This conversation has recorded work of its own, which knows nothing of that of the other one. These steps were " +
  "recorded there, as they are at the moment of this copy; what has happened is not to be done again here:]";

/**
 * Reads what a move has to tell of a project's work: what became of the goals, tasks and steps that the calls it leaves
 * have recorded; which next steps that stay in the history are out of date; and the state of the work now. Only calls
 * of tools with the prefix of the options count. Empty where nothing is recorded and nothing was told. Changes nothing.
 * Rejects with a ContinuityError.
 */
export async function workAtMove(project: Project, calls: WorkCalls, options: BriefingOptions): Promise<WorkAtMove> {
  const kept = ofTools(calls.kept, options.toolPrefix);
  const left = ofTools(calls.left, options.toolPrefix);
  const state = await project.state();
  const work = await project.toActiveWork(state);
  const { next } = work;
  const reader = options.reader ?? project.author;
  const stays = [
    ...(await goalsAndTasks(project, state, idsIn(left), reader)),
    ...(await steps(project, work.open_steps, stepsIn(left))),
  ];
  const outdated = outdatedSteps(kept, state, next).map(
    ({ task_id, next_step }) => `- task ${nameInline(task_id)}: ${quotedInline(next_step, LONGEST)}`,
  );
  const now = briefing(work, { ...options, reader });
  const isKnown = kept.length + left.length > 0;
  const at = new Date(options.now).toISOString();
  return {
    sections: [
      ...(stays.length === 0 ? [] : [section(STAYS, stays.join("\n"))]),
      ...(outdated.length === 0 ? [] : [section(OUTDATED, outdated.join("\n"))]),
      ...(now === null
        ? isKnown
          ? [`${NOTHING} (${at}).]`]
          : []
        : [section(`[Recorded work at the moment of this move (${at}):]`, now)]),
    ],
    told: { next: next.kind === "step" ? { kind: "step", task_id: next.task_id, next_step: next.next_step } : null },
  };
}

/**
 * Reads what a forked conversation, which has a project of its own, has to know of the work of the other one: what
 * became of the steps that the calls have recorded, and which steps may have run. The fork cannot resolve them. Empty
 * where there are none. Changes nothing. Rejects with a ContinuityError.
 */
export async function workAtFork(project: Project, calls: WorkCalls, options: BriefingOptions): Promise<WorkAtMove> {
  const { open_steps } = await project.activeWork();
  const named = stepsIn(ofTools([...calls.kept, ...calls.left], options.toolPrefix));
  const told = new Set([...named, ...listStepIds(open_steps).slice(-MAX_TOLD)]);
  const lines = await steps(project, open_steps, told, { doNot: DO_NOT_HERE, calls: options.calls });
  return { ...NO_WORK, sections: lines.length === 0 ? [] : [section(OTHERS, lines.join("\n"))] };
}

/** The calls of these tools, without the prefix of their names, and what earlier moves told. */
function ofTools(calls: readonly WorkCall[], prefix = ""): WorkCall[] {
  return calls
    .filter(({ tool }) => tool === undefined || tool.startsWith(prefix))
    .map((call) => ({ ...call, tool: call.tool?.slice(prefix.length) }));
}

/**
 * The next steps that calls tell and that no longer hold, the last ones: another one is recorded of the task, it is no
 * longer open, or it was told last as the step that comes next and is not.
 */
function outdatedSteps(kept: readonly WorkCall[], state: WorkState, next: NextStep | ProposalRequest): ToldStep[] {
  const told = new Map<string, ToldStep>();
  let last: ToldStep | undefined;
  for (const { input, answer } of kept) {
    // What the tool has refused was not recorded.
    const accepted = answer === undefined ? [] : [input, answer];
    last = [toFields(answer)["next"], answer].map(stepIn).find((step) => step?.kind === "step") ?? last;
    for (const step of [...accepted, toFields(answer)["next"]].map(stepIn)) {
      if (step === undefined) continue;
      told.delete(step.task_id);
      told.set(step.task_id, step);
    }
    // What the history itself says to be over misleads nobody.
    const { task_id, status } = toFields(input);
    if (accepted.length > 0 && (status === "done" || status === "dropped")) told.delete(task_id as string);
  }
  const isNext = next.kind === "step" && last?.task_id === next.task_id;
  const holds = ({ task_id, next_step }: ToldStep): boolean =>
    (ownEntry(state.checkpoints, task_id)?.next_step ?? ownEntry(state.tasks, task_id)?.title) === next_step &&
    ownEntry(state.tasks, task_id) !== undefined;
  return [...told.values()]
    .filter((step) => !holds(step) || (step.task_id === last?.task_id && !isNext))
    .slice(-MAX_TOLD);
}

/** The next step of a task that these fields name; with its kind where it is told as the step that comes next. */
function stepIn(fields: unknown): ToldStep | undefined {
  const { kind, task_id, next_step } = toFields(fields);
  if (typeof task_id !== "string" || typeof next_step !== "string") return undefined;
  return { kind: kind === "step" ? "step" : undefined, task_id, next_step };
}

/** Ids of the goals and tasks that these calls are about, the last ones, each once. */
function idsIn(calls: readonly WorkCall[]): string[] {
  const ids = new Set<string>();
  for (const { tool, input, answer } of calls) {
    if (tool === undefined || tool === "get_work" || tool === "step") continue;
    const [asked, told] = [toFields(input), toFields(answer)];
    // The goal of a task is not what the call is about.
    const id = asked["task_id"] ?? told["task_id"] ?? asked["goal_id"] ?? told["goal_id"];
    if (typeof id !== "string") continue;
    ids.delete(id);
    ids.add(id);
  }
  return [...ids].slice(-MAX_TOLD);
}

/** Names of the steps that these calls are about, the last ones, each once. */
function stepsIn(calls: readonly WorkCall[]): Set<string> {
  const named = new Set<string>();
  for (const { tool, input } of calls) {
    const { step_id } = toFields(input);
    if (tool !== "step" || typeof step_id !== "string") continue;
    named.delete(step_id);
    named.add(step_id);
  }
  return new Set([...named].slice(-MAX_TOLD));
}

async function goalsAndTasks(
  project: Project,
  state: WorkState,
  ids: readonly string[],
  reader: Author,
): Promise<string[]> {
  const finished = await project.finished(ids);
  const by = (author: Author): string => {
    const stranger = strangerTo(reader, author);
    return stranger === undefined ? "" : `[by ${stranger}] `;
  };
  const lines = ids.map(async (id) => {
    const task = ownEntry(state.tasks, id) ?? ownEntry(finished.tasks, id);
    if (task) return `- task ${nameInline(id)}, ${by(task.author)}${quotedInline(task.title, LONGEST)}: ${task.status}`;
    const goal = ownEntry(state.goals, id) ?? ownEntry(finished.goals, id);
    if (goal) return `- goal ${nameInline(id)}, ${by(goal.author)}${quotedInline(goal.text, LONGEST)}: ${goal.status}`;
    const end = readTaskEnd(await project.latestChange(id));
    return end && `- task ${nameInline(id)}: ${end.status}`;
  });
  return (await Promise.all(lines)).filter((line) => line !== undefined);
}

/** How an attempt of a step ended, by what the ledger's events say. */
type End = "completed" | "unknown" | "abandoned" | "not done";

/** What became of steps. One attempt without an outcome may have acted, whatever came later. */
async function steps(
  project: Project,
  open: readonly OpenStep[],
  named: ReadonlySet<string>,
  { doNot = DO_NOT, calls }: { readonly doNot?: string; readonly calls?: BriefingOptions["calls"] } = {},
): Promise<string[]> {
  if (named.size === 0) return [];
  const found = new Map<string, { key: unknown; readonly attempts: Map<unknown, End> }>();
  const add = (step_id: unknown, attempt_id: unknown, key: unknown, end: End): void => {
    if (typeof step_id !== "string" || !named.has(step_id)) return;
    const step = found.get(step_id) ?? { key: undefined, attempts: new Map<unknown, End>() };
    found.set(step_id, step);
    step.key ??= key;
    if (!step.attempts.has(attempt_id)) step.attempts.set(attempt_id, end);
  };
  let searched = 0;
  for await (const { event_type, data } of project.recent()) {
    if (searched++ >= FURTHEST) break;
    if (event_type.startsWith("step_"))
      add(data["step_id"], data["attempt_id"], data["idempotency_key"], endBy(event_type, data));
  }
  // Those that were begun longer ago.
  for (const { step_id, attempt_id, idempotency_key } of open) add(step_id, attempt_id, idempotency_key, "unknown");
  return [...named].flatMap((step_id) => {
    const step = found.get(step_id);
    if (!step) return [];
    // OpenClaw stores some keys of calls as `***`: the ledger has them as they were given.
    const key = typeof step.key === "string" ? `, key ${quotedInline(step.key, LONGEST)}` : "";
    const since = open.findLast((one) => one.step_id === step_id);
    const evidence = since && calls?.(since);
    const rest = evidence ? `; ${callsText(evidence, { isBrief: true })}` : "";
    return [`- step ${nameInline(step_id)}${key}: ${whatBecame(step.attempts, doNot)}${rest}`];
  });
}

function endBy(event_type: string, { outcome, may_have_acted }: Readonly<Record<string, unknown>>): End {
  if (event_type === "step_completed" || outcome === "completed") return "completed";
  if (outcome === "abandoned") return "abandoned";
  return event_type === "step_started" || may_have_acted === true ? "unknown" : "not done";
}

/**
 * What became of the attempts of a step, in words: an attempt that acted weighs most, then one of which that is
 * unknown.
 */
function whatBecame(attempts: ReadonlyMap<unknown, End>, doNot: string): string {
  const nameAttempt = (end: End): string | undefined => {
    const [id] = [...attempts].find(([, one]) => one === end) ?? [];
    return id === undefined ? undefined : `attempt ${String(id)}`;
  };
  const [completed, unknown, abandoned] = [nameAttempt("completed"), nameAttempt("unknown"), nameAttempt("abandoned")];
  if (completed !== undefined) return `completed in ${completed}`;
  if (unknown !== undefined) return `${unknown} was begun and has no known outcome; it ${doNot}`;
  if (abandoned !== undefined) return `${abandoned} was given up; nobody knows whether it acted`;
  return "begun, and not done";
}

function toFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
