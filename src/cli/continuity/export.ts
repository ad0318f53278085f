import { resolve } from "node:path";
import { isTerminal } from "../../base/terminal.ts";
import { visibleJson } from "../../base/visible.ts";
import { writeLines } from "../../continuity/backup/file.ts";
import type { Project } from "../../continuity/index.ts";
import { printable } from "../../doctor/printable.ts";
import { counted } from "../../doctor/words.ts";
import { runPiped } from "./base/piped.ts";
import { chooseProject, type ReadOptions, withContinuity } from "./base/store.ts";
import { runAsync } from "../run.ts";

interface ExportOptions extends ReadOptions {
  readonly out?: string;
}

/**
 * `openclaw-integrity continuity export`: writes the events of a project's ledger, oldest first, one line of JSON each.
 * With `--out` into a new file that only its owner can read; an existing one is refused. Else to standard output, which
 * gets nothing else then.
 */
export async function exportCommand(options: ExportOptions): Promise<void> {
  const { out } = options;
  const onProject = <Value>(work: (project: Project) => Promise<Value>): Promise<Value> =>
    withContinuity(options, async (opened) => work(await chooseProject(opened, options)));
  if (out === undefined)
    return runPiped(options, (put) =>
      onProject((project) => put(exportLines(project, isTerminal("stdout"))).catch(endsPipe)),
    );
  await runAsync(options, () =>
    onProject(async (project) => {
      const file = resolve(out);
      const events = await writeLines(exportLines(project), file);
      const { project_id } = project;
      return {
        data: { project_id, file, events },
        lines: [`${counted(events, "event")} of project ${printable(project_id, 200)} written to ${file}`],
      };
    }),
  );
}

/** The reader has closed the pipe, as `head` does. */
function endsPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
}

/**
 * Yields each event after its check, and returns how many there are. For a terminal, characters that act on it are
 * escapes; a file or a pipe gets the exact bytes.
 */
async function* exportLines(project: Project, isShown = false): AsyncGenerator<string, number> {
  let events = 0;
  for await (const event of project.history()) {
    const line = `${JSON.stringify(event)}\n`;
    yield isShown ? visibleJson(line) : line;
    events += 1;
  }
  return events;
}
