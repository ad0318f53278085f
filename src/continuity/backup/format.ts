/**
 * The text of a backup: JSON lines. A heading; for each project a line of the project, for a pruned one the lines of the
 * state on which it begins, then a line for each event, and behind an event that completes a step the lines of its
 * result; at the end the numbers of lines and the SHA-256 of all bytes before that line.
 */

export const FORMAT = "openclaw-integrity continuity backup";
/** Version of the format. */
export const FORMAT_VERSION = 1;
/** Results and states are cut into lines of at most this many characters. */
export const PART_CHARACTERS = 1 << 20;
/** A longer line is none of a backup. */
export const LONGEST_LINE = 64 << 20;

export interface HeadingLine {
  readonly format: typeof FORMAT;
  readonly version: number;
  readonly created_at: string;
  readonly producer_version: string;
}

/** The end of a ledger when its backup began. */
export interface ProjectLine {
  readonly project_id: string;
  readonly workflow_id: string;
  readonly created_at: string;
  readonly event_seq: number;
  readonly checksum: string | null;
  readonly fencing_token: number;
  /** The event on which a pruned ledger begins: of those before it only the kept ones follow. */
  readonly base?: { readonly event_seq: number; readonly checksum: string; readonly timestamp: string };
}

/** A part of a long text; the last part has `more: false`. */
export interface PartLine {
  readonly text: string;
  readonly more: boolean;
}

export interface EndLine {
  readonly projects: number;
  readonly events: number;
  readonly results: number;
  readonly sha256: string;
}

/** A line as it is parsed; `event` is the payload with its checksum. */
export interface BackupLine {
  readonly format?: unknown;
  readonly project?: ProjectLine;
  readonly event?: Readonly<Record<string, unknown>>;
  /** The canonical text of the state on which a pruned ledger begins. */
  readonly state?: PartLine;
  /** The JSON text of a result. */
  readonly result?: PartLine;
  readonly end?: EndLine;
}
