import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileTime } from "../base/file-time.ts";
import { writeNew } from "../base/write-new.ts";
import { ENTRY_WORDS, VIOLATION_WORDS, type Examination } from "../health/index.ts";
import { isObject } from "../transcript/json.ts";

/** What was done about a session that was found to be faulty. */
export type IncidentAction =
  | "repaired"
  /** It is being answered: it is repaired when that is over. */
  | "waiting"
  /** Nothing that a repair of the store can mend; the core patch does it where the request is made. */
  | "left"
  /** The conversation goes on from a checkpoint. */
  | "rolled_back"
  /** Neither helped: it is kept as it is, for those who look at it. */
  | "kept"
  /** `autoRepair` is off. */
  | "detected";

/** What is written about it. */
export interface PluginIncident {
  readonly sessionId: string;
  readonly sessionKey?: string | undefined;
  readonly agentId: string;
  /** `scan`: by `/l0-scan`; `tick`: by the scan that comes by itself. */
  readonly foundBy: "startup_scan" | "scan" | "tick" | "before_run";
  readonly examination: Examination;
  readonly action: IncidentAction;
  /** Why it was not repaired. */
  readonly reason?: string;
  readonly archive?: string;
  readonly checkpointId?: string;
}

/** An incident as a list shows it, the plugin's or the core patch's. */
export interface ListedIncident {
  readonly file: string;
  readonly at: string;
  readonly sessionId?: string;
  readonly sessionKey?: string;
  /** What it was and how it ended, in a few words. */
  readonly what: string;
}

const PREFIXES = ["l0-incident-", "integrity-incident-"] as const;
/** An id may be anything that a provider made up. */
const ID_LENGTH = 64;

/**
 * Writes the diagnostic file `logs/l0-incident-<timestamp>.json` of the source document: kinds of faults, places, ids; no word of the conversation.
 * Mode 0600. Returns its path. Throws what the file system throws. Issue 6, item 4.
 */
export function writeIncident(stateDirectory: string, { examination, ...incident }: PluginIncident, at = new Date()): string {
  const record = {
    format: "openclaw-integrity session incident",
    version: 1,
    timestamp: at.toISOString(),
    ...incident,
    issues: examination.violations.map(({ kind, messageIndex, id }) => ({
      type: kind,
      ...(id !== "" && { toolUseId: String(id).slice(0, ID_LENGTH) }),
      messageIndex,
      description: VIOLATION_WORDS[kind],
    })),
    rows: examination.entries.map((kind) => ({ type: kind, description: ENTRY_WORDS[kind] })),
  };
  return writeNew(join(stateDirectory, "logs"), `${PREFIXES[0]}${fileTime(at)}`, `${JSON.stringify(record, null, 2)}\n`);
}

/** The youngest incidents of plugin and core patch, the youngest first; files that cannot be read are passed over. */
export function listIncidents(stateDirectory: string, limit: number): { readonly total: number; readonly incidents: readonly ListedIncident[] } {
  const folder = join(stateDirectory, "logs");
  const names = namesIn(folder).toSorted((one, other) => (timeIn(one) < timeIn(other) ? 1 : -1));
  return { total: names.length, incidents: names.slice(0, limit).flatMap((name) => readIncident(join(folder, name))) };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".json") && PREFIXES.some((prefix) => name.startsWith(prefix)));
  } catch {
    return [];
  }
}

function timeIn(name: string): string {
  return name.replace(/^.*?-incident-/, "");
}

function readIncident(file: string): ListedIncident[] {
  try {
    const record: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (!isObject(record)) return [];
    const at = record.timestamp ?? record.at;
    const named = (key: "sessionId" | "sessionKey"): object => (typeof record[key] === "string" ? { [key]: record[key] } : {});
    return [{ file, at: typeof at === "string" ? at : "?", what: whatOf(record), ...named("sessionId"), ...named("sessionKey") }];
  } catch {
    return [];
  }
}

function whatOf(record: Record<string, unknown>): string {
  if (Array.isArray(record.issues)) {
    const issues = [...record.issues, ...(Array.isArray(record.rows) ? record.rows : [])].filter(isObject);
    const kinds = [...new Set(issues.map(({ description }) => String(description)))].slice(0, 3);
    return `${issues.length} ${issues.length === 1 ? "fault" : "faults"} stored (${kinds.join("; ")}): ${String(record.action).replace("_", " ")}`;
  }
  const steps = Array.isArray(record.steps) ? record.steps.filter(isObject) : [];
  return `${steps.map(({ failure, problem }) => `${String(failure)} ${String(problem)}`).join(", ")}: ${String(record.outcome)}`;
}
