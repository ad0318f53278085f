import { printable } from "../../doctor/printable.ts";
import { counted } from "../../doctor/words.ts";
import { userAuthor } from "./base/people.ts";
import { projectOf, type ReadOptions, withContinuity } from "./base/store.ts";
import { columnsOf, wrapped } from "./base/text.ts";
import { runAsync } from "../run.ts";

interface AcceptCommandOptions extends ReadOptions {
  readonly reason: string;
  readonly by?: string;
}

/** `openclaw-integrity continuity accept`: goes on with an older copy of a store, as a person decides. */
export async function acceptCommand(options: AcceptCommandOptions): Promise<void> {
  const { reason, by, project } = options;
  await runAsync(options, () =>
    withContinuity({ ...options, author: userAuthor(by) }, async (opened) => {
      // A store that lost its rows does not know the project any more.
      const project_id = project ?? (await projectOf(opened, options)).project_id;
      const { lost, ...accepted } = await opened.continuity.accept({ project_id, reason });
      const { event_seq, open_steps } = accepted;
      const open = open_steps.map((step) => printable(step, 100)).join(", ");
      return {
        data: { place: opened.place, ...accepted, lost },
        lines: [
          `project ${printable(project_id, 200)}: the older copy is accepted, as event ${event_seq}`,
          ...wrapped(
            `${lost.event_seq < event_seq ? "what another copy recorded" : `${counted(lost.event_seq - event_seq + 1, "event")} up to ${lost.event_seq}`} ` +
              `is lost: any step may have been done since${open === "" ? "" : `, of those that are known: ${open}`}`,
            columnsOf() - 2,
          ).map((line) => `  ${line}`),
        ],
      };
    }),
  );
}
