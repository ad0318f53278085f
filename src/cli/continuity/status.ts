import {
  activeWork,
  ContinuityError,
  type ActiveWorkState,
  isRested,
  type LeaseRow,
  type OpenStep,
  type TaskStatus,
} from "../../continuity/index.ts";
import { ownCommand } from "../../base/commands/own-command.ts";
import { printable } from "../../doctor/printable.ts";
import { isThere } from "../../base/is-there.ts";
import { otherStore, placeOf, projectOf, type Opened, type ReadOptions, withContinuity } from "./store.ts";
import { labelled, listed, nextLines, restedText, timeText } from "./text.ts";
import { type Outcome, runAsync } from "../run.ts";

/** The active work, and what is shown in addition. */
interface Status extends ActiveWorkState {
  readonly counts: Readonly<Record<TaskStatus, number>>;
  readonly events: number;
  readonly completed_steps: number;
  readonly lease: LeaseRow | null;
  readonly stale: boolean;
}

const WORDS: Readonly<Record<TaskStatus, string>> = { doing: "doing", blocked: "blocked", todo: "to do", done: "done" };
const STEP_WORDS: Readonly<Record<string, string>> = {
  pure: "only computes",
  idempotent: "harmless when executed twice",
  non_idempotent: "must not be executed twice",
};
const MAX_LISTED = 20;
/** Characters of an open step's input; --json has all that is recorded. */
const LONGEST_INPUT = 300;

/** `openclaw-integrity continuity status` */
export async function statusCommand(options: ReadOptions): Promise<void> {
  await runAsync(options, () =>
    unlessNone(options, async (opened) => {
      const project = await projectOf(opened, options);
      const { store } = opened;
      const [state, row, lease] = [
        await project.state(),
        await store.workflow(project.workflow_id),
        await store.lease(project.workflow_id),
      ];
      const work = activeWork(state);
      const count = (status: TaskStatus): number =>
        Object.values(state.tasks).filter((task) => task.status === status).length;
      return outcomeOf(opened.place, {
        ...work,
        counts: {
          doing: count("doing"),
          blocked: count("blocked"),
          todo: count("todo"),
          done: count("done") + (state.finished?.tasks ?? 0),
        },
        events: row?.last_event_seq ?? 0,
        completed_steps: state.completed_steps,
        lease: lease && isHeld(lease) ? lease : null,
        stale: isRested(work, Date.now()),
      });
    }),
  );
}

/** {@link withContinuity}; a default store that is not there yet is no error: nothing has been recorded. */
async function unlessNone(options: ReadOptions, work: (opened: Opened) => Promise<Outcome>): Promise<Outcome> {
  const { file, postgres, project } = options;
  try {
    return await withContinuity(options, work);
  } catch (error) {
    const isDefault = file === undefined && postgres === undefined && project === undefined;
    const at = placeOf(options);
    if (!isDefault || !("file" in at) || !isCode(error, "not-found") || isThere(at.file)) throw error;
    return {
      data: { place: at.file, project_id: null },
      lines: [`no work has been recorded yet: there is no store ${at.file}${otherStore(options)}`],
    };
  }
}

function isCode(error: unknown, code: ContinuityError["code"]): boolean {
  return error instanceof ContinuityError && error.code === code;
}

function isHeld({ lease_expires_at, heartbeat_at }: LeaseRow): boolean {
  // A released lease ends at its last heartbeat.
  return lease_expires_at > heartbeat_at && Date.parse(lease_expires_at) > Date.now();
}

function outcomeOf(place: string, status: Status): Outcome {
  const { project_id, counts, worked_at, goals, tasks, unresolved_blockers, open_steps, lease, next } = status;
  const tally = (Object.keys(WORDS) as TaskStatus[])
    .filter((name) => counts[name] > 0)
    .map((name) => `${counts[name]} ${WORDS[name]}`);
  return {
    data: { place, ...status },
    lines: [
      `Project ${printable(project_id, 200)}`,
      ...labelled("tasks", tally.length === 0 ? "none" : tally.join(", ")),
      ...labelled("changed", worked_at === null ? "never" : timeText(worked_at)),
      ...(status.stale ? labelled("rested", restedText(worked_at!)) : []),
      ...labelled("steps", `${status.completed_steps} completed, ${open_steps.length} without a known outcome`),
      ...labelled("lease", lease === null ? "free" : `${lease.owner_id}, until ${timeText(lease.lease_expires_at)}`),
      "",
      ...nextLines(next),
      ...section(
        "Goals",
        goals.map(({ text, priority }) => listed(`${text}${priority === 0 ? "" : ` (priority ${priority})`}`)),
      ),
      ...section(
        "Tasks",
        tasks.map(({ status: now, title }) => labelled(WORDS[now], title)),
      ),
      ...section(
        "Blockers",
        unresolved_blockers.map(({ task_id, blocker }) => listed(`${blocker} (${titleOf(status, task_id)})`)),
      ),
      ...section("Started, may have run", open_steps.map(openStepLines)),
      ...(open_steps.length === 0 ? [] : [`  Find out, and record it: ${ownCommand("continuity resolve")}`]),
    ],
  };
}

function openStepLines(step: OpenStep): string[] {
  const { step_id, attempt_id, step_type, started_at, idempotency_key, input_text, input_length, error } = step;
  return listed(
    [
      `${step_id}, attempt ${attempt_id}, ${timeText(started_at)}; ${STEP_WORDS[step_type] ?? step_type}`,
      ...(idempotency_key === null ? [] : [`key ${idempotency_key}`]),
      ...(input_text === undefined || input_text === "null"
        ? []
        : [
            `input ${input_text.slice(0, LONGEST_INPUT)}${(input_length ?? input_text.length) > LONGEST_INPUT ? "…" : ""}`,
          ]),
      ...(error === undefined ? [] : [`failed: ${error}`]),
    ].join("; "),
  );
}

function titleOf({ tasks }: Status, task_id: string): string {
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
