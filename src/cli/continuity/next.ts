import { isRested } from "../../continuity/index.ts";
import { projectOf, type ReadOptions, withContinuity } from "./base/store.ts";
import { labelled, nextLines, restedText } from "./base/text.ts";
import { runAsync } from "../run.ts";

/** `openclaw-integrity continuity next`: prints the next step, and since when nobody has worked on it if that is long. */
export async function nextCommand(options: ReadOptions): Promise<void> {
  await runAsync(options, () =>
    withContinuity(options, async (opened) => {
      const work = await (await projectOf(opened, options)).activeWork();
      const { project_id, next, worked_at, open_steps } = work;
      const stale = isRested(work, Date.now());
      return {
        data: { project_id, next, open_steps, worked_at, stale },
        lines: [
          ...nextLines(next),
          ...open_steps.flatMap(({ step_id, attempt_id }) =>
            labelled("open step", `${step_id}, attempt ${attempt_id}: may have run; see status`),
          ),
          ...(stale ? labelled("rested", restedText(worked_at!)) : []),
        ],
      };
    }),
  );
}
