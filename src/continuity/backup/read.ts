import { inlineText } from "../steps/results.ts";
import type { FileHandle } from "node:fs/promises";
import { describeError } from "../../base/coded-error.ts";
import { nameInline, quotedInline, valueInline } from "../../base/quoted.ts";
import { ContinuityError, continuityError } from "../base/errors.ts";
import { sha256 } from "../base/json.ts";
import { eventRow, type EventPayload } from "../ledger/events.ts";
import { beginning, type Position } from "../ledger/position.ts";
import { positionBehind } from "../ledger/replay.ts";
import { objectName } from "../ledger/snapshots.ts";
import { workflowId } from "../base/workflow-id.ts";
import { readCompletion } from "../steps/step-record.ts";
import {
  type BackupLine,
  type CheckedEvent,
  type EndLine,
  FORMAT,
  FORMAT_VERSION,
  type HeadingLine,
  isProjectLine,
  type PartLine,
  type ProjectLine,
} from "./format.ts";
import { type FileLine, type LinePlace, readBackupLines } from "./lines.ts";
import { isTimeText } from "../base/shapes.ts";
import { ToldOutcomes } from "../steps/told-outcomes.ts";

/** What a backup says, in the order of its lines. */
export type BackupItem =
  | { readonly heading: HeadingLine }
  | { readonly project: ProjectLine; readonly place: LinePlace }
  | CheckedEvent
  | { readonly end: EndLine };

/** A project that is being read, and a completion whose result has not been read to its end. */
interface Open {
  readonly project: ProjectLine;
  readonly told: ToldOutcomes;
  position: Position;
}
interface Waiting extends Omit<CheckedEvent, "result"> {
  readonly checksum: string;
  readonly parts: string[];
}

/**
 * Reads a backup and checks everything on the way: each line, each event with its checksum, its place in the chain and
 * the state behind it, each result, the numbers of lines and the checksum of the whole. Throws `foreign` for another
 * file, `newer`, and `damaged` with the line. Holds one event and one result at a time.
 */
export async function* readBackup(handle: FileHandle, file: string): AsyncGenerator<BackupItem> {
  const reader = new Reader(file);
  let last: FileLine | undefined;
  for await (const line of readBackupLines(handle, file)) {
    last = line;
    const item = reader.read(line);
    if (item) yield item;
  }
  reader.finish(last);
}

/** Reads one project of a backup again, from the place of its line, with the same checks. */
export async function* readProject(handle: FileHandle, file: string, place: LinePlace): AsyncGenerator<CheckedEvent> {
  const reader = new Reader(file, { isInside: true });
  let last: FileLine | undefined;
  for await (const line of readBackupLines(handle, file, place)) {
    last = line;
    const event = reader.readInside(line);
    if (event === "over") return;
    if (event) yield event;
  }
  reader.finish(last);
}

class Reader {
  readonly #file: string;
  readonly #names = new Set<string>();
  readonly #counts = { projects: 0, events: 0, results: 0 };
  #hasHeading = false;
  #open: Open | undefined;
  #waiting: Waiting | undefined;
  #isAtEnd = false;

  constructor(file: string, { isInside = false } = {}) {
    this.#file = file;
    this.#hasHeading = isInside;
  }

  /** Reads a line of the first project; `over` for the line behind it. */
  readInside(line: FileLine): CheckedEvent | "over" | undefined {
    const said = this.#parsed(line);
    const isOver = this.#counts.projects > 0 && (said.project !== undefined || said.end !== undefined);
    if (isOver) {
      this.#closeProject(line);
      return "over";
    }
    const item = this.read(line);
    return item && "event" in item ? item : undefined;
  }

