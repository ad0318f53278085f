/** Takes the files of a workspace along with a move of its conversation. */
import { ownCommand } from "../../base/commands/own-command.ts";
import { quotedInline } from "../../base/quoted.ts";
import { joinSome } from "../../base/join-some.ts";
import { workspaceError } from "../errors.ts";
import { type Change, shownPath } from "../git/trees.ts";
import { changedTree } from "../git/write-tree.ts";
import type { Owner, PendingMove } from "../records/records.ts";
import { flushObjects } from "../snapshots/flush.ts";
import type { OpenStore, WorkspaceStore } from "../snapshots/store.ts";
import { expireAttestation } from "./attestation.ts";
import { applyChanges } from "./apply.ts";
import type { Decision } from "./fold.ts";
import { type Conflict, type FilePlace, type FilePlan, planFiles } from "./plan.ts";
import { settleMove } from "./settle.ts";

/** How many files a refusal names. */
const MAX_NAMED = 10;

/** What a move does, or has done, to files. Paths are for people and models, relative to the workspace. */
export interface FilesReport {
  readonly workspace: string;
  /** Files that come back, or get an earlier content. */
  readonly restored: readonly string[];
  /** Files that go, because they did not exist at the place. */
  readonly removed: readonly string[];
  /** The restored files that keep what someone else changed in them. */
  readonly merged: readonly string[];
  /** Files that someone else changed since; without a decision the move is refused. */
  readonly conflicts: readonly { readonly path: string; readonly why: Conflict["why"] }[];
}

/** A move of files. */
export interface FilesMove {
  readonly owner: Owner;
  readonly where: FilePlace;
  readonly decision?: Decision | undefined;
}

/**
 * Returns what a move would do to files; only the snapshots are written to. Rejects with a WorkspaceError:
 * `move-pending` while a move that a kill cut off is not settled, `busy`, and what a capture rejects with.
 */
export async function previewFiles(store: WorkspaceStore, { owner, where, decision }: FilesMove): Promise<FilesReport> {
  return store.use(async (open) => {
    assertSettled(open, owner);
    return toReport(store, await planFiles(open, owner, where, decision));
  });
}

/**
 * Moves files and conversation as one: the intent is recorded, the files are moved, then `append` moves the
 * conversation (one entry). When either fails, the files are brought back and the error is passed on. After a kill
 * `settleMoves` brings both together at the next load.
 *
 * Rejects as {@link previewFiles}, and with a WorkspaceError: `conflicts` for files that someone else changed since and
 * no decision names, `blocked`, `not-writable`; and with what `append` rejects with.
 */
export async function moveFiles<Value>(
  stateDirectory: string,
  store: WorkspaceStore,
  { owner, where, decision, intentId }: FilesMove & { readonly intentId: string },
  append: (report: FilesReport) => Promise<Value>,
): Promise<Value> {
  return store.use(async (open) => {
    const { records, place } = open;
    assertSettled(open, owner);
    const plan = await planFiles(open, owner, where, decision);
    const report = toReport(store, plan);
    assertDecided(report, decision);
    const after = await changedTree(place, plan.before, plan.changes);
    const move: PendingMove = {
      intentId,
      owner,
      before: plan.before,
      after,
      plan: plan.changes,
      madeAt: Date.now(),
      pid: process.pid,
    };
    // The present content of files is about to be nowhere but in the store.
    if (plan.changes.length > 0) await flushObjects(place, records).catch(rejectAsWorkspaceError);
    open.markPending(true);
    records.intend(move);
    try {
      await applyChanges(open, plan.changes, { intentId, strict: true });
      if (plan.changes.length > 0) expireAttestation(stateDirectory, store.workspace);
      const value = await append(report);
      records.settle(move, true);
      open.markPending(false);
      return value;
    } catch (error) {
      // A failure here leaves the move pending: the next load settles it.
      await settleMove(open, move, false);
      open.markPending(false);
      throw asWorkspaceError(error);
    }
  });
}

/** Records a move that kept the files, so that its place knows them. */
export async function moveWithoutFiles(store: WorkspaceStore, owner: Owner, intentId: string): Promise<void> {
  await store.use(async ({ records, capture }) => {
    const { tree } = await capture();
    records.moved(owner, intentId, tree, tree);
  });
}

function assertSettled({ records }: OpenStore, owner: Owner): void {
  const pending = records.pending();
  if (pending.length === 0) return;
  const isOwn = pending.every((move) => move.owner.sessionId === owner.sessionId);
  throw workspaceError("move-pending", {
    expected: "no move of files in this workspace that a kill had cut off",
    found: isOwn ? "one of this session" : `one of session ${pending[0]!.owner.sessionId}`,
    todo:
      `It is settled when ${isOwn ? "the" : "that"} session is loaded, or by ` +
      `\`${ownCommand("timeline files", { options: ["--tidy"] })}\`. Then try again; nothing was moved.`,
  });
}

/** Throws `conflicts` for a plan with conflicts that no decision names. */
export function assertDecided({ conflicts }: Pick<FilesReport, "conflicts">, decision: Decision | undefined): void {
  const open = conflicts.filter(
    ({ why }) => decision === undefined || (decision === "ours" && why === "its place is taken"),
  );
  if (open.length === 0) return;
  throw workspaceError("conflicts", {
    expected: "files that nobody else has changed since",
    found: joinSome(
      open.map(({ path, why }) => `${quotedInline(path, 200)} (${why})`),
      MAX_NAMED,
    ),
    todo: open.every(({ why }) => why === "its place is taken")
      ? "Move away what is in their place, or name theirs to leave it as it is. Nothing was moved."
      : "Name theirs to keep what the others wrote, ours to take the earlier version, or go back without files. " +
        "Nothing was moved.",
  });
}

function toReport({ workspace }: WorkspaceStore, { changes, merged, conflicts }: FilePlan): FilesReport {
  return {
    workspace,
    restored: paths(changes.filter(({ after }) => after !== undefined)),
    removed: paths(changes.filter(({ after }) => after === undefined)),
    merged: merged.map(shownPath),
    conflicts: conflicts.map(({ path, why }) => ({ path: shownPath(path), why })),
  };
}

function paths(changes: readonly Change[]): string[] {
  return changes.map(({ path }) => shownPath(path));
}

function rejectAsWorkspaceError(error: unknown): never {
  throw asWorkspaceError(error);
}

/** The file system's own refusals get the words of this project's. */
function asWorkspaceError(error: unknown): unknown {
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === undefined || !["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT", "EIO"].includes(code)) return error;
  return workspaceError("not-writable", {
    expected: "a workspace whose files can be written",
    found: `${code}${typeof path === "string" ? ` at ${quotedInline(path, 200)}` : ""}`,
    todo: "The files were brought back to what they were; nothing was moved.",
    cause: error,
  });
}
