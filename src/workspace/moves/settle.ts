import { shownPath } from "../git/trees.ts";
import type { PendingMove } from "../records/records.ts";
import type { OpenStore } from "../snapshots/store.ts";
import { applyChanges } from "./apply.ts";

/** A move that a kill had cut off, and what became of its files. */
export interface Settled {
  readonly move: PendingMove;
  /** True when the conversation has moved: the files are brought to the place too. False: they are as before. */
  readonly isMade: boolean;
  /** Files that were changed since the kill and were left alone, as text for people. */
  readonly left: readonly string[];
}

/**
 * Brings both halves of cut-off moves together. `isMade` tells whether the conversation has moved, by the carryover
 * with the move's id on its path; undefined leaves the move for later. Rejects as {@link applyChanges} does, with the
 * move still pending. The caller holds the workspace's lock: every move that is pending then was cut off.
 */
export async function settleMoves(
  open: OpenStore,
  isMade: (move: PendingMove) => boolean | undefined,
): Promise<Settled[]> {
  const settled: Settled[] = [];
  for (const move of open.records.pending()) {
    const made = isMade(move);
    if (made === undefined) continue;
    settled.push(await settleMove(open, move, made));
  }
  if (open.records.pending().length === 0) open.markPending(false);
  return settled;
}

/** Brings the files of one move to the place (`isMade`) or back to what they were, and ends the move. */
export async function settleMove(open: OpenStore, move: PendingMove, isMade: boolean): Promise<Settled> {
  const { intentId, plan } = move;
  const changes = isMade ? plan : plan.map(({ path, before, after }) => ({ path, before: after, after: before }));
  const left = await applyChanges(open, changes, { intentId, strict: false });
  open.records.settle(move, isMade);
  return { move, isMade, left: left.map(shownPath) };
}
