/**
 * The patch points as data. A point hangs on a function and a call that are found in the parsed code, never on a line
 * number or a chunk name. `copies` says how often a release has it: any other number is refused.
 */

/** The name a patch point has in marks, reports and UPSTREAM.md. */
export type PointId =
  | "session-load"
  | "session-index"
  | "attempt-history-load"
  | "attempt-history-gate"
  | "compaction-history-load"
  | "compaction-history-gate";

/** The releases the patch set is built for. */
export type Release = "2026.2.3" | "2026.9.6";

/** One place in OpenClaw that calls our file. */
export interface PatchPoint {
  readonly id: PointId;
  /** What breaks without it. */
  readonly why: string;
  /** What it is found by. */
  readonly hangsOn: string;
  /** What the inserted line does. */
  readonly inserts: string;
  readonly copies: Readonly<Record<Release, number>>;
  /** Corpus case that bricks a session without this point and passes with it. */
  readonly proof: string;
}

export const PATCH_POINTS: readonly PatchPoint[] = [
  {
    id: "session-load",
    why: "A transcript without a header, or with the header of an old version, fails before any gate sees a message.",
    hangsOn:
      "2026.2.3: the statement that calls repairSessionFileIfNeeded({ sessionFile }); " +
      "2026.9.6: the functions that call assertCurrentSessionTranscriptHeader on entries they were given",
    inserts:
      "2026.2.3: await repairSessionFile(sessionFile) in front of it; " +
      "2026.9.6: entries = loadTranscript({ entries, ... }) as the first statement, and a static import",
    copies: { "2026.2.3": 8, "2026.9.6": 2 },
    proof: "l-no-header",
  },
  {
    id: "session-index",
    why: "A message behind rows without ids leaves the session's index outdated; nothing rebuilds it, so every later turn fails.",
    hangsOn: "2026.9.6: readInOwner(readInProcess, readInWorker) in prepareSessionTranscriptHydration",
    inserts: "readInWorker = whenIndexed(readInWorker, signal, rebuild) as its first statement",
    copies: { "2026.2.3": 0, "2026.9.6": 1 },
    proof: "l-header-version-1",
  },
  {
    id: "attempt-history-load",
    why: "OpenClaw's own sanitising throws on, or drops, messages that can still be read.",
    hangsOn: "the statement before limitHistoryTurns that calls sanitizeSessionHistory({ messages: activeSession.messages })",
    inserts: "await guardHistory(activeSession, context) in front of it",
    copies: { "2026.2.3": 4, "2026.9.6": 1 },
    proof: "h-assistant-content-is-no-list",
  },
  {
    id: "attempt-history-gate",
    why: "The history limit cuts between a call and its result, and nothing checks what is sent after it.",
    hangsOn: "the statement behind limitHistoryTurns that hands its outcome to activeSession.agent",
    inserts: "guardSession(activeSession, context) behind it: history gate, wire gate, recovery",
    copies: { "2026.2.3": 4, "2026.9.6": 1 },
    proof: "a-limit-between-call-and-result",
  },
  {
    id: "compaction-history-load",
    why: "The same as attempt-history-load for the summariser: a session that cannot be compacted stays too long for ever.",
    hangsOn: "the statement before limitHistoryTurns that calls sanitizeSessionHistory({ messages: session.messages })",
    inserts: "await guardHistory(session, context) in front of it",
    copies: { "2026.2.3": 4, "2026.9.6": 1 },
    proof: "h-assistant-content-is-no-list",
  },
  {
    id: "compaction-history-gate",
    why: "The same as attempt-history-gate for the summariser.",
    hangsOn: "the statement behind limitHistoryTurns that hands its outcome to session.agent",
    inserts: "guardSession(session, context) behind it",
    copies: { "2026.2.3": 4, "2026.9.6": 1 },
    proof: "x-long-session-many-wounds",
  },
];

/** Grows with every change of what is inserted; an installation patched by another set is patched anew from its original. */
export const PATCH_SET = "1";

/** Only chunks with one of these calls are parsed. */
export const NEEDLES: readonly string[] = [
  "limitHistoryTurns(",
  "repairSessionFileIfNeeded(",
  "assertCurrentSessionTranscriptHeader(",
  "prepareSessionTranscriptHydration(",
];
