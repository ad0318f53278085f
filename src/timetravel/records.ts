/** Moves and names of places as they stand in a transcript: written, and read back. */
import { isObject, type JsonObject } from "../transcript/json/json.ts";
import { isResultRole } from "../transcript/read.ts";

/** The records of moves in OpenClaw's own rows. All other data about moves is derived from them and can be rebuilt. */

/** Names of the agent's tools: one moves, the other lists the targets. */
export const TOBE_TOOL = "tobe";
export const TIMELINE_TOOL = "timeline";

/** The `kind` in the details of a tool result that asks for a move. */
export const MOVE_KIND = "openclaw-integrity:move";

/** The `kind` in the details of a tool result that names a place. */
const MARK_KIND = "openclaw-integrity:mark";

/** The `customType` of a carryover. */
export const CARRYOVER_TYPE = "openclaw-integrity:carryover";

/** The `customType` of the entry that records, on the branch that was not left, why a move failed. */
export const ABORTED_TYPE = "openclaw-integrity:move-aborted";

/** Who asked for a move: the agent by its tool, or the operator between turns. */
export type MovedBy = "agent" | "operator";

/** A move that an agent requested, as stored in the result of its tool call. */
export interface MoveIntent {
  readonly intentId: string;
  /** Null is the place before the first message. */
  readonly targetId: string | null;
  /** The target as the agent wrote it. */
  readonly asked: string;
}

/** A move that was made, as stored in its carryover. */
export interface MoveArrival {
  readonly intentId: string;
  /** The node before the move; null when there was none. */
  readonly departureId: string | null;
  readonly targetId: string | null;
  readonly by: MovedBy;
  /** Ids of the unanswered requests that the carryover repeats, because the target is before them. */
  readonly questionIds?: readonly string[];
  /** Ids of the requests that are unanswered too and lie before the target. */
  readonly openIds?: readonly string[];
  /** The note of the agent or the operator; undefined where there is none. */
  readonly note?: string;
  /** The move brought the files of the workspace back too. */
  readonly files?: "restore";
  /** What the carryover tells of recorded work, for the carryovers of later moves. */
  readonly work?: JsonObject;
}

/** A move that failed at the turn boundary. */
export interface MoveAborted {
  readonly intentId: string;
  readonly targetId: string | null;
  readonly reason: string;
}

/** Builds the details of a tool result that requests a move, in the form that {@link readIntent} reads. */
export function intentDetails({ intentId, targetId, asked }: MoveIntent): JsonObject {
  return { kind: MOVE_KIND, intentId, targetId, asked };
}

/**
 * The move that a row requests; undefined for every other row. The tool's name is checked too, because other tools can
 * write the same details into their results.
 */
export function readIntent(row: unknown): MoveIntent | undefined {
  if (!isObject(row) || row.type !== "message" || !isObject(row.message)) return undefined;
  const { role, details, toolName } = row.message;
  if (!isResultRole(role) || toolName !== TOBE_TOOL || !isObject(details) || details.kind !== MOVE_KIND)
    return undefined;
  const { intentId, targetId, asked } = details;
  if (!isId(intentId) || !isPlace(targetId)) return undefined;
  return { intentId, targetId, asked: typeof asked === "string" ? asked : (targetId ?? "root") };
}

/**
 * Builds the details of a tool result that names the place before its call, in the form that {@link readPlaceName}
 * reads.
 */
export function markDetails(name: string): JsonObject {
  return { kind: MARK_KIND, name };
}

/** The name that a row gives to the place before its call; undefined for every other row. */
export function readPlaceName(row: unknown): string | undefined {
  if (!isObject(row) || row.type !== "message" || !isObject(row.message)) return undefined;
  const { role, details, toolName } = row.message;
  if (!isResultRole(role) || toolName !== TIMELINE_TOOL || !isObject(details) || details.kind !== MARK_KIND)
    return undefined;
  return isId(details.name) ? details.name : undefined;
}

/** The move whose carryover a row is; undefined for every other row. */
export function readArrival(row: unknown): MoveArrival | undefined {
  const details = readDetails(row, CARRYOVER_TYPE);
  if (!details || !isPlace(details.departureId)) return undefined;
  const { intentId, departureId, targetId, by, questionIds, openIds, note, files, work } = details;
  return {
    intentId,
    departureId,
    targetId,
    by: by === "operator" ? "operator" : "agent",
    ...(Array.isArray(questionIds) && { questionIds: questionIds.filter(isId) }),
    ...(Array.isArray(openIds) && { openIds: openIds.filter(isId) }),
    ...(isId(note) && { note }),
    ...(files === "restore" && { files }),
    ...(isObject(work) && { work }),
  };
}

/** The failed move that a row records; undefined for every other row. */
export function readAborted(row: unknown): MoveAborted | undefined {
  const details = readDetails(row, ABORTED_TYPE);
  if (!details) return undefined;
  const { intentId, targetId, reason } = details;
  return { intentId, targetId, reason: typeof reason === "string" ? reason : "no reason is stored" };
}

type Details = JsonObject & { readonly intentId: string; readonly targetId: string | null };

/** Reads the details of a record; damaged details are no record, and the row is treated as any other. */
function readDetails(row: unknown, customType: string): Details | undefined {
  if (!isObject(row) || row.type !== "custom_message" || row.customType !== customType || !isObject(row.details))
    return undefined;
  const { details } = row;
  return isId(details.intentId) && isPlace(details.targetId) ? (details as Details) : undefined;
}

function isId(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isPlace(value: unknown): value is string | null {
  return value === null || isId(value);
}
