import { Type, type Static, type TObject, type TSchema } from "typebox";
import { INPUTS, type Json, type Project, type Resolution } from "../continuity/index.ts";
import { checkShape } from "../continuity/steps/inputs.ts";
import { compact, nextAnswer, nextWithAge, workAnswer } from "./answers.ts";
import { STEP_ACTIONS } from "./inputs.ts";
import type { LeaseKeeper } from "../continuity/index.ts";
import { Reading } from "./reading.ts";
import { openAnswer } from "./step-tool.ts";
import type { ContinuityTool } from "./tool.ts";

/** A tool of the version before, which is not listed and still answers. */
type FormerTool = Pick<ContinuityTool, "name" | "run">;

/** The former names of tools, with what takes their place. */
export const FORMER_NAMES = {
  start_task: "update_task with status doing",
  pause_task: "update_task with status todo",
  block_task: "update_task with status blocked and why",
  complete_task: "update_task with status done",
  update_checkpoint: "update_task with where_we_left_off and next_step",
  get_next_step: "get_work with view next",
  get_active_work: "get_work",
  begin_step: "step with action begin",
  complete_step: "step with action complete",
  fail_step: "step with action fail",
  resolve_step: "step with action resolve",
} as const;
/** Tools that keep their names; calls with a `command_id`, which only the former ones take, are answered as before. */
const SAME_NAMES = ["create_goal", "add_task", "set_goal_status"] as const;
type FormerName = keyof typeof FORMER_NAMES | (typeof SAME_NAMES)[number];

const NOTHING = Type.Object({}, { additionalProperties: false });
const { action: _begin, ...BEGIN } = STEP_ACTIONS.begin.properties;
const { action: _complete, ...COMPLETE } = STEP_ACTIONS.complete.properties;
const { action: _fail, why: error, outcome: _outcome, ...FAIL } = STEP_ACTIONS.fail.properties;
const { action: _resolve, why: reason, ...RESOLVE } = STEP_ACTIONS.resolve.properties;
const closed = <const Properties extends Record<string, TSchema>>(properties: Properties): TObject<Properties> =>
  Type.Object(properties, { additionalProperties: false });

/**
 * Returns the tools under their former names, as they were: they throw where the new ones say `already`. Each says once
 * in an answer what takes its place.
 */
export function formerTools(leases: LeaseKeeper, staleness = { now: () => Date.now() }): readonly FormerTool[] {
  const told = new Set<string>();
  const former = <Schema extends TObject>(
    name: FormerName,
    parameters: Schema,
    answer: (project: Project, input: Static<Schema>) => Promise<{ readonly [key: string]: Json }>,
  ): FormerTool => ({
    name,
    run: (project, input) =>
      Promise.resolve().then(async () => {
        const answered = await answer(project, checkShape(name, parameters, input ?? {}));
        if (told.has(name)) return answered;
        told.add(name);
        const renamed =
          name in FORMER_NAMES
            ? `${name} is now ${FORMER_NAMES[name as keyof typeof FORMER_NAMES]}; this name goes with the next version.`
            : `${name} needs no command_id any more: a repeated call says already.`;
        return { ...answered, renamed };
      }),
  });
  return [
    former("create_goal", INPUTS.create_goal, async (project, input) => {
      const { goal_id, status, priority } = await project.createGoal(input);
      return { goal_id, status, priority };
    }),
    former("add_task", INPUTS.add_task, async (project, input) => {
      const { task_id, goal_id, status, depends_on } = await project.addTask(input);
      return compact({ task_id, goal_id, status, depends_on });
    }),
    former("set_goal_status", INPUTS.set_goal_status, async (project, input) => {
      const { goal_id, status } = await project.setGoalStatus(input);
      return { goal_id, status };
    }),
    former("start_task", INPUTS.start_task, async (project, input) => moved(project, await project.startTask(input))),
    former("pause_task", INPUTS.pause_task, async (project, input) => moved(project, await project.pauseTask(input))),
    former("complete_task", INPUTS.complete_task, async (project, input) =>
      moved(project, await project.completeTask(input)),
    ),
    former("block_task", INPUTS.block_task, async (project, input) => {
      const { blockers, ...task } = await project.blockTask(input);
      return { ...(await moved(project, task)), blockers };
    }),
    former("update_checkpoint", INPUTS.update_checkpoint, async (project, input) => {
      const { task_id, next_step, timestamp } = await project.updateCheckpoint(input);
      return { task_id, next_step, timestamp };
    }),
    former("get_next_step", NOTHING, async (project) => {
      const reading = new Reading(project.author);
      return reading.answer(nextWithAge(await project.activeWork(), staleness, reading));
    }),
    former("get_active_work", NOTHING, async (project) => {
      const reading = new Reading(project.author);
      return reading.answer(workAnswer(await project.activeWork(), staleness, reading));
    }),
    former("begin_step", closed(BEGIN), async (project, input) => {
      const { lease, start } = await leases.begin(project, input);
      if (start.status === "completed") {
        const { author, ...fields } = start;
        const reading = new Reading(project.author);
        return reading.answer({ ...fields, ...reading.writtenBy({ result: author }) });
      }
      if (start.status === "open") return openAnswer(project, start);
      const { earlier_attempts, may_have_acted: _may, unrecorded: _none, ...rest } = start;
      const advice = "An earlier attempt may have acted: look whether it did before you do it again.";
      return compact({
        ...rest,
        fencing_token: lease.fencing_token,
        ...(earlier_attempts > 0 ? { earlier_attempts, advice } : {}),
      });
    }),
    former("complete_step", closed(COMPLETE), async (project, { step_id, attempt_id, result = null }) => {
      const { duplicate } = await leases.complete(project, { step_id, attempt_id }, result);
      return { step_id, attempt_id, status: "completed", ...(duplicate ? { duplicate } : {}) };
    }),
    former("fail_step", closed({ ...FAIL, error }), async (project, { step_id, attempt_id, error: why }) => {
      await leases.fail(project, { step_id, attempt_id }, why);
      return { step_id, attempt_id, status: "failed" };
    }),
    former("resolve_step", closed({ ...RESOLVE, reason }), async (project, resolution) => {
      const { duplicate } = await leases.resolve(project, resolution as Resolution);
      const { step_id, attempt_id, outcome } = resolution;
      return { step_id, attempt_id, outcome, ...(duplicate ? { duplicate } : {}) };
    }),
  ];
}

async function moved(
  project: Project,
  { task_id, status }: { readonly task_id: string; readonly status: string },
): Promise<{ readonly [key: string]: Json }> {
  const reading = new Reading(project.author);
  const next = nextAnswer(await project.activeWork(), reading);
  return reading.answer({ task_id, status, next });
}
