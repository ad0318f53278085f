/** Transcripts of other programs, which are JSON lines too. */
import { findHeader, isTreeRow } from "../../transcript/entries.ts";
import { isObject, type JsonObject } from "../../transcript/json/json.ts";

/** Types of the rows of Codex; what they are about is in `payload`. */
const OF_CODEX = new Set<unknown>(["session_meta", "response_item", "event_msg", "turn_context"]);

/** A row by which each program is known. */
const PROGRAMS: readonly (readonly [name: string, isRow: (row: JsonObject) => boolean])[] = [
  ["Claude Code", (row) => typeof row.uuid === "string" && typeof row.sessionId === "string" && "parentUuid" in row],
  ["Codex", ({ type, payload }) => OF_CODEX.has(type) && isObject(payload)],
  ["OpenHands", ({ kind, source }) => typeof kind === "string" && kind.endsWith("Event") && typeof source === "string"],
  [
    "goose",
    ({ role, created, content }) => typeof role === "string" && typeof created === "number" && Array.isArray(content),
  ],
];

/**
 * Returns whose transcript these rows are, as a name for users; undefined for rows of OpenClaw or pi, however damaged,
 * and where there are none. Rows with a session header are OpenClaw's, whatever else is among them.
 */
export function foreignProgram(rows: readonly unknown[]): string | undefined {
  if (rows.length === 0 || findHeader(rows) !== undefined) return undefined;
  for (const [name, isRow] of PROGRAMS) if (rows.some((row) => isObject(row) && isRow(row))) return name;
  return rows.some(isTreeRow) ? undefined : "a program that is not known here";
}
