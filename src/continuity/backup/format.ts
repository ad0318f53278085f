/**
 * The text of a backup: JSON lines. A heading; for each project a line of the project, then a line for each event, and
 * behind an event that completes a step the lines of its result; at the end the numbers of lines and the SHA-256 of all
 * bytes before that line.
 */

export const FORMAT = "openclaw-integrity continuity backup";
/** Version of the format that this program writes and reads. */
export const FORMAT_VERSION = 1;
/** Results are cut into lines of at most this many characters. */
export const RESULT_CHARACTERS = 1 << 20;
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
  /** A part of the JSON text of a result; the last part has `more: false`. */
  readonly result?: { readonly text: string; readonly more: boolean };
  readonly end?: EndLine;
}
