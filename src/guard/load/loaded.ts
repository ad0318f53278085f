/**
 * The part of a transcript that OpenClaw since 2026.8 selects for a model's context, and its position in the
 * transcript.
 */
export interface BoundedContext {
  /** Parents of all rows of the path; absent before 2026.9.3. */
  parents?: Map<string, string | null>;
  opaqueParents: Map<string, string | null>;
  activeLeafEntryId: string | null;
  firstKeptRanges: Map<string, { startIndex: number; endIndex: number }>;
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
