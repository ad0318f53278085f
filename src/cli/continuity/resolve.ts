import { isGone, type Outcome as StepOutcome, processOwner } from "../../continuity/index.ts";
import { continuityError } from "../../continuity/base/errors.ts";
import { ownCommand } from "../../base/commands/own-command.ts";
import { printable } from "../../doctor/printable.ts";
import { authorOf, projectOf, type ReadOptions, withContinuity } from "./store.ts";
import { runAsync } from "../run.ts";

interface ResolveOptions extends ReadOptions {
  readonly outcome: StepOutcome;
  readonly reason: string;
  readonly result?: string;
  readonly attempt?: number;
  readonly by?: string;
}

const WORDS: Readonly<Record<StepOutcome, string>> = {
  completed: "completed: it is not executed again, and its result is returned",
  not_done: "not done: it may begin again",
  abandoned: "given up: it does not begin again",
};

/**
 * `openclaw-integrity continuity resolve`: records what became of a step that was started and may have run, under a lease
 * of its own for that moment.
 */
export async function resolveCommand(step_id: string, options: ResolveOptions): Promise<void> {
  const { outcome, reason, result } = options;
  await runAsync(options, () =>
    withContinuity(options, async (opened) => {
      const found = await projectOf(opened, options);
      const project = found.as(authorOf(options));
      const attempt_id =
        options.attempt ?? (await opened.store.latestAttempt(project.workflow_id, step_id))?.attempt_id;
      if (attempt_id === undefined)
        throw continuityError("step-not-started", {
          expected: `a step ${printable(step_id, 100)} of project ${printable(project.project_id, 200)} that was begun`,
          found: "none of that name",
          todo: `See the open ones with \`${ownCommand("continuity status")}\`. Nothing was written.`,
        });
      const lease = await project.acquireLease({ owner_id: processOwner(), isGone });
      try {
        const { duplicate } = await project.steps.resolve(lease, { step_id, attempt_id, outcome, reason, result });
        return {
          data: { place: opened.place, project_id: project.project_id, step_id, attempt_id, outcome, duplicate },
          lines: [
            `step ${printable(step_id, 100)}, attempt ${attempt_id}: ${WORDS[outcome]}${duplicate ? " (as was recorded before)" : ""}`,
          ],
        };
      } finally {
        await lease.release();
      }
    }),
  );
}
