import { isAlive } from "../../base/processes.ts";
import { type Change, diffTrees, type FileVersion, listTreeFiles, sameVersion } from "../git/trees.ts";
import type { Owner, Step } from "../records/records.ts";
import type { OpenStore } from "../snapshots/store.ts";
import { type Decision, type Outcome, takeBack, type TakenBack } from "./fold.ts";
import { mergeIn } from "./merge.ts";
import { takenPlaces } from "./taken.ts";

/** The place that files go back to, by the marks of the entries on its path and of all entries of the session. */
export interface FilePlace {
  readonly onPath: ReadonlySet<string>;
  readonly inHistory: ReadonlySet<string>;
}

/** A file that someone else changed since the agent did, or whose place is taken. */
export interface Conflict {
  readonly path: string;
  readonly why: "changed since" | "changed by another session" | "its place is taken";
}

/** What a move does to the files of a workspace. */
export interface FilePlan {
  /** The tree of the present files. */
  readonly before: string;
  readonly changes: readonly Change[];
  /** Paths of the changes that keep what someone else wrote. */
  readonly merged: readonly string[];
  /** Conflicts without a decision; with `theirs`, files that stay as they are. */
  readonly conflicts: readonly Conflict[];
}

/** Whether a step is one of the session at hand, by its id or its conversation. */
function isOwnStep(step: Step, { sessionId, sessionKey }: Owner): boolean {
  return step.sessionId === sessionId || (sessionKey !== undefined && step.sessionKey === sessionKey);
}

/** Returns the steps that lie behind the place, oldest first. */
function stepsBehind(all: readonly Step[], owner: Owner, { onPath, inHistory }: FilePlace): Step[] {
  const sessionSteps = all.filter(
    (step) => isOwnStep(step, owner) && step.mark !== undefined && inHistory.has(step.mark),
  );
  const last = sessionSteps.findLastIndex(({ mark }) => onPath.has(mark!));
  return sessionSteps.slice(last + 1);
}

/**
 * Plans the move of files to a place of a session: every change that its agent made since is taken back, newest first.
 * The present files are captured for it. Files that no batch of this session changed are not touched, whatever happened
 * to them.
 */
export async function planFiles(
  { place, records, workspace, capture }: OpenStore,
  owner: Owner,
  where: FilePlace,
  decision: Decision | undefined,
): Promise<FilePlan> {
  const { tree } = await capture();
  const all = records.steps();
  const stepsToTake = stepsBehind(all, owner, where);
  if (stepsToTake.length === 0) return { before: tree, changes: [], merged: [], conflicts: [] };
  const othersSteps = all.filter(
    (step) =>
      !isOwnStep(step, owner) &&
      stepsToTake.some((own) => overlap(own, step)) &&
      (step.after !== undefined || isAlive(step.pid)),
  );
  const pairs = [...stepsToTake, ...othersSteps].map(({ before, after }) => [before, after ?? tree] as const);
  const changes = await diffTrees(place, pairs);
  const othersPaths = othersSteps.map((step, at) => ({
    step,
    paths: new Set(changes[stepsToTake.length + at]!.map(({ path }) => path)),
  }));
  const takenBack = stepsToTake.map((own, at): TakenBack => {
    const overlapping = othersPaths.filter(({ step }) => overlap(own, step));
    const shared = changes[at]!.flatMap(({ path }) => (overlapping.some(({ paths }) => paths.has(path)) ? [path] : []));
    return { changes: changes[at]!, shared: new Set(shared) };
  });
  const present = await listTreeFiles(place, tree);
  const outcomes = await takeBack(takenBack, present, mergeIn(place));
  const shared = new Set(takenBack.flatMap((one) => [...one.shared]));
  return withoutTakenPlaces(workspace, toPlan(tree, outcomes, present, shared, decision));
}

/**
 * Returns the plan without the files whose place something else has taken by now, which no step made and so none takes
 * back: the other files are moved all the same.
 */
async function withoutTakenPlaces(workspace: string, plan: FilePlan): Promise<FilePlan> {
  const taken = await takenPlaces(workspace, plan.changes);
  if (taken.size === 0) return plan;
  return {
    ...plan,
    changes: plan.changes.filter(({ path }) => !taken.has(path)),
    conflicts: [...plan.conflicts, ...[...taken].map((path): Conflict => ({ path, why: "its place is taken" }))],
  };
}

/** Whether two steps ran at the same time. A step that runs has no end. */
export function overlap(one: Step, other: Step): boolean {
  return one.begun < (other.ended ?? Infinity) && other.begun < (one.ended ?? Infinity);
}

/** Applies the decision to the conflicts. */
function toPlan(
  before: string,
  outcomes: readonly Outcome[],
  present: ReadonlyMap<string, FileVersion>,
  shared: ReadonlySet<string>,
  decision: Decision | undefined,
): FilePlan {
  const undecided = outcomes.filter((outcome) => isConflict(outcome) && decision !== "ours");
  const planned = outcomes.flatMap((outcome): Change[] => {
    const after = isConflict(outcome) ? (decision === "ours" ? outcome.wanted : outcome.present) : outcome.result;
    return sameVersion(outcome.present, after) ? [] : [{ path: outcome.path, before: outcome.present, after }];
  });
  const blocked = blockedIn(planned, present);
  return {
    before,
    changes: planned.filter(({ path }) => !blocked.has(path)),
    merged: outcomes.filter(({ how }) => how === "merged").map(({ path }) => path),
    conflicts: [
      ...undecided.map(({ path }): Conflict => ({
        path,
        why: shared.has(path) ? "changed by another session" : "changed since",
      })),
      ...[...blocked].map((path): Conflict => ({ path, why: "its place is taken" })),
    ],
  };
}

function isConflict({ how }: Outcome): boolean {
  return how === "conflict";
}

/**
 * Paths that cannot be written, because a file or a link of someone else's is in the place of a folder, or files of
 * someone else's are below.
 */
function blockedIn(changes: readonly Change[], present: ReadonlyMap<string, FileVersion>): Set<string> {
  const after = new Map(present);
  for (const { path, after: version } of changes) if (version === undefined) after.delete(path);
  const folders = new Set<string>();
  for (const path of after.keys())
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) folders.add(path.slice(0, at));
  const blocked = new Set<string>();
  for (const { path, after: version } of changes) {
    if (version === undefined) continue;
    if (folders.has(path)) blocked.add(path);
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1))
      if (after.has(path.slice(0, at))) blocked.add(path);
  }
  return blocked;
}