  read(line: FileLine): BackupItem | undefined {
    if (!this.#hasHeading) return { heading: this.#heading(line) };
    if (this.#isAtEnd) this.#refuse(line, "nothing behind the last line of the backup", "another line");
    if (!line.isWhole)
      this.#refuse(line, "a whole line", `${line.text.length} characters without an end: the file was cut`);
    const said = this.#parsed(line);
    if (this.#waiting && said.result === undefined)
      this.#refuse(line, "the result of the step that was completed before", "another line");
    if (said.event) return this.#event(line, said.event);
    if (said.result) return this.#result(line, said.result);
    if (said.project) return { project: this.#project(line, said.project), place: line.place };
    if (said.end) return { end: this.#end(line, said.end) };
    return this.#refuse(line, "a project, an event, a result or the end", quotedInline(line.text, 80));
  }

  /** Throws unless the last line was that of the end. */
  finish(last: FileLine | undefined): void {
    if (this.#isAtEnd) return;
    if (!last) this.#refuseFile("foreign", "a backup of continuity", "an empty file");
    this.#refuseFile(
      "damaged",
      "a whole backup, whose last line has its numbers and checksum",
      `${last!.place.lines + 1} lines without that one: the file was cut, or the backup did not come to its end`,
    );
  }

  #heading(line: FileLine): HeadingLine {
    const heading = tryParse(line.text) as Partial<HeadingLine> | undefined;
    if (heading?.format !== FORMAT)
      this.#refuseFile(
        "foreign",
        `a backup that \`continuity backup\` has written`,
        line.text.startsWith("\u001f") ? "a compressed file" : `a file that begins with ${quotedInline(line.text, 40)}`,
      );
    if (heading!.version !== FORMAT_VERSION)
      this.#refuseFile("newer", `a backup of version ${FORMAT_VERSION}`, `version ${valueInline(heading!.version)}`);
    if (!isTimeText(heading!.created_at))
      this.#refuse(line, "the time of the backup", valueInline(heading!.created_at));
    this.#hasHeading = true;
    return heading as HeadingLine;
  }

  #project(line: FileLine, project: ProjectLine): ProjectLine {
    this.#closeProject(line);
    const { project_id, workflow_id } = project ?? {};
    if (!isProjectLine(project ?? {}))
      this.#refuse(line, "a project with its name, time, last event and fencing token", quotedInline(line.text, 80));
    if (workflow_id !== workflowId(project_id))
      this.#refuse(
        line,
        `the id ${workflowId(project_id)} of project ${nameInline(project_id)}`,
        valueInline(workflow_id),
      );
    if (this.#names.has(project_id)) this.#refuse(line, "each project once", `${nameInline(project_id)} again`);
    this.#names.add(project_id);
    this.#counts.projects += 1;
    this.#open = { project, told: new ToldOutcomes(), position: beginning(project) };
    return project;
  }

  #event(line: FileLine, said: Readonly<Record<string, unknown>>): BackupItem | undefined {
    const open = this.#open;
    if (!open) return this.#refuse(line, "a project", "an event of none");
    const { checksum, ...payload } = said;
    let next: Omit<CheckedEvent, "result">;
    try {
      const row = eventRow(payload as unknown as EventPayload);
      if (row.checksum !== checksum)
        this.#refuse(line, `an event with checksum ${valueInline(checksum)}`, row.checksum);
      if (row.workflow_id !== open.project.workflow_id)
        this.#refuse(line, `an event of workflow ${open.project.workflow_id}`, valueInline(row.workflow_id));
      next = positionBehind(open.position, row);
      open.position = next.position;
    } catch (error) {
      if (error instanceof ContinuityError && error.message.includes(this.#file)) throw error;
      if (error instanceof ContinuityError && error.code === "newer") throw error;
      return this.#refuse(line, "an event as it was written", describeError(error));
    }
    const contradiction = open.told.next(next.event);
    if (contradiction) this.#refuse(line, contradiction.expected, contradiction.found);
    this.#counts.events += 1;
    const completion = readCompletion(next.event);
    if (!completion) return { ...next, result: undefined };
    const { workflow_id, result_checksum, result_snapshot_ref } = completion;
    const inline = inlineText(result_snapshot_ref);
    if (inline !== undefined && sha256(inline) === result_checksum) return { ...next, result: undefined };
    // Restoring writes under this name: another one would reach another project's results.
    if (![`row:${result_checksum}`, `object:${objectName(workflow_id, result_checksum)}`].includes(result_snapshot_ref))
      this.#refuse(line, "a reference to a result of its own", valueInline(result_snapshot_ref));
    this.#waiting = { ...next, checksum: completion.result_checksum, parts: [] };
    return undefined;
  }

  #result(line: FileLine, { text, more }: PartLine): BackupItem | undefined {
    const waiting = this.#waiting;
    if (!waiting) return this.#refuse(line, "a result behind the event of its step", "a result of none");
    if (typeof text !== "string") return this.#refuse(line, "the text of a result", valueInline(text));
    waiting.parts.push(text);
    if (more) return undefined;
    const { checksum, parts, event, position } = waiting;
    const result = parts.join("");
    const found = sha256(result);
    if (found !== checksum) this.#refuse(line, `a result with checksum ${checksum}`, found);
    this.#waiting = undefined;
    this.#counts.results += 1;
    return { event, position, result };
  }

  #end(line: FileLine, end: EndLine): EndLine {
    this.#closeProject(line);
    for (const name of ["projects", "events", "results"] as const)
      if (end[name] !== this.#counts[name])
        this.#refuse(
          line,
          `${valueInline(end[name])} ${name} in the file, as its last line says`,
          String(this.#counts[name]),
        );
    const found = line.sha256Before();
    if (end.sha256 !== found)
      this.#refuse(
        line,
        `a file with SHA-256 ${valueInline(end.sha256)} before its last line`,
        `${found}: it was changed`,
      );
    this.#isAtEnd = true;
    return end;
  }

  #closeProject(line: FileLine): void {
    const open = this.#open;
    if (!open) return;
    const { position, project } = open;
    const { event_seq, checksum, project_id } = project;
    if (position.event_seq !== event_seq || position.checksum !== checksum)
      this.#refuse(
        line,
        `the ledger of project ${nameInline(project_id)} to end with event ${event_seq} ` +
          `(checksum ${checksum ?? "none"})`,
        `it ends with ${position.event_seq} (checksum ${position.checksum ?? "none"})`,
      );
    const [closed] = open.told.closedIn(position.state);
    if (closed) this.#refuse(line, closed.expected, closed.found);
    this.#open = undefined;
  }

  #parsed(line: FileLine): BackupLine {
    const said = tryParse(line.text);
    if (typeof said === "object" && said !== null) return said as BackupLine;
    return this.#refuse(line, "a line that is JSON", quotedInline(line.text, 80));
  }

  #refuse(line: FileLine, expected: string, found: string): never {
    throw continuityError("damaged", {
      expected: `line ${line.place.lines + 1} of ${this.#file} to have ${expected}`,
      found,
      todo: "The backup was damaged or changed: take another one. Nothing was written.",
    });
  }

  #refuseFile(code: "damaged" | "foreign" | "newer", expected: string, found: string): never {
    throw continuityError(code, {
      expected: `${this.#file} to be ${expected}`,
      found,
      todo: {
        damaged: "Copy the backup again, or take another one. Nothing was written.",
        foreign: "Name the file of a backup, unpacked. Nothing was written.",
        newer: "Use the newer openclaw-integrity that wrote it. Nothing was written.",
      }[code],
    });
  }
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
