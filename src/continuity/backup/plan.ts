import { nameInline } from "../../base/quoted.ts";
import { joinSome } from "../../base/join-some.ts";
import type { AnchorEntry } from "../ledger/anchor.ts";
import { continuityError } from "../base/errors.ts";
import type { OpenStep } from "../base/state.ts";
import { openAttempts, listStepIds } from "../decide/open-attempts.ts";
import type { ContinuityStore, ObjectStorage } from "../ledger/store.ts";
import { resultObject } from "../steps/results.ts";
import { readCompletion } from "../steps/step-record.ts";
import type { CheckedEvent, EndLine, HeadingLine, ProjectLine } from "./format.ts";
import type { LinePlace } from "./lines.ts";
import type { BackupItem } from "./read.ts";

/** A project of a backup, and what is to be done with it. */
export interface PlannedProject {
  readonly project: ProjectLine;
  /** Where it begins in the file. */
  readonly place: LinePlace;
  /** Steps that were open when the backup was made. */
  readonly open_steps: readonly OpenStep[];
  readonly needsObjects: boolean;
  /** `present`: the store has it, with every event of the backup. */
  readonly todo: "restore" | "present";
  /** The anchor of the store, when it knows of events that the backup lacks. */
  readonly lost: AnchorEntry | undefined;
}

/** A backup that was checked as a whole. */
export interface Plan {
  readonly heading: HeadingLine;
  readonly end: EndLine;
  readonly projects: readonly PlannedProject[];
}

/** What is known of a project when all of its lines have been read. */
interface Seen {
  readonly project: ProjectLine;
  readonly place: LinePlace;
  open_steps: readonly OpenStep[];
  needsObjects: boolean;
  /** Checksum of the event at the position that the anchor or the store names. */
  readonly at: Map<number, string>;
}

const MAX_NAMED = 10;

/**
 * Reads a whole backup and decides what to do with each project, or each named one. Throws what reading throws,
 * `not-found` for a named project that the backup lacks, `project-exists` for a project of the store that has other
 * events, and `no-object-storage`. Writes nothing.
 */
export async function planRestore(
  items: AsyncIterable<BackupItem>,
  { store, objects }: { readonly store: ContinuityStore; readonly objects: ObjectStorage | undefined },
  names: readonly string[] | undefined,
): Promise<Plan> {
  const seen: Seen[] = [];
  let [heading, end]: [HeadingLine?, EndLine?] = [];
  let marks = new Set<number>();
  for await (const item of items) {
    if ("heading" in item) ({ heading } = item);
    else if ("end" in item) ({ end } = item);
    else if ("project" in item) {
      seen.push({ project: item.project, place: item.place, open_steps: [], needsObjects: false, at: new Map() });
      const { workflow_id } = item.project;
      const known = [store.anchor?.read(workflow_id), await store.workflow(workflow_id)];
      marks = new Set(known.map((one) => (one && "event_seq" in one ? one.event_seq : (one?.last_event_seq ?? 0))));
    } else noted(seen.at(-1)!, item, marks);
  }
  const found = names === undefined ? seen : seen.filter(({ project }) => names.includes(project.project_id));
  const missing = names?.find((name) => !seen.some(({ project }) => project.project_id === name));
  if (missing !== undefined)
    throw continuityError("not-found", {
      expected: `the project ${nameInline(missing)} in the backup`,
      found: joinSome(
        seen.map(({ project }) => nameInline(project.project_id)),
        MAX_NAMED,
      ),
      todo: "Name one that is in it. Nothing was written.",
    });
  const projects: PlannedProject[] = [];
  for (const one of found) projects.push(await planned(one, store));
  assertPossible(projects, objects);
  return { heading: heading!, end: end!, projects };
}

function noted(seen: Seen, { event, position }: CheckedEvent, marks: Set<number>): void {
  if (marks.has(event.event_seq)) seen.at.set(event.event_seq, event.checksum);
  seen.open_steps = openAttempts(position.state);
  const completion = readCompletion(event);
  seen.needsObjects ||= completion !== undefined && resultObject(completion.result_snapshot_ref) !== undefined;
}

async function planned({ at, ...seen }: Seen, store: ContinuityStore): Promise<PlannedProject> {
  const { project } = seen;
  const { workflow_id, project_id, event_seq, checksum } = project;
  const row = await store.workflow(workflow_id);
  if (row && row.last_event_seq > 0) {
    const [same] = event_seq === 0 ? [] : await store.eventsAfter(workflow_id, event_seq - 1, 1);
    if (event_seq > 0 && (same?.event_seq !== event_seq || same.checksum !== checksum))
      throw continuityError("project-exists", {
        expected: `no project ${nameInline(project_id)} in the store, or one with every event of the backup`,
        found:
          at.get(row.last_event_seq) === row.head_checksum
            ? `one that ends with event ${row.last_event_seq}, before event ${event_seq} of the backup`
            : `one with ${row.last_event_seq} events that are not those of the backup`,
        todo:
          "Restore into another store, or leave this project out (--project names those to restore). Back up what is " +
          "there before it is removed. Nothing was written.",
      });
    return { ...seen, todo: "present", lost: undefined };
  }
  const entry = store.anchor?.read(workflow_id);
  const isContained = entry === undefined || at.get(entry.event_seq) === entry.checksum;
  return { ...seen, todo: "restore", lost: isContained ? undefined : entry };
}

function assertPossible(projects: readonly PlannedProject[], objects: ObjectStorage | undefined): void {
  const needing = projects.find(({ todo, needsObjects }) => todo === "restore" && needsObjects);
  if (!needing || objects) return;
  throw continuityError("no-object-storage", {
    expected: `an object storage for results of project ${nameInline(needing.project.project_id)}, which were in one`,
    found: "no object storage in the configuration",
    todo: "Configure one: the backup carries these results, and restore puts them there. Nothing was written.",
  });
}

/** Says what is known to be missing behind a backup, and which steps may have happened since. */
export function lossText({ project, lost, open_steps }: PlannedProject): string {
  if (!lost) return "";
  const steps =
    open_steps.length === 0
      ? "no step was open then"
      : `open then, and perhaps done since: ${joinSome(
          listStepIds(open_steps).map((step_id) => nameInline(step_id)),
          MAX_NAMED,
        )}`;
  const extent =
    lost.event_seq > project.event_seq
      ? `events ${project.event_seq + 1} to ${lost.event_seq} are lost`
      : `the lost ledger had another event ${lost.event_seq}`;
  return (
    `project ${nameInline(project.project_id)} ends with event ${project.event_seq} in the backup, ` +
    `and ${extent}; ${steps}; ` +
    "any other step may have been begun and done since, too"
  );
}
