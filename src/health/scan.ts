import { reasonOf } from "../store/errors.ts";
import type { Catalog, SessionSummary } from "../store/catalog/summary.ts";
import { examine, isSound, type Examination } from "./examine.ts";
import type { ScanMemory } from "./memory.ts";

/** A session and what a scan found in it. */
export interface ScannedSession {
  session: SessionSummary;
  /** Missing when it could not be read: `unread` says why. */
  examination?: Examination;
  unread?: string;
  /** False when nothing was written since it was last read. */
  isNew: boolean;
}

/** What a scan found. */
export interface ScanReport {
  sessions: ScannedSession[];
  /** Stores that could not be read, in sentences for a person. */
  problems: readonly string[];
  /** How many of them were read in this scan. */
  read: number;
  /** How many need a repair. */
  corrupt: number;
  milliseconds: number;
}

/** How a scan is made. */
export interface ScanOptions {
  agentId?: string;
  /** Reads only what has changed since; everything without. */
  memory?: ScanMemory;
  /** Called before each session that is read, with the number of those that are done and of all. */
  onProgress?: (done: number, all: number) => void;
  /** For how long at most other work has to wait, but for a single session; 20 ms by default. */
  sliceMs?: number;
}

/**
 * Reads every session that was written to since the last scan and tells what is wrong with it. Nothing is changed but
 * the memory, which is not saved. A session that cannot be read does not stop the scan. Issue 6, item 3.
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
  const corrupt = sessions.filter(({ examination }) => examination && !isSound(examination)).length;
  return { sessions, problems, read, corrupt, milliseconds: performance.now() - began };
}

/** A session and what the last scan found in it, when nothing was written to it since. */
export function asKnown(session: SessionSummary, memory: ScanMemory | undefined): ScannedSession {
  const known = memory?.of(session);
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
    return { session, unread: reasonOf(error), isNew: true };
  }
}
