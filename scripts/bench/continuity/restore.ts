import { createHash } from "node:crypto";
import canonicalize from "canonicalize";
import { Continuity } from "../../../src/continuity/index.ts";
import { restore } from "../../../src/continuity/ledger/replay.ts";
import { projectWithTasks } from "./append.ts";
import { measurePair, type Pair } from "./pairs.ts";
import type { RestoreRows, Subject } from "./stores.ts";

const SIZE = { rounds: 15, calls: 5 } as const;
/** Events after the snapshot: none, the most of the default policy (one snapshot per 50 events), and twice as many. */
const TAILS = [0, 49, 99] as const;

/**
 * Restores of snapshot and tail, against a bare SELECT of the same rows, and against reading them and hashing what was
 * read.
 */
export async function measureRestore(subject: Subject): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (const tail of TAILS) pairs.push(...(await measureTail(subject, tail)));
  return pairs;
}

async function measureTail({ name, store, bare }: Subject, tail: number): Promise<Pair[]> {
  // A snapshot once, at the end of what comes first; then only events.
  const { project, append } = await projectWithTasks(
    new Continuity({ store, snapshots: { everyEvents: 20 } }),
    `restore-${tail}`,
  );
  for (;;) {
    const snapshot = await store.latestSnapshot(project.workflow_id);
    if (snapshot && snapshot.last_event_seq === (await store.workflow(project.workflow_id))!.last_event_seq) break;
    await append();
  }
  const quiet = await projectTail(new Continuity({ store, snapshots: { everyEvents: 1_000_000 } }), `restore-${tail}`);
  for (let at = 0; at < tail; at++) await quiet();
  const { workflow_id } = project;
  const run = async (): Promise<unknown> => restore(store, (await store.workflow(workflow_id))!, undefined);
  const select = (): Promise<RestoreRows> | RestoreRows => bare.select(workflow_id);
  return [
    await measurePair(`restore, snapshot and ${tail} events, against SELECT`, name, run, select, SIZE),
    await measurePair(
      `the same, against SELECT, JSON.parse and SHA-256 of the canonical texts`,
      name,
      run,
      async () => hashed(await select()),
      SIZE,
    ),
  ];
}

async function projectTail(continuity: Continuity, name: string): Promise<() => Promise<unknown>> {
  const project = await continuity.project(name);
  const [task_id] = Object.keys((await project.state()).tasks);
  let done = 100;
  return () =>
    project.updateCheckpoint({
      task_id: task_id!,
      where_we_left_off: `${++done} of the sections are written, the figures of section ${done} are in.`,
      next_step: `Write section ${done + 1}.`,
    });
}

/** What nobody can leave out who wants to know that the rows are what was written. */
function hashed({ snapshot, events }: RestoreRows): number {
  const texts = [snapshot.state_inline, ...events.map(({ payload }) => payload)];
  return texts.map((text) =>
    createHash("sha256")
      .update(String(canonicalize(JSON.parse(text))))
      .digest("hex"),
  ).length;
}
