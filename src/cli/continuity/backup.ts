import { resolve } from "node:path";
import { isTerminal } from "../../base/terminal.ts";
import { printable } from "../../doctor/printable.ts";
import { counted } from "../../doctor/words.ts";
import { type BackupSummary } from "../../continuity/index.ts";
import { continuityError } from "../../continuity/base/errors.ts";
import { type Opened, chooseProject, type ReadOptions, withContinuity } from "./base/store.ts";
import { runPiped } from "./base/piped.ts";
import { type Outcome, runAsync } from "../run.ts";

interface BackupOptions extends ReadOptions {
  readonly out?: string;
  readonly replace?: boolean;
  /** Also of an older copy of the store: what was done since that copy is lost. */
  readonly acceptLoss?: boolean;
}

/**
 * `openclaw-integrity continuity backup`: writes a backup of all projects, or of one, to the file `--out`; without it
 * to standard output, which then gets nothing else.
 */
export async function backupCommand(options: BackupOptions): Promise<void> {
  const { out, replace, acceptLoss } = options;
  if (out !== undefined)
    return runAsync(options, () =>
      withContinuity(options, async (opened) => {
        const file = resolve(out);
        const projects = await listNames(opened, options);
        return toOutcome(opened, file, await opened.continuity.backup({ file, projects, replace, acceptLoss }));
      }),
    );
  // On a terminal characters would have to be escaped, and such a backup could not be restored.
  await runPiped(options, (put) =>
    withContinuity(options, async (opened) => {
      if (isTerminal("stdout")) throw noFile();
      await put(opened.continuity.backupLines({ projects: await listNames(opened, options), acceptLoss }));
    }),
  );
}

async function listNames(opened: Opened, options: BackupOptions): Promise<readonly string[] | undefined> {
  return options.project === undefined ? undefined : [(await chooseProject(opened, options)).project_id];
}

function noFile(): Error {
  return continuityError("bad-input", {
    expected: "--out <file>, or standard output that is a file or a pipe",
    found: "a terminal",
    todo: "Name a file with --out. Nothing was written.",
  });
}

function toOutcome({ place }: Opened, file: string, { projects, events, results, sha256 }: BackupSummary): Outcome {
  return {
    data: {
      place,
      file,
      events,
      results,
      sha256,
      projects: projects.map(({ project_id, event_seq, checksum }) => ({ project_id, event_seq, checksum })),
    },
    lines: [
      `${counted(projects.length, "project")} and ${counted(events, "event")} of ${place} written to ${file}`,
      ...projects.map(
        ({ project_id, event_seq, checksum }) =>
          `  ${printable(project_id, 200)}: ${checksum === null ? "no event" : `${event_seq}:${checksum}`}`,
      ),
    ],
  };
}
