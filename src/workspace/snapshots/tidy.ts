/** Keeps the store of snapshots small: forgets old steps, and deletes what no step needs. */
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "../../base/processes.ts";
import { git, type GitPlace } from "../git/git.ts";
import { FORGETTING } from "../records/facts.ts";
import { flush, FLUSHED } from "./flush.ts";
import type { OpenStore, WorkspaceStore } from "./store.ts";

/** How many steps of a workspace are kept, and for how long. */
export const MAX_STEPS = 1000;
export const MAX_AGE_MS = 30 * 24 * 3_600_000;
/** A larger store forgets its older half of steps, and so on. */
const MAX_STORE_BYTES = 2 * 1024 * 1024 * 1024;
/** From this many single objects on the store is packed. */
const MAX_LOOSE = 2000;
const PACK_MS = 300_000;
/** A batch that never ended is forgotten after a day, when its process is gone. */
const OPEN_MS = 24 * 3_600_000;

/** What a tidying has done. */
export interface Tidied {
  readonly steps: number;
  readonly isPacked: boolean;
}

/**
 * Forgets steps beyond the limits and deletes what no step needs any more, the present files apart. Never part of a
 * turn: it takes seconds for a large store, and a capture waits for it. Rejects with what git and the records throw;
 * what was deleted by then stays deleted, and nothing that is needed is.
 */
export async function tidy(
  open: OpenStore,
  { most = MAX_STEPS, maxAgeMs = MAX_AGE_MS, now = Date.now(), force: isForced = false } = {},
): Promise<Tidied> {
  const { records, place } = open;
  const force = isForced || records.fact(FORGETTING) !== undefined;
  for (const step of records.unended(now - OPEN_MS)) if (!isAlive(step.pid)) records.drop(step.id);
  const steps = records.prune(most, now - maxAgeMs);
  const loose = await looseObjects(place);
  if (steps === 0 && loose < MAX_LOOSE && !force) return { steps, isPacked: false };
  // A merge that was killed.
  for (const name of readdirSync(place.repository).filter((one) => one.startsWith("merge-")))
    rmSync(join(place.repository, name), { recursive: true, force: true });
  const present = existsSync(place.index) ? [(await git(place, ["write-tree"])).output.toString("latin1").trim()] : [];
  const trees = [...new Set([...records.trees(), ...present])];
  const isPacked = (force || loose >= MAX_LOOSE) && trees.length > 0;
  if (isPacked) await pack(place, trees);
  else if (trees.length === 0) removePacks(place, undefined);
  await git(place, ["prune", "--expire=now", ...trees], { deadlineMs: PACK_MS });
  records.setFact(FORGETTING, undefined);
  return { steps, isPacked };
}

/** {@link tidy}, and what a store that is still too large needs. */
export async function tidyToSize(
  store: WorkspaceStore,
  { maxBytes = MAX_STORE_BYTES, ...options }: Parameters<typeof tidy>[1] & { readonly maxBytes?: number } = {},
): Promise<Tidied> {
  let tidied = await store.use((open) => tidy(open, options));
  for (let most = MAX_STEPS; most > 1 && snapshotsSize(store) > maxBytes;) {
    most =
      Math.min(
        most,
        store.read((records) => records.steps().length),
      ) >> 1;
    const { steps } = await store.use((open) => tidy(open, { ...options, most, force: true }));
    tidied = { steps: tidied.steps + steps, isPacked: true };
  }
  return tidied;
}

async function looseObjects(place: GitPlace): Promise<number> {
  const { output } = await git(place, ["count-objects"]);
  return Number(/^\d+/.exec(output.toString("latin1"))?.[0] ?? 0);
}

/** Packs all objects of the trees, and deletes every other pack. */
async function pack(place: GitPlace, trees: readonly string[]): Promise<void> {
  const listed = await git(place, ["rev-list", "--objects", "--no-object-names", "--stdin"], {
    input: trees.map((tree) => `${tree}\n`).join(""),
    deadlineMs: PACK_MS,
  });
  const folder = join(place.repository, "objects", "pack");
  const { output } = await git(place, [...FLUSHED, "pack-objects", "-q", "--delta-base-offset", join(folder, "pack")], {
    input: listed.output,
    deadlineMs: PACK_MS,
  });
  const name = output.toString("latin1").trim().split("\n").at(-1) ?? "";
  if (!/^[\da-f]{40}$/.test(name) || !existsSync(join(folder, `pack-${name}.idx`))) return;
  await flush(folder);
  removePacks(place, name);
  await git(place, ["prune-packed", "-q"], { deadlineMs: PACK_MS });
}

function removePacks({ repository }: GitPlace, except: string | undefined): void {
  const folder = join(repository, "objects", "pack");
  if (!existsSync(folder)) return;
  for (const file of readdirSync(folder))
    if (except === undefined || !file.startsWith(`pack-${except}.`)) rmSync(join(folder, file), { force: true });
}

/** The size of a workspace's snapshots on the disk. */
export function snapshotsSize({ folder }: WorkspaceStore): number {
  if (!existsSync(folder)) return 0;
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce(
      (sum, entry) => sum + (statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
}
