import { createHash } from "node:crypto";
import { nameInline } from "../../base/quoted.ts";
import { joinSome } from "../../base/join-some.ts";
import { type Environment, isoTime } from "../ledger/environment.ts";
import { continuityError } from "../base/errors.ts";
import { assertNotOlder } from "../ledger/older-copy.ts";
import { beginning } from "../ledger/position.ts";
import { assertEnd, positionBehind } from "../ledger/replay.ts";
import type { ContinuityStore, ObjectStorage, WorkflowRow } from "../ledger/store.ts";
import { inlineText, resultText } from "../steps/results.ts";
import { readCompletion } from "../steps/step-record.ts";
import { type BackupLine, FORMAT, FORMAT_VERSION, PART_CHARACTERS, type PartLine, type ProjectLine } from "./format.ts";

/** What a backup holds. */
export interface BackupSummary {
  readonly projects: readonly ProjectLine[];
  readonly events: number;
  readonly results: number;
  /** SHA-256 of all bytes before the last line. */
  readonly sha256: string;
}

/** Options of a backup. */
export interface BackupOptions {
  /** Only these projects; all by default. */
  readonly projects?: readonly string[] | undefined;
  /** Also of a store that is older than its anchor says, to go on from it: what was done since is lost. */
  readonly acceptLoss?: boolean | undefined;
}

type Source = Pick<Environment, "store" | "objects" | "now" | "producer_version">;
const MAX_NAMED = 10;
const PAGE = 500;

/**
 * Yields the lines of a backup: of each project the events that were there when its turn came, each checked, with the
 * results, also those in an object storage. Returns what the backup holds. Throws `not-found` for a missing project,
 * `older-copy` without `acceptLoss`, `damaged` for a ledger or result that could not be restored, `newer`, and
 * `no-object-storage`.
 */
export async function* backupLines(
  { store, objects, now, producer_version }: Source,
  { projects: names, acceptLoss = false }: BackupOptions,
): AsyncGenerator<string, BackupSummary> {
  if (names === undefined && !acceptLoss) await assertNoneMissing(store);
  const workflows = await chosen(await store.workflows(), names);
  // A backup of an older copy could take the place of a newer backup.
  if (!acceptLoss) for (const workflow of workflows) await assertNotOlder(store, workflow);
  const hash = createHash("sha256");
  const said = (line: object): string => {
    const text = `${JSON.stringify(line)}\n`;
    hash.update(text);
    return text;
  };
  let [events, results] = [0, 0];
  const projects: ProjectLine[] = [];
  yield said({ format: FORMAT, version: FORMAT_VERSION, created_at: isoTime(now()), producer_version });
  for (const { workflow_id } of workflows) {
    // As it is now: a backup of many projects takes its time.
    const row = await store.workflow(workflow_id);
    if (!row) continue;
    for await (const line of projectLines(row, store, objects)) {
      if (line.project) projects.push(line.project);
      if (line.event) events += 1;
      if (line.result && !line.result.more) results += 1;
      yield said(line);
    }
  }
  const sha256 = hash.digest("hex");
  yield `${JSON.stringify({ end: { projects: projects.length, events, results, sha256 } })}\n`;
  return { projects, events, results, sha256 };
}

/**
 * Yields the lines of a project, each event checked. Events are never changed, so that what is read up to the end that
 * the row names is one consistent state, also while others write; no transaction is open meanwhile.
 */
async function* projectLines(
  row: WorkflowRow,
  store: ContinuityStore,
  objects: ObjectStorage | undefined,
): AsyncGenerator<BackupLine> {
  const { workflow_id, project_id, created_at, last_event_seq: event_seq, head_checksum: checksum } = row;
  const fencing_token = (await store.lease(workflow_id))?.fencing_token ?? 0;
  yield { project: { project_id, workflow_id, created_at, event_seq, checksum, fencing_token } };
  let end = beginning(row);
  while (end.event_seq < event_seq) {
    const rows = await store.eventsAfter(workflow_id, end.event_seq, Math.min(PAGE, event_seq - end.event_seq));
    if (rows.length === 0) break;
    for (const one of rows) {
      const { event, position } = positionBehind(end, one);
      end = position;
      yield { event: { ...event } };
      const completion = readCompletion(event);
      if (!completion) continue;
      const result = await resultText(completion, store, objects);
      // The event itself has a short one.
      if (inlineText(completion.result_snapshot_ref) === undefined)
        for (const part of splitParts(result)) yield { result: part };
    }
  }
  await assertEnd(store, end, row);
}

/** Throws for a store that lacks a project which its anchor knows. */
async function assertNoneMissing(store: ContinuityStore): Promise<void> {
  const { anchor } = store;
  // The anchor first: what it names is in the store by then.
  const entries = anchor?.entries() ?? [];
  const known = new Set((await store.workflows()).map(({ workflow_id }) => workflow_id));
  const lost = entries.filter(({ workflow_id }) => !known.has(workflow_id));
  if (!anchor || lost.length === 0) return;
  throw continuityError("older-copy", {
    expected: `all projects that ${anchor.place} names`,
    found: `no project with workflow id ${joinSome(
      lost.map(({ workflow_id }) => workflow_id),
      MAX_NAMED,
    )}`,
    todo:
      "Put the newest copy of the store back, or restore a backup; or name the projects to back up. A backup without " +
      "them could take the place of one that has them. Nothing was written.",
  });
}

async function chosen(all: readonly WorkflowRow[], names: readonly string[] | undefined): Promise<WorkflowRow[]> {
  const missing = names?.filter((name) => !all.some(({ project_id }) => project_id === name)) ?? [];
  if (missing.length > 0)
    throw continuityError("not-found", {
      expected: `the project ${nameInline(missing[0]!)}`,
      found:
        all.length === 0
          ? "no project"
          : joinSome(
              all.map(({ project_id }) => nameInline(project_id)),
              MAX_NAMED,
            ),
      todo: "Name one that is there. Nothing was written.",
    });
  return all
    .filter(({ project_id }) => names?.includes(project_id) ?? true)
    .toSorted((a, b) => (a.project_id < b.project_id ? -1 : 1));
}

function* splitParts(text: string): Generator<PartLine> {
  for (let at = 0; ; at += PART_CHARACTERS) {
    const more = at + PART_CHARACTERS < text.length;
    yield { text: text.slice(at, at + PART_CHARACTERS), more };
    if (!more) return;
  }
}
