import { describeError } from "../store/errors.ts";
import { isEarlier, type Catalog, type SessionSummary } from "../store/catalog/summary.ts";
import { examine, isSound, type Examination } from "./examine.ts";
import type { ScanMemory } from "./memory.ts";

/** A session and what a scan found in it. */
export interface ScannedSession {
  session: SessionSummary;
  /** Missing when the session could not be read; `unread` is the reason. */
  examination?: Examination;
  unread?: string;
  /** False when the session is unchanged since an earlier scan read it. */
  isNew: boolean;
}

/** What a scan found. */
export interface ScanReport {
  sessions: ScannedSession[];
  /** Stores that could not be read, in sentences for a person. */
  problems: readonly string[];
  /** Number of sessions read in this scan. */
  read: number;
  /** Number of sessions that need a repair. */
  corrupt: number;
  milliseconds: number;
}

/** Options of a scan. */
export interface ScanOptions {
  agentId?: string;
  /** Restricts the scan to sessions that have changed since the results in this memory; without it all are read. */
  memory?: ScanMemory;
  /** Called before each session that is read, with the number of finished sessions and of all. */
  onProgress?: (done: number, all: number) => void;
  /**
   * Longest time in milliseconds between two turns of the event loop, except while a single session is read; 20 by
   * default.
   */
  sliceMs?: number;
}

/**
 * Examines every session that has changed since the last scan. Changes only `memory`, which is not saved. A session
 * that cannot be read does not stop the scan.
 */
export async function scan(
  catalog: Catalog,
  { agentId, memory, onProgress, sliceMs = 20 }: ScanOptions = {},
): Promise<ScanReport> {
  const began = performance.now();
  const { sessions: all, problems } = catalog.list(agentId);
  const sessions: ScannedSession[] = [];
  let slice = began;
  let read = 0;
  for (const [done, session] of all.entries()) {
    const known = asKnown(session, memory);
    if (known.examination || known.unread !== undefined) {
      sessions.push(known);
      continue;
    }
    onProgress?.(done, all.length);
    sessions.push(readOne(catalog, session, memory));
    read++;
    if (performance.now() - slice < sliceMs) continue;
    await new Promise((resolve) => setImmediate(resolve));
    slice = performance.now();
  }
  if (agentId === undefined && problems.length === 0) memory?.keepOnly(all);
  const corrupt = sessions.filter(needsRepair).length;
  return { sessions, problems, read, corrupt, milliseconds: performance.now() - began };
}

/** Whether a session has faults that harm a conversation: those of a session that its conversation has left do not. */
export function needsRepair({ session, examination }: ScannedSession): boolean {
  return examination !== undefined && !isSound(examination) && !isEarlier(session);
}

/** Returns a session with the result of the last scan, if the session is unchanged since. */
export function asKnown(session: SessionSummary, memory: ScanMemory | undefined): ScannedSession {
  const known = memory?.find(session);
  return {
    session,
    isNew: false,
    ...(known && { examination: known.examination }),
    ...(session.unread !== undefined && { unread: session.unread }),
  };
}

function readOne(catalog: Catalog, session: SessionSummary, memory: ScanMemory | undefined): ScannedSession {
  try {
    const examination = examine(catalog.read(session), session);
    memory?.note(session, examination, Date.now());
    return { session, examination, isNew: true };
  } catch (error) {
    return { session, unread: describeError(error), isNew: true };
  }
}
