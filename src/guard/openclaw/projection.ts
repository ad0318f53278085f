/**
 * The projection of a session, as OpenClaw 2026.9.6 calls it: the active path as rows, stored beside the transcript;
 * and OpenClaw's functions that maintain these rows.
 */
import type { DatabaseSync } from "node:sqlite";

/** How far the projection has been updated. */
export interface ProjectionState {
  readonly activeEventCount: number;
  readonly activeMessageCount: number;
  readonly indexedSeq: number;
  /** The row that the next one is appended behind; not always the end of the active path. */
  readonly leafEventId: string | null;
  readonly needsRebuild: boolean;
}

/** A row as a node of the tree; `leafId` is missing where it does not move the active path. */
export interface TreeEntry {
  readonly id: string;
  readonly parentId: string | null;
  readonly leafId?: string | null;
  readonly appendParentId: string | null;
  readonly appendMode?: string;
}

/** A row without its content: what the tree is built from. */
export interface NavigationRow {
  readonly seq: number;
  readonly [key: string]: unknown;
}

export interface TranscriptTree {
  readonly leafId: string | null;
  readonly appendParentId: string | null;
  readonly hasLeafControl: boolean;
}

/** A stored row. */
export interface ProjectedRow {
  readonly event_json: string;
  readonly seq: number;
  readonly created_at: number;
}

/** The rows of one session. */
export interface ProjectionSource {
  rows(navigationOnly: boolean): Iterable<ProjectedRow>;
  row(seq: number): ProjectedRow | undefined;
}

/** A row of the active path. */
export interface ActiveRow {
  readonly activePosition: number;
  readonly contextEligible: number;
  readonly eventSeq: number;
  readonly messagePosition: number | null;
  readonly ftsEntry?: unknown;
}

/** Replacement of the end of a projection: how many rows stay, and the rows that follow them. */
export interface ProjectionSuffix {
  readonly retainedActiveCount: number;
  readonly removedMessageIds: readonly string[];
  readonly next: {
    readonly activeRows: readonly ActiveRow[];
    readonly activeMessageCount: number;
    readonly indexedSeq: number;
    readonly leafEventId: string | null;
  };
}

/** OpenClaw's own functions, by their names in the module whose appends mark a projection as outdated. */
export interface ProjectionFunctions {
  extractTranscriptIndexEntry(event: unknown, fallbackTimestamp: number): unknown;
  hasTranscriptMessage(event: unknown): boolean;
  isCanonicalSessionTranscriptEntry(event: unknown): boolean;
  parseSessionTranscriptTreeEntry(event: unknown): TreeEntry | undefined;
  readProjectionSource(db: DatabaseSync, sessionId: string): ProjectionSource | undefined;
  readSessionTranscriptProjectionState(db: DatabaseSync, sessionId: string): ProjectionState | undefined;
  reconcileSessionTranscriptIndexInTransaction(db: DatabaseSync, sessionId: string): boolean;
  replaceSessionTranscriptIndexSuffixInTransaction(db: DatabaseSync, sessionId: string, suffix: ProjectionSuffix): void;
  scanSessionTranscriptTree(rows: Iterable<NavigationRow>): TranscriptTree;
  selectSessionTranscriptTreePathNodes(
    tree: TranscriptTree,
    leafId: string | null,
  ): readonly { readonly entry: NavigationRow }[];
  shouldProjectActiveEvent(event: unknown): boolean;
  shouldRebuildSessionTranscriptIndexSynchronously(db: DatabaseSync, sessionId: string): boolean;
  transcriptEventContextEligibility(event: unknown): number;
}

/** A row that was just inserted, seen inside its append's transaction, and the state of the projection before it. */
export interface AppendedRow {
  readonly db: DatabaseSync;
  readonly sessionId: string;
  readonly seq: number;
  readonly event: unknown;
  readonly watermark: ProjectionState;
  /** Identifies the batch of appends that the row belongs to. */
  readonly batch: object;
}
