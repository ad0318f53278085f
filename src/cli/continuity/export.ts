import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Draft } from "../../base/files/index.ts";
import { isTerminal, printJson, standardOutput } from "../../base/terminal.ts";
import { visibleJson } from "../../base/visible.ts";
import type { Project } from "../../continuity/index.ts";
import { asWriteRefusal } from "../../continuity/backup/file.ts";
import { continuityError } from "../../continuity/base/errors.ts";
import { printable } from "../../doctor/printable.ts";
import { counted } from "../../doctor/words.ts";
import { projectOf, type ReadOptions, withContinuity } from "./base/store.ts";
import { EXIT, type Outcome, runAsync } from "../run.ts";
import { CodedError } from "../../base/coded-error.ts";
import { fileTrouble } from "../../base/file-trouble.ts";

interface ExportOptions extends ReadOptions {
  readonly out?: string;
}

/** `openclaw-integrity continuity export`: writes the events to `--out`, or to standard output and nothing else there. */
export async function exportCommand(options: ExportOptions): Promise<void> {
  const { out, json = false } = options;
  if (out !== undefined)
    return runAsync(options, () => onProject(options, async (project) => toFile(project, resolve(out))));
  // The events are all that standard output gets; a refusal before the first of them is JSON as of any other command.
  await runAsync({ ...options, json: false, quiet: true }, async () => {
    let hasBegun = false;
    try {
      return await onProject(options, (project) => toOutput(project, () => (hasBegun = true)));
    } catch (error) {
      const trouble = error instanceof CodedError ? error : fileTrouble(error);
      if (!json || hasBegun || trouble === undefined) throw error;
      printJson({ ok: false, code: trouble.code, message: trouble.message });
      return { data: {}, lines: [], exit: EXIT.refused };
    }
  });
}

function onProject(options: ExportOptions, work: (project: Project) => Promise<Outcome>): Promise<Outcome> {
  return withContinuity(options, async (opened) => work(await projectOf(opened, options)));
}

async function toOutput(project: Project, begun: () => void): Promise<Outcome> {
  try {
    const lines = isTerminal("stdout") ? shownLinesOf(project) : linesOf(project);
    await pipeline(Readable.from(telling(lines, begun)), standardOutput(), { end: false });
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
    throw asWriteRefusal(error, file);
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

async function* telling(lines: AsyncIterable<string>, begun: () => void): AsyncGenerator<string> {
  for await (const line of lines) {
    begun();
    yield line;
  }
}

/** Yields each event after its check. */
async function* linesOf(project: Project): AsyncGenerator<string> {
  for await (const event of project.history()) yield `${JSON.stringify(event)}\n`;
}
