import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Draft, UnsafePathError } from "../../base/files/index.ts";
import { isTerminal, standardOutput } from "../../base/terminal.ts";
import { visibleJson } from "../../base/visible.ts";
import type { Project } from "../../continuity/index.ts";
import { ContinuityError, continuityError } from "../../continuity/base/errors.ts";
import { printable } from "../../doctor/printable.ts";
import { counted } from "../../doctor/words.ts";
import { projectOf, type ReadOptions, withContinuity } from "./store.ts";
import { type Outcome, runAsync } from "../run.ts";
import { refusedByDisk } from "../../base/file-trouble.ts";

interface ExportOptions extends ReadOptions {
  readonly out?: string;
}

/** `openclaw-integrity continuity export`: writes the events to `--out`, or to standard output and nothing else there. */
export async function exportCommand(options: ExportOptions): Promise<void> {
  const { out, json = false } = options;
  await runAsync({ ...options, json: json && out !== undefined, quiet: out === undefined }, () =>
    withContinuity(options, async (opened) => {
      const project = await projectOf(opened, options);
      return out === undefined ? toOutput(project) : toFile(project, resolve(out));
    }),
  );
}

async function toOutput(project: Project): Promise<Outcome> {
  try {
    await pipeline(Readable.from(isTerminal("stdout") ? shownLinesOf(project) : linesOf(project)), standardOutput(), {
      end: false,
    });
  } catch (error) {
    // The reader has closed the pipe, as `head` does.
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
  }
  return { data: {}, lines: [] };
}

/** Writes a temporary file that only its owner can read, and moves it into place when it is complete. */
async function toFile(project: Project, file: string): Promise<Outcome> {
  if (existsSync(file))
    throw continuityError("not-writable", {
      expected: `no file ${file} yet`,
      found: "an existing file",
      todo: "Name another file, or move that one away. Nothing was written.",
    });
  let draft: Draft | undefined;
  try {
    draft = new Draft(file, { mode: 0o600, shared: "allow", last: "replace" });
    const events = await written(project, draft);
    draft.putNew();
    const { project_id } = project;
    return {
      data: { project_id, file, events },
      lines: [`${counted(events, "event")} of project ${printable(project_id, 200)} written to ${file}`],
    };
  } catch (error) {
    if (
      error instanceof ContinuityError ||
      error instanceof UnsafePathError ||
      (error as NodeJS.ErrnoException).syscall === undefined
    )
      throw error;
    throw continuityError(
      "not-writable",
      refusedByDisk(error, {
        expected: `to write ${file}`,
        asOwner: "Name a place that can be written to.",
        ending: "Nothing was written.",
      }),
    );
  } finally {
    draft?.close();
  }
}

async function written(project: Project, draft: Draft): Promise<number> {
  let events = 0;
  for await (const line of linesOf(project)) {
    draft.write(line);
    events += 1;
  }
  return events;
}

/** Writes characters that act on a terminal as escapes; a file or a pipe gets the exact bytes. */
async function* shownLinesOf(project: Project): AsyncGenerator<string> {
  for await (const line of linesOf(project)) yield visibleJson(line);
}

/** Yields each event after its check. */
async function* linesOf(project: Project): AsyncGenerator<string> {
  for await (const event of project.history()) yield `${JSON.stringify(event)}\n`;
}
