import { join } from "node:path";
import { fileTime } from "../../base/file-time.ts";
import { writeNew } from "../../base/write-new.ts";
import { ENTRY_WORDS, INDEX_WORDS, VIOLATION_WORDS, type Examination } from "../../health/index.ts";

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

/** An id may be anything that a provider made up. */
const ID_LENGTH = 64;

/**
 * Writes the diagnostic file `logs/l0-incident-<timestamp>.json` of the source document: kinds of faults, places, ids;
 * no word of the conversation. Mode 0600. {@link readIncidents} reads it. Returns its path. Throws what the file system
 * throws. Issue 6, item 4.
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
    ],
  };
  return writeNew(join(stateDirectory, "logs"), `l0-incident-${fileTime(at)}`, `${JSON.stringify(record, null, 2)}\n`);
}
