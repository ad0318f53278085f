import { join } from "node:path";
import { timeInFileName } from "../../base/time.ts";
import { writeNew } from "../../base/write-new.ts";
import { ENTRY_WORDS, INDEX_WORDS, RECORD_WORDS, VIOLATION_WORDS, type Examination } from "../../health/index.ts";

/** What was done about a session with faults. */
export type IncidentAction =
  | "repaired"
  /** A run is active in the session; it is repaired when the run ends. */
  | "waiting"
  /** A repair of the store cannot remove the faults; the core patch removes them from each request. */
  | "left"
  /** The conversation was rolled back to a checkpoint. */
  | "rolled_back"
  /** Neither repair nor rollback was possible: the session was left unchanged for inspection. */
  | "kept"
  /** `autoRepair` is off. */
  | "detected";

/** Content of an incident file. */
export interface PluginIncident {
  readonly sessionId: string;
  readonly sessionKey?: string | undefined;
  readonly agentId: string;
  /** `scan`: by `/l0-scan`; `tick`: by the periodic scan. */
  readonly foundBy: "startup_scan" | "scan" | "tick" | "before_run";
  readonly examination: Examination;
  readonly action: IncidentAction;
  /** Why the session was not repaired. */
  readonly reason?: string;
  readonly archive?: string;
  readonly checkpointId?: string;
}

/** Maximum length of a recorded id: a provider may have made up any text. */
const ID_LENGTH = 64;

/**
 * Writes the incident file `logs/l0-incident-<timestamp>.json`, with mode 0600: kinds of faults, places and ids, no
 * text of the conversation. {@link readIncidents} reads it. Returns its path. Throws the errors of the file system.
 */
export function writeIncident(
  stateDirectory: string,
  { examination, ...incident }: PluginIncident,
  at = new Date(),
): string {
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
    rows: [
      ...examination.entries.map((kind) => ({ type: kind, description: ENTRY_WORDS[kind] })),
      ...(examination.index === undefined
        ? []
        : [{ type: examination.index, description: INDEX_WORDS[examination.index] }]),
      ...(examination.record === undefined
        ? []
        : [{ type: examination.record, description: RECORD_WORDS[examination.record] }]),
    ],
  };
  return writeNew(
    join(stateDirectory, "logs"),
    `l0-incident-${timeInFileName(at)}`,
    `${JSON.stringify(record, null, 2)}\n`,
  );
}
