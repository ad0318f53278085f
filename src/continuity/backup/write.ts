import { createHash } from "node:crypto";
import { nameInline } from "../../base/quoted.ts";
import { someOf } from "../../base/some-of.ts";
import { type Environment, isoTime } from "../ledger/environment.ts";
import { continuityError } from "../base/errors.ts";
import { canonicalText } from "../base/json.ts";
import { baseEvent, baseOf } from "../ledger/base.ts";
import { assertNotOlder } from "../ledger/older-copy.ts";
import type { ContinuityStore, WorkflowRow } from "../ledger/store.ts";
import { checkedEvents } from "./checked-events.ts";
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

/**
 * Yields the lines of a backup: of each project the events that were there when its turn came, each checked, with the
 * results, also those in an object storage. Returns what the backup holds. Throws `not-found` for a missing project,
 * `older-copy` without `acceptLoss`, `damaged` for a ledger or result that could not be restored, `no-object-storage`, and `busy` for a project
 * that is pruned while it is read.
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
    for await (const line of projectLines({ store, objects }, row)) {
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

/** Yields the lines of a project. Throws `busy` when the project is pruned meanwhile: events are missing then. */
async function* projectLines(
  { store, objects }: Pick<Source, "store" | "objects">,
  row: WorkflowRow,
): AsyncGenerator<BackupLine> {
  const { workflow_id, project_id, created_at, last_event_seq: event_seq, head_checksum: checksum } = row;
  try {
    const base = await baseOf(store, row, objects);
    const lease = await store.lease(workflow_id);
    const of = { project_id, workflow_id, created_at, event_seq, checksum, fencing_token: lease?.fencing_token ?? 0 };
    if (base.event_seq === 0) yield { project: of };
    else {
      const { event_seq: at, checksum: of_base, timestamp } = await baseEvent(store, base);
      yield { project: { ...of, base: { event_seq: at, checksum: of_base, timestamp } } };
      for (const state of partsOf(canonicalText(base.state))) yield { state };
    }
    for await (const { event, result } of checkedEvents(store, objects, { base, until: { event_seq, checksum } })) {
      yield { event: { ...event } };
      if (result !== undefined) for (const part of partsOf(result)) yield { result: part };
    }
  } catch (error) {
    const now = await store.workflow(workflow_id);
    if (!now || now.base_event_seq === row.base_event_seq) throw error;
    throw continuityError("busy", {
      expected: `project ${nameInline(project_id)} to keep its events while it is backed up`,
      found: `its events before event ${now.base_event_seq} were pruned meanwhile`,
      todo: "Make the backup again. Nothing was written.",
    });
  }
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
    found: `no project with workflow id ${someOf(
      lost.map(({ workflow_id }) => workflow_id),
      MAX_NAMED,
    )}`,
    todo:
      "Put the newest copy of the store back, or restore a backup; or name the projects to back up. A backup without them " +
      "could take the place of one that has them. Nothing was written.",
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
          : someOf(
              all.map(({ project_id }) => nameInline(project_id)),
              MAX_NAMED,
            ),
      todo: "Name one that is there. Nothing was written.",
    });
  return all
    .filter(({ project_id }) => names?.includes(project_id) ?? true)
    .toSorted((a, b) => (a.project_id < b.project_id ? -1 : 1));
}

function* partsOf(text: string): Generator<PartLine> {
  for (let at = 0; ; at += PART_CHARACTERS) {
    const more = at + PART_CHARACTERS < text.length;
    yield { text: text.slice(at, at + PART_CHARACTERS), more };
    if (!more) return;
  }
}
