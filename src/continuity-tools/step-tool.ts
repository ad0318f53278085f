import { nameInline } from "../base/quoted.ts";
import {
  ContinuityError,
  type Json,
  type LeaseKeeper,
  type Project,
  type Resolution,
  type StepStart,
} from "../continuity/index.ts";
import { continuityError } from "../continuity/base/errors.ts";
import { readTaskEnd, goneTask, isNotFound } from "../continuity/work/ended.ts";
import { checkShape } from "../continuity/steps/inputs.ts";
import { listAttempts, isOnce } from "../continuity/decide/open-attempts.ts";
import { normalizeKey } from "../continuity/steps/request.ts";
import { compact, type Host, stepAnswer } from "./answers.ts";
import { type Begin, STEP, STEP_ACTIONS } from "./inputs.ts";
import { Reading } from "./reading.ts";
import { type ContinuityTool, tool } from "./tool.ts";

const MAY_HAVE_ACTED =
  "It may have happened: nothing was begun, do NOT act. Find out, or ask the user, and resolve each of these " +
  "attempts: completed with its result, or not_done, after which it can begin again.";
const OPEN_ALREADY =
  "This attempt is open already; it was not begun again. If you began it and have not acted yet, act now and " +
  "complete this attempt. If you acted, complete it. If you do not know, do not act: find out, then resolve it.";
const OTHER_NAME = "Its idempotency_key was begun under this step_id: use it from here on.";
const STAYS_OPEN =
  "It may have acted, so it stays recorded as open. Find out, or ask the user, and resolve it; " +
  "do not do it again before.";
const OTHERS_OPEN = "Other attempts of it may have acted, and are open. Find out, or ask the user, and resolve them.";

/** Returns the tool for actions that happen at most once, under the leases that `leases` holds for this process. */
export function stepTool(leases: LeaseKeeper, host: Host = {}): ContinuityTool {
  return tool({
    name: "step",
    title: "An action that must not happen twice",
    description:
      "Around a mail, payment or post. begin: if it answers run, act, then complete, or fail (not_done or " +
      "unknown). completed: do not act, use its result. open: it may have happened; do not act, find out or ask, " +
      "then resolve; why says how you know.",
    parameters: STEP,
    // Of a step that has begun, a second begin begins nothing.
    idempotent: true,
    answer: async (project, { action, ...input }, call_id) => {
      const schema = STEP_ACTIONS[action];
      // Models fill in what the other actions take; what is recorded already, or not yet, says nothing.
      const said = Object.entries(input).filter(([name]) => name in schema.properties || !IS_KNOWN[action].has(name));
      const fields = checkShape(`step with action ${action}`, schema, { action, ...Object.fromEntries(said) }) as never;
      try {
        return await ACTIONS[action](project, leases, fields, { ...host, call_id });
      } catch (error) {
        throw error instanceof ContinuityError && error.code === "lease-held"
          ? await heldElsewhere(project, action)
          : error;
      }
    },
  });
}

const OF_BEGIN: ReadonlySet<string> = new Set(["idempotency_key", "input", "task_id"]);
const IS_KNOWN: Readonly<Record<keyof typeof STEP_ACTIONS, ReadonlySet<string>>> = {
  begin: new Set(["attempt_id"]),
  complete: OF_BEGIN,
  fail: OF_BEGIN,
  resolve: OF_BEGIN,
};
const ACTIONS = { begin, complete, fail, resolve };

async function begin(
  project: Project,
  leases: LeaseKeeper,
  { step_id: name, idempotency_key, input, task_id }: Begin,
  { call_id, calls }: Host & { readonly call_id: string | undefined },
): Promise<Json> {
  const request = { step_id: name, step_type: "non_idempotent", idempotency_key, input, task_id, call_id } as const;
  const reading = new Reading(project.author, calls);
  let begun;
  try {
    begun = await leases.begin(project, request);
  } catch (error) {
    const end =
      task_id !== undefined && isNotFound(error) ? readTaskEnd(await project.latestChange(task_id)) : undefined;
    if (end !== undefined) throw goneTask(String(task_id), end, project.author);
    if (!(error instanceof ContinuityError && error.code === "step-open")) throw error;
    const { open_steps } = await project.activeWork();
    const key = normalizeKey(idempotency_key);
    const open = open_steps.findLast((one) => one.step_id === name || (isOnce(one) && one.idempotency_key === key));
    if (open === undefined) throw error;
    const { step_id, attempt_id, started_at } = open;
    const evidence = reading.callsSince(open);
    return compact({ status: "open", already: true, step_id, attempt_id, started_at, evidence, note: OPEN_ALREADY });
  }
  const { start } = begun;
  if (start.status === "completed") {
    const { author, ...fields } = start;
    return reading.answer({ ...fields, ...reading.writtenBy({ result: author }) });
  }
  if (start.status === "open") return openAnswer(reading, start);
  const { earlier_attempts, may_have_acted: _never, unrecorded: _none, ...rest } = start;
  const note = start.step_id === name ? null : OTHER_NAME;
  return compact({ ...rest, earlier_attempts: earlier_attempts || null, note });
}

