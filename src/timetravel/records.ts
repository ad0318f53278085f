import { isObject, type JsonObject } from "../transcript/json/json.ts";
import { isResultRole } from "../transcript/read.ts";

/**
 * What a move leaves in OpenClaw's own rows. They are all there is; whatever else is kept of moves can be dropped and
 * is read from them anew.
 */

/** The agent's tools: to move, and to see where it can go to. */
export const TOBE_TOOL = "tobe";
export const TIMELINE_TOOL = "timeline";

/** The `kind` in the details of a tool result that asks for a move. */
export const MOVE_KIND = "openclaw-integrity:move";

/** The `customType` of the entry that a move arrives with: the carryover. */
export const CARRYOVER_TYPE = "openclaw-integrity:carryover";

/** The `customType` of the entry that says, on the branch that was not left, why there was no move. */
export const ABORTED_TYPE = "openclaw-integrity:move-aborted";

/** Who asked for a move: the agent by its tool, or the operator between turns. */
export type MovedBy = "agent" | "operator";

/** A move that an agent has asked for, as the result of its call says it. */
export interface MoveIntent {
  readonly intentId: string;
  /** Null is the place before the first message. */
  readonly targetId: string | null;
  /** How the agent named it. */
  readonly asked: string;
}

/** A move that was made, as its carryover says it. */
export interface MoveArrival {
  readonly intentId: string;
  /** Where the conversation stood until then; null when nothing had been said. */
  readonly departureId: string | null;
  readonly targetId: string | null;
  readonly by: MovedBy;
  /** The user's message that the carryover repeats, because the target lies before it. */
  readonly questionId?: string;
  /** What the agent's note is known by; two moves with the same note have the same. */
  readonly noteId?: string;
}

/** A move that failed at the turn boundary. */
export interface MoveAborted {
  readonly intentId: string;
  readonly targetId: string | null;
  readonly reason: string;
}

/** The details of a tool result that asks for a move; a function of its own so that who writes and who reads agree. */
export function intentDetails({ intentId, targetId, asked }: MoveIntent): JsonObject {
  return { kind: MOVE_KIND, intentId, targetId, asked };
}

/**
 * The move that a row asks for; undefined for every other row, whatever it is. Other tools can write the same details
 * into their own results.
 */
export function intentOf(row: unknown): MoveIntent | undefined {
  if (!isObject(row) || row.type !== "message" || !isObject(row.message)) return undefined;
  const { role, details, toolName } = row.message;
  if (!isResultRole(role) || toolName !== TOBE_TOOL || !isObject(details) || details.kind !== MOVE_KIND)
    return undefined;
  const { intentId, targetId, asked } = details;
  if (!isId(intentId) || !isPlace(targetId)) return undefined;
  return { intentId, targetId, asked: typeof asked === "string" ? asked : (targetId ?? "root") };
}

/** The move that a row is the arrival of; undefined for every other row. */
export function arrivalOf(row: unknown): MoveArrival | undefined {
  const details = detailsOf(row, CARRYOVER_TYPE);
  if (!details || !isPlace(details.departureId)) return undefined;
  const { intentId, departureId, targetId, by, questionId, noteId } = details;
  return {
    intentId,
    departureId,
    targetId,
    by: by === "operator" ? "operator" : "agent",
    ...(isId(questionId) && { questionId }),
    ...(isId(noteId) && { noteId }),
  };
}

/** The move that a row says has failed; undefined for every other row. */
export function abortedOf(row: unknown): MoveAborted | undefined {
  const details = detailsOf(row, ABORTED_TYPE);
  if (!details) return undefined;
  const { intentId, targetId, reason } = details;
  return { intentId, targetId, reason: typeof reason === "string" ? reason : "no reason is stored" };
}

type Details = JsonObject & { readonly intentId: string; readonly targetId: string | null };

/** What is damaged is no record: a history that was written by others is read like any other. */
function detailsOf(row: unknown, customType: string): Details | undefined {
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
