import { createHash } from "node:crypto";
import { nameInline } from "../../base/quoted.ts";
import { someOf } from "../../base/some-of.ts";
import { type Environment, isoTime } from "../ledger/environment.ts";
import { continuityError } from "../base/errors.ts";
import { assertNotOlder } from "../ledger/older-copy.ts";
import type { ContinuityStore, WorkflowRow } from "../ledger/store.ts";
import { checkedEvents } from "./checked-events.ts";
import { FORMAT, FORMAT_VERSION, type ProjectLine, RESULT_CHARACTERS } from "./format.ts";

/** What a backup holds. */
export interface BackupSummary {
  readonly projects: readonly ProjectLine[];
  readonly events: number;
  readonly results: number;
  /** SHA-256 of all bytes before the last line. */
  readonly sha256: string;
}

type Source = Pick<Environment, "store" | "objects" | "now" | "producer_version">;
const MAX_NAMED = 10;

/**
 * Yields the lines of a backup: of each project the events that were there when its turn came, each checked, with the
 * results, also those in an object storage. Returns what the backup holds. Throws `not-found` for a missing project,
 * `older-copy`, `damaged` for a ledger or result that could not be restored, `no-object-storage`.
 */
export async function* backupLines(
  { store, objects, now, producer_version }: Source,
  names: readonly string[] | undefined,
): AsyncGenerator<string, BackupSummary> {
  if (names === undefined) await assertNoneMissing(store);
  const workflows = await chosen(await store.workflows(), names);
  // A backup of an older copy could take the place of a newer backup.
  for (const workflow of workflows) await assertNotOlder(store, workflow);
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
    const { project_id, created_at, last_event_seq: event_seq, head_checksum: checksum } = row;
    const lease = await store.lease(workflow_id);
    const project = {
      project_id,
      workflow_id,
      created_at,
      event_seq,
      checksum,
      fencing_token: lease?.fencing_token ?? 0,
    };
    yield said({ project });
    projects.push(project);
    for await (const { event, result } of checkedEvents(store, objects, row, { event_seq, checksum })) {
      yield said({ event });
      events += 1;
      if (result === undefined) continue;
      results += 1;
      for (const part of partsOf(result)) yield said({ result: part });
    }
  }
  const sha256 = hash.digest("hex");
  yield `${JSON.stringify({ end: { projects: projects.length, events, results, sha256 } })}\n`;
  return { projects, events, results, sha256 };
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

function* partsOf(text: string): Generator<{ readonly text: string; readonly more: boolean }> {
  for (let at = 0; ; at += RESULT_CHARACTERS) {
    const more = at + RESULT_CHARACTERS < text.length;
    yield { text: text.slice(at, at + RESULT_CHARACTERS), more };
    if (!more) return;
  }
}
