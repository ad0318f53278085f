/**
 * The text of a backup: JSON lines. A heading; for each project a line of the project, then a line for each event, and
 * behind an event that completes a step the lines of its result; at the end the numbers of lines and the SHA-256 of all
 * bytes before that line.
 */

import { isTimeText, LARGEST_TOKEN } from "../base/shapes.ts";
import { isProjectId } from "../base/workflow-id.ts";
import type { LedgerEvent } from "../ledger/events.ts";
import type { Position } from "../ledger/position.ts";

export const FORMAT = "openclaw-integrity continuity backup";
/** Version of the format. */
export const FORMAT_VERSION = 1;
/** Results are cut into lines of at most this many characters. */
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
  /** The JSON text of a result. */
  readonly result?: PartLine;
  readonly end?: EndLine;
}

/** An event that was checked, and the position behind it. */
export interface CheckedEvent {
  readonly event: LedgerEvent;
  readonly position: Position;
  /** The JSON text of the result, if the event completes a step and does not hold the result itself. */
  readonly result: string | undefined;
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** Returns whether the parts of a project's line have the kinds that they must have. */
export function isProjectLine({
  project_id,
  created_at,
  event_seq,
  checksum,
  fencing_token,
}: Partial<ProjectLine>): boolean {
  return (
    isProjectId(project_id) &&
    isTimeText(created_at) &&
    isCount(event_seq) &&
    isCount(fencing_token) &&
    fencing_token <= LARGEST_TOKEN &&
    (typeof checksum === "string" || checksum === null)
  );
}
