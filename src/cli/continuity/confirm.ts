import { printable } from "../../doctor/printable.ts";
import { commandAuthor, chooseProject, type ReadOptions, withContinuity } from "./base/store.ts";
import { runAsync } from "../run.ts";

interface ConfirmOptions extends ReadOptions {
  readonly reason: string;
  readonly by?: string;
}

/**
 * `openclaw-integrity continuity confirm`: records that it is known what was done that a restored copy does not know
 * of.
 */
export async function confirmCommand(options: ConfirmOptions): Promise<void> {
  await runAsync(options, () =>
    withContinuity(options, async (opened) => {
      const project = (await chooseProject(opened, options)).as(commandAuthor(options));
      await project.confirmCopy(options.reason);
      const { project_id } = project;
      return {
        data: { place: opened.place, project_id, event_seq: await project.position() },
        lines: [`project ${printable(project_id, 200)}: confirmed; steps that it knows nothing of begin again`],
      };
    }),
  );
}
