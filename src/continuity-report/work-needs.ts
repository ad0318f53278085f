import { ownCommand } from "../base/commands/own-command.ts";
import { nameInline } from "../base/quoted.ts";
import { timeOf } from "../base/time.ts";
import { holderText } from "../continuity/base/holder.ts";
import { copyText } from "../continuity/decide/step-words.ts";
import { ownerState } from "../continuity/steps/process-owner.ts";
import type { WorkNeed } from "../doctor/checkup.ts";
import { isInProgress } from "./lease-view.ts";
import { isUnread, type ProjectStatus, type UnreadProject } from "./status.ts";

/**
 * Returns what needs a person in a project: names and keys, and no recorded text. `store` are the options that select
 * its store at the command line, without the project.
 */
export function workNeedsOf(
  project: ProjectStatus | UnreadProject,
  store: readonly string[],
): Omit<WorkNeed, "place">[] {
  if (isUnread(project)) {
    const { project_id, workflow_id, message } = project;
    const name = project_id === null ? `without a name (workflow ${workflow_id})` : nameInline(project_id);
    return [
      {
        needs: "unread",
        ...(project_id !== null && { project_id }),
        sentence: `Project ${name} cannot be read: ${message}`,
      },
    ];
  }
  const { project_id, unknown_since, open_steps, held, lease } = project;
  const name = `Project ${nameInline(project_id)}:`;
  const options = [...store, "--project", project_id];
  const known = ["--reason", "how that is known"];
  const unknown = open_steps.filter((step) => !isInProgress(step, lease));
  return [
    ...(unknown_since
      ? [
          {
            needs: "older_copy",
            project_id,
            sentence: `${name} ${copyText(unknown_since)} To confirm it:`,
            command: ownCommand("continuity confirm", { options: [...options, ...known] }),
          } as const,
        ]
      : []),
    ...unknown.map(({ step_id, attempt_id, idempotency_key, started_at }) => {
      const isOne = open_steps.filter((other) => other.step_id === step_id).length === 1;
      const attempt = isOne ? [] : ["--attempt", String(attempt_id)];
      const key = idempotency_key === null ? "" : `, key ${nameInline(idempotency_key)}`;
      return {
        needs: "unknown_step",
        project_id,
        sentence:
          `${name} step ${nameInline(step_id)} (attempt ${attempt_id}${key}, begun ${timeOf(started_at)}) may have run, ` +
          "and nobody executes it. If it happened (else --outcome not_done or abandoned):",
        command: ownCommand("continuity resolve", {
          options: [...options, "--outcome", "completed", ...known, ...attempt],
          argument: step_id,
        }),
      } as const;
    }),
    ...held
      .filter(({ holder }) => holder.session !== null && ownerState(holder.session) === "gone")
      .map(
        ({ task_id, holder, until }) =>
          ({
            needs: "gone_claim",
            project_id,
            sentence:
              `${name} task ${nameInline(task_id)} is held by ${holderText(holder)}, whose process has ended` +
              `${until === null ? "" : `, until ${timeOf(until)}`}. To free it now:`,
            command: ownCommand("continuity task release", { options, argument: task_id }),
          }) as const,
      ),
    ...(lease?.is_held === true && lease.owner_state === "gone"
      ? [
          {
            needs: "gone_lease",
            project_id,
            sentence:
              `${name} its steps are held by ${nameInline(lease.owner_id)}, whose process has ended, until ` +
              `${timeOf(lease.lease_expires_at)}. Whoever begins a step on this machine takes over at once.`,
          } as const,
        ]
      : []),
  ];
}