/** Answers for a step that may have happened, with what is needed to find out. */
function openAnswer(
  reading: Reading,
  { step_id, attempt_id, attempts }: Extract<StepStart, { readonly status: "open" }>,
): { readonly [key: string]: Json } {
  return reading.answer({
    status: "open",
    step_id,
    attempt_id,
    attempts: attempts.map((one) => stepAnswer(one, reading)),
    note: MAY_HAVE_ACTED,
  });
}

interface End {
  readonly step_id: string;
  readonly attempt_id: number;
}

async function complete(
  project: Project,
  leases: LeaseKeeper,
  { step_id, attempt_id, result }: End & { readonly result?: string },
): Promise<Json> {
  try {
    const { duplicate } = await leases.complete(project, { step_id, attempt_id }, result ?? null);
    return { step_id, attempt_id, status: "completed", ...(duplicate ? { already: true } : {}) };
  } catch (error) {
    const last = await readLastEvent(project, step_id, error);
    if (last?.type !== "step_completed" && last?.outcome !== "completed") throw error;
    throw continuityError("step-not-started", {
      expected: `step ${nameInline(step_id)} not to be completed yet`,
      found: `attempt ${last.attempt_id} was completed ${last.at}, with another result or attempt_id`,
      todo: "Begin the step with the same fields, which answers with the recorded result. Nothing was written.",
    });
  }
}

async function fail(
  project: Project,
  leases: LeaseKeeper,
  { step_id, attempt_id, why, outcome }: End & { readonly why: string; readonly outcome?: "not_done" | "unknown" },
): Promise<Json> {
  const mayHaveActed = outcome === "unknown";
  let already = false;
  try {
    await leases.fail(project, { step_id, attempt_id }, why, { mayHaveActed });
  } catch (error) {
    const last = await readLastEvent(project, step_id, error);
    const isSame = last?.type === "step_failed" && last.attempt_id === attempt_id && last.mayHaveActed === mayHaveActed;
    if (!isSame) throw error;
    already = true;
  }
  const open = listAttempts(await project.state(), step_id);
  const isOpen = open.some((one) => one.attempt_id === attempt_id);
  return compact({
    step_id,
    attempt_id,
    status: isOpen ? "open" : "failed",
    note: isOpen ? STAYS_OPEN : open.length > 0 ? OTHERS_OPEN : null,
    already: already || null,
  });
}

async function resolve(
  project: Project,
  leases: LeaseKeeper,
  { step_id, attempt_id, outcome, why, result }: Omit<Resolution, "reason"> & { readonly why: string },
): Promise<Json> {
  const found = { step_id, attempt_id, outcome, reason: why, ...(result === undefined ? {} : { result }) };
  const { duplicate } = await leases.resolve(project, found);
  return { step_id, attempt_id, status: outcome, ...(duplicate ? { already: true } : {}) };
}

/** How far the ledger is searched for the end of a step. */
const FURTHEST = 500;

/** Returns the newest event of a step whose attempt is not open, if it is among the last ones. */
async function readLastEvent(
  project: Project,
  step_id: string,
  error: unknown,
): Promise<{ type: string; at: string; attempt_id: unknown; outcome: unknown; mayHaveActed: boolean } | undefined> {
  if (!(error instanceof ContinuityError && error.code === "step-not-started")) return undefined;
  let searched = 0;
  for await (const { event_type, timestamp, data } of project.recent()) {
    if (data["step_id"] === step_id)
      return {
        type: event_type,
        at: timestamp,
        attempt_id: data["attempt_id"],
        outcome: data["outcome"],
        mayHaveActed: data["may_have_acted"] === true,
      };
    if (++searched >= FURTHEST) return undefined;
  }
  return undefined;
}

/** The refusal of a step while another process has the lease, in words for an agent. */
async function heldElsewhere(project: Project, action: keyof typeof STEP_ACTIONS): Promise<Error> {
  const lease = await project.leaseRow();
  return continuityError("lease-held", {
    expected: `no other process to be executing steps of project ${nameInline(project.project_id)}`,
    found:
      lease === undefined
        ? "one that is"
        : `${nameInline(lease.owner_id)} has the lease since ${lease.acquired_at}, ` +
          `until ${lease.lease_expires_at} unless it prolongs it`,
    todo:
      `${action === "begin" ? "Do NOT act. " : ""}Call again with the same fields after that time, or do other ` +
      "work meanwhile: goals and tasks need no lease. If it goes on for long, tell the user who has it: it is " +
      "released a minute after that process ends its last step, and when the process ends. Nothing was written.",
  });
}
