import { join } from "node:path";
import { putFile } from "../store/archives/durable-file.ts";
import { describeError } from "../store/errors.ts";
import { isObject } from "../transcript/json/json.ts";
import type { Examination } from "./examine.ts";
import { sessionIdentity, sessionIdIn, type SessionSummary } from "../store/catalog/summary.ts";
import { readJsonObject } from "../base/read-json-object.ts";

const VERSION = 1;

/** What the last scan found in a session, and the state of the session at that time. */
export interface Remembered {
  watermark: string;
  examination: Examination;
  /** When the session was read, in milliseconds since 1970. */
  scannedAt: number;
}

/**
 * Results of earlier scans, so that the next scan reads changed sessions only. The file can be lost at any time: the
 * next scan then reads all sessions. It is not a table of the journal, because the journal's schema must not become
 * newer than the guard that runs.
 */
export class ScanMemory {
  readonly file: string;
  readonly #sessions: Map<string, Remembered>;
  readonly #readsAll: boolean;

  /**
   * Reads the results for a state directory; starts empty when the file is damaged or has another version. With
   * `readsAll` it finds none of them, so that a scan reads each session again.
   */
  constructor(stateDirectory: string, { readsAll = false } = {}) {
    this.file = join(stateDirectory, "openclaw-integrity-scan.json");
    this.#sessions = new Map(readSessions(this.file));
    this.#readsAll = readsAll;
  }

  /** Returns the result for a session, unless the session has changed since. */
  find(session: SessionSummary): Remembered | undefined {
    const found = this.#readsAll ? undefined : this.#sessions.get(sessionIdentity(session));
    return found?.watermark === session.watermark ? found : undefined;
  }

  note(session: SessionSummary, examination: Examination, scannedAt: number): void {
    this.#sessions.set(sessionIdentity(session), { watermark: session.watermark, examination, scannedAt });
  }

  /** Removes the results of all other sessions. */
  keepOnly(sessions: readonly SessionSummary[]): void {
    const there = new Set(sessions.map(sessionIdentity));
    for (const key of this.#sessions.keys()) if (!there.has(key)) this.#sessions.delete(key);
  }

  /** Returns how many of these sessions have a result, counting each store that holds the session id. */
  count(sessionIds: ReadonlySet<string>): number {
    return [...this.#sessions.keys()].filter((key) => sessionIds.has(sessionIdIn(key))).length;
  }

  /** Removes the results of these sessions, in each store that holds the session id. */
  forget(sessionIds: ReadonlySet<string>): void {
    for (const key of this.#sessions.keys()) if (sessionIds.has(sessionIdIn(key))) this.#sessions.delete(key);
  }

  /** Writes the results to the file. Throws a StoreError, `not-writable` or `unsafe-path`. */
  save(): void {
    putFile(this.file, JSON.stringify({ version: VERSION, sessions: [...this.#sessions] }), 0o600);
  }
}

/**
 * Saves the results of a scan. Returns a warning instead of throwing, so that a scan can report its findings where
 * nothing can be written.
 */
export function saved(memory: ScanMemory | undefined): string[] {
  try {
    memory?.save();
    return [];
  } catch (error) {
    return [
      `the results of this scan could not be saved, so the next scan reads all sessions again: ${describeError(error)}`,
    ];
  }
}

function readSessions(file: string): [string, Remembered][] {
  const { version, sessions } = readJsonObject(file) ?? {};
  return version === VERSION && Array.isArray(sessions)
    ? (sessions as [string, Remembered][]).filter(isRemembered)
    : [];
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
