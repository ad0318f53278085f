import { existsSync, rmSync } from "node:fs";
import type { GitPlace } from "./git/git.ts";
import { type Change, diffTrees, type Version } from "./git/trees.ts";
import { readTrees, storeTrees } from "./git/tree-objects.ts";
import { TreesWithout } from "./git/trees-without.ts";
import { changedTree } from "./git/write-tree.ts";
import { FolderHandle } from "./handles/folder-handle.ts";
import { overlap } from "./moves/plan.ts";
import { removeStaging } from "./moves/staging.ts";
import { FORGETTING } from "./records/facts.ts";
import { closeRecords } from "./records/kept-open.ts";
import type { Step } from "./records/records.ts";
import type { OpenStore, WorkspaceStore } from "./snapshots/store.ts";
import { tidy } from "./snapshots/tidy.ts";

/**
 * Deletes every version of a file that these sessions wrote, also from the trees that other sessions keep; `erase`
 * deletes the sessions' records. What the sessions that stay have changed can still be taken back, except where one
 * side of a change was a forgotten version. The present files stay captured as long as another session needs the store;
 * the last session takes all of it. Returns what is left, in sentences. Rejects with what git and the records throw;
 * repeating it finishes it.
 */
export async function forgetSessions(
  store: WorkspaceStore,
  sessionIds: ReadonlySet<string>,
  erase: () => readonly string[],
): Promise<string[]> {
  const left = await store.use((open) => forgetVersions(open, sessionIds));
  closeRecords(store.folder);
  left.push(...erase());
  const isEmpty = store.read((records) => records.sessions().length === 0);
  if (isEmpty) await store.remove();
  else await store.use((open) => tidy(open, { force: true }));
  return left;
}

/** Takes the versions that sessions wrote out of the trees of all others. */
async function forgetVersions(open: OpenStore, sessionIds: ReadonlySet<string>): Promise<string[]> {
  const { place, records } = open;
  const steps = records.steps();
  const isForgotten = (step: Step): boolean => sessionIds.has(step.sessionId);
  for (const { intentId, owner } of records.pending()) if (sessionIds.has(owner.sessionId)) unstage(open, intentId);
  records.setFact(FORGETTING, "yes");
  if (steps.every(isForgotten)) return [];
  const present = await presentTree(open);
  const pairs = steps.map(({ before, after }) => [before, after ?? present ?? before] as const);
  const changes = await diffTrees(place, pairs);
  const all = steps.map((step, at) => ({ step, changes: changes[at]! }));
  const forgotten = all.filter(({ step }) => isForgotten(step));
  const staying = all.filter(({ step }) => !isForgotten(step));
  const trees = new TreesWithout(await readTrees(place, [...new Set(pairs.flat())]));
  const written = writtenBy(forgotten, trees);
  const edited: Pick<Step, "id" | "before" | "after">[] = [];
  for (const { step, changes: made } of staying) {
    const edits = planEdits(
      made,
      written,
      (change) => step.after === undefined || madeByForgottenBeside(change, step, forgotten),
    );
    const before = trees.without(step.before, written);
    const after = step.after === undefined ? undefined : trees.without(step.after, written);
    await storeTrees(place, trees.takeNew());
    const kept =
      after === undefined && present !== undefined ? await presentButTakenOut(place, before, present, made) : [];
    edited.push({
      id: step.id,
      before: await changedTree(place, before, [...edits.before, ...kept]),
      after: after === undefined ? undefined : await changedTree(place, after, edits.after),
    });
  }
  records.replaceTrees(edited);
  return records
    .pending()
    .filter(({ owner, plan }) => !sessionIds.has(owner.sessionId) && plan.some((change) => concerns(change, written)))
    .map(
      () =>
        `${place.repository} keeps versions that a move which was cut off needs: settle it (timeline files ` +
        "--tidy), then run it again",
    );
}

/** Removes the files of a move that was cut off. */
function unstage({ folder, workspace }: OpenStore, intentId: string): void {
  const root = new FolderHandle(existsSync(workspace) ? workspace : folder);
  try {
    removeStaging({ store: folder, root, intentId });
  } finally {
    root.close();
  }
}

/**
 * Returns the files that were taken out of the tree of a running batch and are present: they would look like files that
 * the batch made.
 */
async function presentButTakenOut(
  place: GitPlace,
  before: string,
  present: string,
  made: readonly Change[],
): Promise<readonly Edit[]> {
  const changedPaths = new Set(made.map(({ path }) => path));
  const [changes = []] = await diffTrees(place, [[before, present]]);
  return changes.filter((change) => change.before === undefined && !changedPaths.has(change.path));
}

/** The tree of the present files; undefined where they cannot be captured, and then the next capture starts anew. */
async function presentTree({ place, records, capture }: OpenStore): Promise<string | undefined> {
  try {
    return (await capture()).tree;
  } catch {
    records.captured.forgetAll();
    rmSync(place.index, { force: true });
    return undefined;
  }
}

interface MadeStep {
  readonly step: Step;
  readonly changes: readonly Change[];
}

/** The contents that batches made, and did not only copy from a file that was there. */
function writtenBy(steps: readonly MadeStep[], trees: TreesWithout): ReadonlySet<string> {
  const written = new Set<string>();
  for (const { step, changes } of steps) {
    if (step.kind === "move") continue;
    const made = new Set(changes.flatMap(({ after }) => (after === undefined ? [] : [after.oid])));
    const there = trees.contentsBelow(step.before);
    for (const oid of made) if (!there.has(oid)) written.add(oid);
  }
  return written;
}

function concerns({ before, after }: Change, written: ReadonlySet<string>): boolean {
  return isWritten(before, written) || isWritten(after, written);
}

function isWritten(version: Version, written: ReadonlySet<string>): boolean {
  return version !== undefined && written.has(version.oid);
}

/** Whether one of the sessions made the same change while the step of another one ran. */
function madeByForgottenBeside({ path, after }: Change, other: Step, forgotten: readonly MadeStep[]): boolean {
  return forgotten.some(
    ({ step, changes }) =>
      overlap(step, other) && changes.some((change) => change.path === path && change.after?.oid === after?.oid),
  );
}

type Edit = Pick<Change, "path" | "after">;

/**
 * What both trees of a staying step get back, after all versions in `written` were taken out: without that, taking a
 * version out would look like a change of the step. Let it have changed a file from F to S, F being such a version: S
 * is put into the tree before too. From S to F, made by a forgotten session meanwhile: S is put into the tree after.
 * From S to F, made by the step itself: F stays there.
 */
function planEdits(
  changes: readonly Change[],
  written: ReadonlySet<string>,
  isOfForgotten: (change: Change) => boolean,
): { readonly before: readonly Edit[]; readonly after: readonly Edit[] } {
  const [before, after]: [Edit[], Edit[]] = [[], []];
  for (const change of changes) {
    const { path } = change;
    if (isWritten(change.before, written)) {
      if (change.after !== undefined && !isWritten(change.after, written)) before.push({ path, after: change.after });
    } else if (isWritten(change.after, written)) {
      if (!isOfForgotten(change)) after.push({ path, after: change.after });
      else if (change.before !== undefined) after.push({ path, after: change.before });
    }
  }
  return { before, after };
}
