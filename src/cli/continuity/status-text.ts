/** The status of one project, and of all projects of a store, as lines for a terminal. */
import type { OpenStep, TaskStatus } from "../../continuity/index.ts";
import { callsText } from "../../continuity/work/calls-since.ts";
import { copyText } from "../../continuity/decide/step-words.ts";
import { ownCommand } from "../../base/commands/own-command.ts";
import { joinSome } from "../../base/join-some.ts";
import {
  isIdle,
  isInProgress,
  leaseWords,
  isUnread,
  type Need,
  type ProjectStatus,
  type UnreadProject,
} from "../../continuity-report/index.ts";
import { printable } from "../../doctor/printable.ts";
import { counted } from "../../doctor/words.ts";
import { type StoreOptions } from "./base/store.ts";
import { labelled, heldLines, listed, nextLines, restedText, startLines, shortIds, timeText } from "./base/text.ts";
import { callsFrom } from "../../continuity-tools/tool-journal.ts";
import { stateDirectory } from "../../store/index.ts";
import { storeWords } from "../../continuity-tools/store-words.ts";

const WORDS: Readonly<Record<TaskStatus, string>> = { doing: "doing", blocked: "blocked", todo: "to do", done: "done" };
const STEP_WORDS: Readonly<Record<string, string>> = {
  pure: "only computes",
  idempotent: "harmless when executed twice",
  non_idempotent: "must not be executed twice",
};
const MAX_LISTED = 20;
/** Characters of an open step's input; --json has all that is recorded. */
const LONGEST_INPUT = 300;

/** Returns the whole status of one project. `options` are those with which the reader has selected it. */
export function statusLines(status: ProjectStatus, options: StoreOptions): string[] {
  const { project_id, worked_at, goals, tasks, unresolved_blockers, open_steps, lease, next } = status;
  const goalIds = shortIds(goals.map(({ goal_id }) => goal_id));
  const taskIds = shortIds(tasks.map(({ task_id }) => task_id));
  const [running, unknown] = [true, false].map((wanted) =>
    open_steps.filter((step) => isInProgress(step, lease) === wanted),
  ) as [OpenStep[], OpenStep[]];
  return [
    `Project ${printable(project_id, 200)}`,
    ...(status.unknown_since ? copyLines(status, options) : []),
    ...labelled("tasks", tally(status)),
    ...labelled("changed", worked_at === null ? "never" : timeText(worked_at)),
    ...(status.stale ? labelled("rested", restedText(worked_at!)) : []),
    ...labelled("steps", `${status.completed_steps} completed, ${open_steps.length} without a known outcome`),
    ...labelled("lease", leaseWords(lease, Date.now())),
    "",
    ...nextLines(next),
    ...startLines(status),
    ...heldLines(status),
    ...section(
      "Goals",
      goals.map(({ goal_id, text, priority }) =>
        listed(`${goalIds.get(goal_id)}  ${text}${priority === 0 ? "" : ` (priority ${priority})`}`),
      ),
    ),
    ...section(
      "Tasks",
      tasks.map(({ task_id, status: now, title }) => labelled(WORDS[now], `${taskIds.get(task_id)}  ${title}`)),
    ),
    ...section(
      "Blockers",
      unresolved_blockers.map(({ task_id, blocker }) => listed(`${blocker} (${taskTitle(status, task_id)})`)),
    ),
    ...section("In progress", running.map(openStepLines)),
    ...section("Started, may have run", unknown.map(openStepLines)),
    ...(unknown.length === 0 ? [] : [`  Find out, and record it: ${resolveCommandFor(options)}`]),
  ];
}

/** Returns a few lines for each project, those that need a person first. */
export function allLines(
  projects: readonly (ProjectStatus | UnreadProject)[],
  place: string,
  options: StoreOptions,
): string[] {
  const idle = projects.filter((one): one is ProjectStatus => !isUnread(one) && one.needs === null && isIdle(one));
  const shown = projects.filter((one) => isUnread(one) || one.needs !== null || !isIdle(one));
  const needing = projects.filter(({ needs }) => needs !== null).length;
  const rest = shown.length - MAX_LISTED;
  return [
    `${counted(projects.length, "project")} in ${printable(place, 500)}: ` +
      (needing === 0 ? "none needs a person" : `${needing} ${needing === 1 ? "needs" : "need"} a person`),
    ...shown.slice(0, MAX_LISTED).flatMap((one) => ["", ...compactLines(one, options)]),
    ...(rest > 0 ? ["", `and ${counted(rest, "project")} more; --json and --html show all`] : []),
    ...(idle.length === 0
      ? []
      : [
          "",
          `Nothing open: ${joinSome(
            idle.map(({ project_id }) => printable(project_id, 200)),
            MAX_LISTED,
          )}`,
        ]),
    "",
    "One project: --project <name>",
  ];
}

