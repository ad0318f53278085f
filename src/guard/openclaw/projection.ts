/**
 * What OpenClaw 2026.9.6 calls the projection of a session: its active path as rows, kept beside the transcript; and
 * the functions of OpenClaw's that keep it.
 */
import type { DatabaseSync } from "node:sqlite";

/** How far the projection reaches. */
export interface ProjectionState {
  readonly activeEventCount: number;
  readonly activeMessageCount: number;
  readonly indexedSeq: number;
  /** What the next row is appended behind; not always the end of the active path. */
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

/** What the tree is made of: a row without what it says. */
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

/** What takes the place of a part of the projection. */
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

/** OpenClaw's own functions, by the names they have where its appends mark a projection as outdated. */
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

/** A row that was just inserted, in the transaction of its append, and how the projection stood before it. */
export interface AppendedRow {
  readonly db: DatabaseSync;
  readonly sessionId: string;
  readonly seq: number;
  readonly event: unknown;
  readonly watermark: ProjectionState;
  /** Tells one batch of appends from another. */
  readonly batch: object;
}
