import { readFileSync } from "node:fs";
import { join } from "node:path";
import { putFile } from "../store/archives/durable-file.ts";
import { reasonOf } from "../store/errors.ts";
import { isObject } from "../transcript/json/json.ts";
import type { Examination } from "./examine.ts";
import { identityOf, sessionIdIn, type SessionSummary } from "../store/catalog/summary.ts";

const VERSION = 1;

/** What the last scan found in a session, and how the session stood then. */
export interface Remembered {
  watermark: string;
  examination: Examination;
  /** When it was read, in milliseconds since 1970. */
  scannedAt: number;
}

/**
 * What scans have found, so that the next one reads only what has changed. It can be lost at any time: then everything
 * is read again. It is a file of its own and not a table of the journal, whose schema must not become newer than the
 * guard that runs.
 */
export class ScanMemory {
  readonly file: string;
  readonly #sessions: Map<string, Remembered>;

  /** Reads what is remembered for a state directory; nothing when that is damaged or of another version. */
  constructor(stateDirectory: string) {
    this.file = join(stateDirectory, "openclaw-integrity-scan.json");
    this.#sessions = new Map(readSessions(this.file));
  }

  /** What was found when the session stood as it does now. */
  of(session: SessionSummary): Remembered | undefined {
    const found = this.#sessions.get(identityOf(session));
    return found?.watermark === session.watermark ? found : undefined;
  }

  note(session: SessionSummary, examination: Examination, scannedAt: number): void {
    this.#sessions.set(identityOf(session), { watermark: session.watermark, examination, scannedAt });
  }

  /** Forgets the sessions that are no longer there. */
  keepOnly(sessions: readonly SessionSummary[]): void {
    const there = new Set(sessions.map(identityOf));
    for (const key of this.#sessions.keys()) if (!there.has(key)) this.#sessions.delete(key);
  }

  /** How many of these sessions it remembers, in whichever store. */
  count(sessionIds: ReadonlySet<string>): number {
    return [...this.#sessions.keys()].filter((key) => sessionIds.has(sessionIdIn(key))).length;
  }

  /** Forgets these sessions, in whichever store. */
  forget(sessionIds: ReadonlySet<string>): void {
    for (const key of this.#sessions.keys()) if (sessionIds.has(sessionIdIn(key))) this.#sessions.delete(key);
  }

  /** Throws a StoreError `not-writable`. */
  save(): void {
    putFile(this.file, JSON.stringify({ version: VERSION, sessions: [...this.#sessions] }), 0o600);
  }
}

/** Saves it, for a scan that tells what it found also where nothing can be written: then a warning comes back. */
export function saved(memory: ScanMemory | undefined): string[] {
  try {
    memory?.save();
    return [];
  } catch (error) {
    return [`what was found could not be kept, the next scan reads everything again: ${reasonOf(error)}`];
  }
}

function readSessions(file: string): [string, Remembered][] {
  try {
    const read: unknown = JSON.parse(readFileSync(file, "utf8"));
    return isObject(read) && read.version === VERSION && Array.isArray(read.sessions)
      ? (read.sessions as [string, Remembered][]).filter(isRemembered)
      : [];
  } catch {
    return [];
  }
}

function isRemembered(entry: unknown): boolean {
  if (!Array.isArray(entry) || typeof entry[0] !== "string" || !isObject(entry[1])) return false;
  const { watermark, examination, scannedAt } = entry[1];
  if (typeof watermark !== "string" || typeof scannedAt !== "number" || !isObject(examination)) return false;
  return (
    Array.isArray(examination.violations) &&
    Array.isArray(examination.entries) &&
    typeof examination.messages === "number" &&
    typeof examination.openCalls === "number"
  );
}
