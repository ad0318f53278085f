import { ownCommand } from "../base/commands/own-command.ts";
import { nameInline } from "../base/quoted.ts";
import { formatTime } from "../base/time.ts";
import type { OpenStep } from "../continuity/index.ts";
import { holderText } from "../continuity/base/holder.ts";
import { copyText } from "../continuity/decide/step-words.ts";
import { ownerState } from "../continuity/steps/process-owner.ts";
import type { WorkNeed } from "../doctor/checkup.ts";
import { printable } from "../doctor/printable.ts";
import { isInProgress } from "./lease-view.ts";
import { isUnread, type ProjectStatus, type UnreadProject } from "./status.ts";

/** Characters of a sentence; an error can quote much. */
export const LONGEST_SENTENCE = 2000;
const KNOWN = ["--reason", "how that is known"];

/** Returns the command that records of an open step that it happened. `options` select its store and project. */
export function resolvingCommand(
  { step_id, attempt_id }: OpenStep,
  open_steps: readonly OpenStep[],
  options: readonly string[],
): string {
  const isOne = open_steps.filter((other) => other.step_id === step_id).length === 1;
  const attempt = isOne ? [] : ["--attempt", String(attempt_id)];
  return ownCommand("continuity resolve", {
    options: [...options, "--outcome", "completed", ...KNOWN, ...attempt],
    argument: step_id,
  });
}

/**
 * Returns what needs a person in a project: names and keys, and no recorded text. `store` are the options that select
 * its store at the command line, without the project.
 */
export function listWorkNeeds(
  project: ProjectStatus | UnreadProject,
  store: readonly string[],
): Omit<WorkNeed, "place">[] {
  const { project_id } = project;
  const need = (needs: WorkNeed["needs"], name: string, text: string, command?: string): Omit<WorkNeed, "place"> => ({
    needs,
    ...(project_id !== null && { project_id }),
    sentence: printable(`Project ${name} ${text}`, LONGEST_SENTENCE),
    ...(command !== undefined && { command }),
  });
  if (isUnread(project)) {
    const { workflow_id, message } = project;
    const name = project_id === null ? `without a name (workflow ${workflow_id})` : nameInline(project_id);
    return [need("unread", name, `cannot be read: ${message}`)];
  }
  const { unknown_since, open_steps, held, lease } = project;
  const name = `${nameInline(project.project_id)}:`;
  const options = [...store, "--project", project.project_id];
  const needs: Omit<WorkNeed, "place">[] = [];
  if (unknown_since) {
    const command = ownCommand("continuity confirm", { options: [...options, ...KNOWN] });
    needs.push(need("older_copy", name, `${copyText(unknown_since)} To confirm it:`, command));
  }
  for (const step of open_steps.filter((one) => !isInProgress(one, lease))) {
    const { step_id, attempt_id, idempotency_key, started_at } = step;
    const key = idempotency_key === null ? "" : `, key ${nameInline(idempotency_key)}`;
    const text =
      `step ${nameInline(step_id)} (attempt ${attempt_id}${key}, begun ${formatTime(started_at)}) may have run, and ` +
      "nobody executes it. If it happened (else --outcome not_done or abandoned):";
    needs.push(need("unknown_step", name, text, resolvingCommand(step, open_steps, options)));
  }
  for (const { task_id, holder, until } of held) {
    if (holder.session === null || ownerState(holder.session) !== "gone") continue;
    const text =
      `task ${nameInline(task_id)} is held by ${holderText(holder)}, whose process has ended` +
      `${until === null ? "" : `, until ${formatTime(until)}`}. To free it now:`;
    needs.push(need("gone_claim", name, text, ownCommand("continuity task release", { options, argument: task_id })));
  }
  if (lease?.is_held === true && lease.owner_state === "gone") {
    const text =
      `its steps are held by ${nameInline(lease.owner_id)}, whose process has ended, until ` +
      `${formatTime(lease.lease_expires_at)}. Whoever begins a step on this machine takes over at once.`;
    needs.push(need("gone_lease", name, text));
  }
  return needs;
}
