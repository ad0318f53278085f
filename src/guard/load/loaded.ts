/**
 * The part of a transcript that OpenClaw since 2026.8 selects for a model's context, and its position in the
 * transcript.
 */
export interface BoundedContext {
  /** Parents of all rows of the path; absent before 2026.9.3. */
  parents?: Map<string, string | null>;
  /** By the id of a parent that is not among the rows: the id of the row that stands in its place. */
  opaqueParents: Map<string, string | null>;
  activeLeafEntryId: string | null;
  /** By the id of a summary: where among the rows what it has kept begins, and where it stands itself. */
  firstKeptRanges: Map<string, { startIndex: number; endIndex: number }>;
  /** Rows of the path were left out because of size. */
  truncated?: boolean;
}

/** Rows that OpenClaw is about to load. */
export interface LoadedTranscript {
  entries: unknown[];
  bounded?: BoundedContext | undefined;
  sessionId?: string | undefined;
  /** Reads all rows of the session, for when the selected ones are not enough. */
  readAll?: () => unknown[];
}
