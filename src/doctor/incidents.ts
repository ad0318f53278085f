import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ENTRY_WORDS, INDEX_WORDS, RECORD_WORDS, VIOLATION_WORDS } from "../health/index.ts";
import { isObject, type JsonObject } from "../transcript/json/json.ts";
import type { Incident, Incidents } from "./checkup.ts";
import { toMoment } from "../base/time.ts";

/** `integrity-`: a provider refused a request. `l0-`: a scan found faults. */
const NAME = /^(?:integrity|l0)-incident-(.+)\.json$/;
/** An incident takes a few kilobytes; a larger file is not an incident. */
const MAX_BYTES = 1024 * 1024;
/** Maximum number of incidents that are read. */
const MAX_READ = 200;

const KINDS: ReadonlyMap<unknown, string> = new Map(
  Object.entries({ ...VIOLATION_WORDS, ...ENTRY_WORDS, ...INDEX_WORDS, ...RECORD_WORDS }),
);
const OUTCOMES: ReadonlyMap<unknown, string> = new Map(
  Object.entries({
    answered: "healed and answered in the same turn",
    reset: "session archived and reset",
    refused: "not answered",
    told: "the user was told",
    repaired: "repaired",
    waiting: "to be repaired when the session is idle",
    left: "left to the patch",
    rolled_back: "rolled back to a checkpoint",
    kept: "left unchanged",
    detected: "nothing was done",
  }),
);

/**
 * Reads the incidents that the patch and the plugin recorded in `logs/`, the youngest first. Returns kinds, places and
 * outcomes only; other text of the files is not repeated. Files that are damaged or of another program are counted,
 * unknown fields are ignored. Never throws.
 */
export function readIncidents(stateDirectory: string): Incidents {
  const folder = join(stateDirectory, "logs");
  const names = namesIn(folder).toSorted((one, other) => (timeIn(one) < timeIn(other) ? 1 : -1));
  const read = names.slice(0, MAX_READ).map((name) => readIncident(join(folder, name)));
  const list = read
    .filter((incident) => incident !== undefined)
    .toSorted((one, other) => (other.at ?? 0) - (one.at ?? 0));
  return { list, older: Math.max(0, names.length - MAX_READ), damaged: read.length - list.length };
}

function timeIn(name: string): string {
  return NAME.exec(name)?.[1] ?? "";
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => NAME.test(name));
  } catch {
    return [];
  }
}

function readIncident(file: string): Incident | undefined {
  try {
    const found = statSync(file);
    if (!found.isFile() || found.size > MAX_BYTES) return undefined;
    const record: unknown = JSON.parse(readFileSync(file, "utf8"));
    return isObject(record) ? parseIncident(file, record) : undefined;
  } catch {
    return undefined;
  }
}

function parseIncident(file: string, record: JsonObject): Incident {
  const named = Object.fromEntries(
    (["sessionId", "sessionKey", "archive"] as const).flatMap((name) =>
      typeof record[name] === "string" ? [[name, record[name]]] : [],
    ),
  );
  const what =
    Array.isArray(record.issues) || Array.isArray(record.rows) ? describeFound(record) : describeRefusals(record);
  const outcome = record.outcome ?? record.action;
  return {
    file,
    at: toMoment(record.timestamp ?? record.at),
    ...named,
    what,
    outcome: OUTCOMES.get(outcome) ?? describeCode(outcome),
  };
}

/** Describes what a scan found: `2 × a tool result without a call`. */
function describeFound({ issues, rows }: JsonObject): string {
  const kinds = [...toObjects(issues), ...toObjects(rows)].map(({ type }) => KINDS.get(type) ?? describeCode(type));
  return kinds.length === 0 ? "faults in the store" : counted(kinds);
}

/** Describes what a provider refused, and which rung was tried next. */
function describeRefusals({ steps }: JsonObject): string {
  const words = toObjects(steps).map(({ failure, problem, rung }) => {
    const tried = rung === undefined ? "" : `, then ${describeCode(rung)}`;
    return (
      `${failure === "content_filter" ? "stopped by a content filter" : "history refused by the provider"} ` +
      `(${describeCode(problem)}${tried})`
    );
  });
  return words.length === 0 ? "an incident" : counted(words);
}

function counted(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts]
    .slice(0, 5)
    .map(([word, times]) => (times === 1 ? word : `${times} × ${word}`))
    .join("; ");
}

function toObjects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Returns a code in words, or `other` for text that does not look like a code: it may be text of a conversation. */
function describeCode(value: unknown): string {
  return typeof value === "string" && /^[a-z][\w-]{0,39}$/i.test(value) ? value.replaceAll("_", " ") : "other";
}
