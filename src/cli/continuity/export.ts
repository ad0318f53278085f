import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { reasonOf } from "../../base/coded-error.ts";
import { Draft, UnsafePathError } from "../../base/files/index.ts";
import { isTerminal, standardOutput } from "../../base/terminal.ts";
import { visibleJson } from "../../base/visible.ts";
import type { Project } from "../../continuity/index.ts";
import { ContinuityError, continuityError } from "../../continuity/base/errors.ts";
import { printable } from "../../doctor/printable.ts";
import { counted } from "../../doctor/words.ts";
import { projectOf, type ReadOptions, withContinuity } from "./store.ts";
import { type Outcome, runAsync } from "../run.ts";

interface ExportOptions extends ReadOptions {
  readonly out?: string;
}

/** `openclaw-integrity continuity export`: to standard output the events and nothing else. */
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
    // Whoever read it has seen enough, as `head` does.
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
  }
  return { data: {}, lines: [] };
}

/** The file is there as a whole or not at all, for its owner only. */
async function toFile(project: Project, file: string): Promise<Outcome> {
  if (existsSync(file))
    throw continuityError("not-writable", {
      expected: `no file ${file} yet`,
      found: "one that is there",
      todo: "Name another one, or move that one away. Nothing was written.",
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
    throw continuityError("not-writable", {
      expected: `to write ${file}`,
      found: reasonOf(error),
      todo: "Name a place that can be written to and has room. Nothing was written.",
      cause: error,
    });
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

/** The same values, in which nothing acts on a terminal; a file and a pipe get the very bytes. */
async function* shownLinesOf(project: Project): AsyncGenerator<string> {
  for await (const line of linesOf(project)) yield visibleJson(line);
}

/** Each event is checked before it goes out. */
async function* linesOf(project: Project): AsyncGenerator<string> {
  for await (const event of project.history()) yield `${JSON.stringify(event)}\n`;
}