function copyLines({ unknown_since }: ProjectStatus, options: StoreOptions): string[] {
  const command = ownCommand("continuity confirm", {
    options: [...storeWords(options), "--reason", "how that is known"],
  });
  // On one line, so that the command can be copied.
  return [...labelled("older copy", copyText(unknown_since!)), `  confirm    ${command}`];
}

const NEED_WORDS: Readonly<Record<Exclude<Need, "damaged">, (status: ProjectStatus) => string>> = {
  older_copy: ({ unknown_since }) => copyText(unknown_since!),
  unknown_step: ({ open_steps, lease }) =>
    `${counted(open_steps.filter((step) => !isInProgress(step, lease)).length, "step")} may have run`,
  blocked: ({ unresolved_blockers }) => `blocked${unresolved_blockers[0] ? `: ${unresolved_blockers[0].blocker}` : ""}`,
  rested: ({ worked_at }) => `rested ${restedText(worked_at!)}`,
};

function compactLines(one: ProjectStatus | UnreadProject, options: StoreOptions): string[] {
  if (isUnread(one))
    return [
      printable(one.project_id ?? `a project without a name (workflow ${one.workflow_id})`, 200),
      ...labelled("unreadable", `${one.message} (${one.code})`),
    ];
  const { project_id, needs, lease, next, stale, worked_at, open_steps } = one;
  const running = open_steps.filter((step) => isInProgress(step, lease)).length;
  return [
    printable(project_id, 200),
    ...(needs === null || needs === "damaged" ? [] : labelled("needs you", NEED_WORDS[needs](one))),
    // On one line, so that the command can be copied.
    ...(needs === "unknown_step" ? [`  resolve    ${resolveCommandFor({ ...options, project: project_id })}`] : []),
    ...labelled("tasks", tally(one)),
    ...(next.kind === "step" ? labelled("next", next.next_step) : []),
    ...(stale && needs !== "rested" ? labelled("rested", restedText(worked_at!)) : []),
    ...(running === 0 ? [] : labelled("steps", `${running} in progress`)),
    ...(lease === null ? [] : labelled("lease", leaseWords(lease, Date.now()))),
  ];
}

/** Returns an open step with what is needed to find out whether it acted. */
export function openStepLines(step: OpenStep): string[] {
  const {
    step_id,
    attempt_id,
    step_type,
    started_at,
    idempotency_key,
    input_text,
    input_length,
    error,
    unknown_since,
  } = step;
  const calls = callsFrom(stateDirectory())(step);
  const isCut = (input_length ?? input_text.length) > LONGEST_INPUT;
  return listed(
    [
      `${step_id}, attempt ${attempt_id}, ${timeText(started_at)}; ${STEP_WORDS[step_type] ?? step_type}`,
      ...(idempotency_key === null ? [] : [`key ${idempotency_key}`]),
      ...(input_text === "null" ? [] : [`input ${input_text.slice(0, LONGEST_INPUT)}${isCut ? "…" : ""}`]),
      ...(error === undefined ? [] : [`failed: ${error}`]),
      ...(unknown_since === undefined ? [] : [`may have happened before event ${unknown_since}`]),
      ...(calls === undefined ? [] : [callsText(calls)]),
    ].join("; "),
  );
}

/**
 * Returns the command that lists the steps that can be resolved, in the store and project that the reader has selected.
 */
function resolveCommandFor(options: StoreOptions): string {
  return ownCommand("continuity resolve", { options: storeWords(options) });
}

function tally({ counts }: ProjectStatus): string {
  const some = (Object.keys(WORDS) as TaskStatus[])
    .filter((name) => counts[name] > 0)
    .map((name) => `${counts[name]} ${WORDS[name]}`);
  return some.length === 0 ? "none" : some.join(", ");
}

function taskTitle({ tasks }: ProjectStatus, task_id: string): string {
  return tasks.find((task) => task.task_id === task_id)?.title ?? task_id;
}

function section(title: string, items: readonly (readonly string[])[]): string[] {
  if (items.length === 0) return [];
  const rest = items.length - MAX_LISTED;
  return [
    "",
    title,
    ...items.slice(0, MAX_LISTED).flat(),
    ...(rest > 0 ? [`  and ${rest} more; --json shows all`] : []),
  ];
}
