import { isRested } from "../../continuity/index.ts";
import { copyText, isEngines } from "../../continuity/decide/step-words.ts";
import { chooseProject, type ReadOptions, withContinuity } from "./base/store.ts";
import { heldLines, labelled, nextLines, restedText, startLines } from "./base/text.ts";
import { runAsync } from "../run.ts";

const MAX_LISTED = 20;

/**
 * `openclaw-integrity continuity next`: prints the next step, and since when nobody has worked on it if that is long.
 */
export async function nextCommand(options: ReadOptions): Promise<void> {
  await runAsync(options, () =>
    withContinuity(options, async (opened) => {
      const work = await (await chooseProject(opened, options)).activeWork();
      const { project_id, next, can_start, held, worked_at, open_steps, unknown_since } = work;
      const stale = isRested(work, Date.now());
      return {
        data: { project_id, next, can_start, held, open_steps, unknown_since, worked_at, stale },
        lines: [
          ...(unknown_since ? labelled("older copy", copyText(unknown_since)) : []),
          ...nextLines(next),
          ...startLines(work),
          ...heldLines(work),
          ...open_steps
            .slice(0, MAX_LISTED)
            .flatMap((step) =>
              labelled(
                "open step",
                `${step.step_id}, attempt ${step.attempt_id}: ` +
                  `${isEngines(step) ? "executed by a durable engine" : "may have run; see status"}`,
              ),
            ),
          ...(open_steps.length > MAX_LISTED
            ? labelled("open steps", `${open_steps.length - MAX_LISTED} more; --json shows all`)
            : []),
          ...(stale ? labelled("rested", restedText(worked_at!)) : []),
        ],
      };
    }),
  );
}
