import { ownCommand } from "../../base/commands/own-command.ts";
import { printable } from "../../doctor/printable.ts";
import { userAuthor } from "./base/people.ts";
import { projectOf, type ReadOptions, withContinuity } from "./base/store.ts";
import { columnsOf, wrapped } from "./base/text.ts";
import { type Outcome, runAsync } from "../run.ts";

interface ForkCommandOptions extends ReadOptions {
  readonly at?: number;
}

/** `openclaw-integrity continuity fork`: makes a new project from the state of another one at an event. */
export async function forkCommand(name: string, options: ForkCommandOptions): Promise<void> {
  await runAsync(options, () =>
    withContinuity({ ...options, author: userAuthor() }, async (opened) => {
      const source = await projectOf(opened, options);
      const fork = await opened.continuity.fork({ from: source.project_id, to: name, at: options.at });
      return toOutcome(opened.place, source.project_id, fork);
    }),
  );
}

function toOutcome(
  place: string,
  from: string,
  fork: { readonly project_id: string; readonly at: number; readonly open_steps: readonly string[] },
): Outcome {
  const open = fork.open_steps.map((step) => printable(step, 100)).join(", ");
  return {
    data: { place, from, ...fork },
    lines: [
      `project ${printable(fork.project_id, 200)} made of ${printable(from, 200)} as it was at event ${fork.at}`,
      ...(open === ""
        ? []
        : wrapped(
            `open in both, so that each may do it: ${open}. Find out, and record it with ${ownCommand("continuity resolve")}.`,
            columnsOf() - 2,
          ).map((line) => `  ${line}`)),
    ],
  };
}
