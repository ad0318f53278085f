/**
 * Writes the corpus: `<id>.jsonl` and `<id>.case.json` into `transcripts/` for every case in `cases/`.
 *
 * Run `node harness/corpus/generate.ts` after a change; ids and timestamps follow from the case's id and date, so that
 * the same cases always give the same bytes. Files of cases that no longer exist are removed.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { ALL_APIS, digest, type CaseSpec, type Json, type JsonObject, type Row } from "./builder.ts";
import { type CorpusCase, isCaptured, outputPath, outputsOnDisk } from "./case.ts";
import { CASES } from "./cases/index.ts";

const SECONDS_BETWEEN_ROWS = 37;

/** Takes the marker braces out of every string and notes what was between them. */
function collectMarkers(value: Json, reach: Set<string>, avoid: Set<string>): Json {
  if (typeof value === "string") {
    return value.replaceAll(/\{\{(!?)(.+?)\}\}/g, (_, not: string, marker: string) => {
      (not ? avoid : reach).add(marker);
      return marker;
    });
  }
  if (Array.isArray(value)) return value.map((item) => collectMarkers(item, reach, avoid));
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, collectMarkers(item, reach, avoid)]));
  }
  return value;
}

const hexId = (seed: string): string => digest(seed).toString("hex").slice(0, 8);

/** Ids, parents and times for the rows: a straight chain, except where a row says otherwise. */
function toLines(spec: CaseSpec, rows: Row[]): string[] {
  const start = Date.parse(`${spec.reported}T08:00:00.000Z`);
  const makeId = (index: number): string => hexId(`${spec.id}/${index}`);
  const byLabel = (label: string): string => {
    const index = rows.findIndex((row) => row.label === label);
    return index < 0 ? hexId(`${spec.id}/nowhere/${label}`) : makeId(index);
  };
  const uuid = digest(spec.id).toString("hex");
  const header = {
    type: "session",
    version: 3,
    id: `${uuid.slice(0, 8)}-${uuid.slice(8, 12)}-4${uuid.slice(13, 16)}-8${uuid.slice(17, 20)}-${uuid.slice(20, 32)}`,
    timestamp: new Date(start).toISOString(),
    cwd: "/home/user/.openclaw/workspace",
  };
  const entries = rows.map((row, index) => {
    if (row.raw !== undefined) return row.raw;
    const time = start + (index + 1) * SECONDS_BETWEEN_ROWS * 1000;
    const { type, message, ...rest } = row.entry;
    const entry: JsonObject = {
      type: type!,
      id: makeId(index),
      parentId: row.parent === undefined ? (index === 0 ? null : makeId(index - 1)) : byLabel(row.parent),
      timestamp: new Date(time).toISOString(),
      ...rest,
    };
    if (message !== undefined) {
      const isObject = message !== null && typeof message === "object" && !Array.isArray(message);
      entry["message"] = isObject ? { ...message, timestamp: time } : message;
    }
    if (row.keepFrom !== undefined) entry["firstKeptEntryId"] = byLabel(row.keepFrom);
    return JSON.stringify(entry);
  });
  return [JSON.stringify(header), ...entries];
}

/** The two files of a case. */
function render(spec: CaseSpec): { case: CorpusCase; json: string; jsonl: string } {
  const reach = new Set<string>();
  const avoid = new Set<string>(spec.mustNotReach);
  const rows = spec.rows.map((row) => ({ ...row, entry: collectMarkers(row.entry, reach, avoid) as JsonObject }));
  const plain = toLines(spec, rows);
  const finished = spec.file ? spec.file(plain) : plain;
  const made: CorpusCase = {
    id: spec.id,
    title: spec.title,
    report: spec.report,
    reported: spec.reported,
    apis: spec.apis ?? ALL_APIS,
    error: spec.error,
    expected: "answered",
    mustReach: [...reach],
    ...(avoid.size > 0 && { mustNotReach: [...avoid] }),
    ...(spec.historyLimit !== undefined && { historyLimit: spec.historyLimit }),
    ...(spec.model !== undefined && { model: spec.model }),
  };
  // A torn file is torn: only a whole one ends with a line feed.
  const whole = finished.at(-1)?.endsWith("}") ?? true;
  return { case: made, json: `${JSON.stringify(made, null, 2)}\n`, jsonl: finished.join("\n") + (whole ? "\n" : "") };
}

/** Every file of the corpus, by name. */
export function renderAll(): Map<string, string> {
  const outputs = new Map<string, string>();
  for (const spec of CASES) {
    const { json, jsonl } = render(spec);
    outputs.set(`${spec.id}.case.json`, json);
    outputs.set(`${spec.id}.jsonl`, jsonl);
  }
  return outputs;
}

export const isOutput = (name: string): boolean =>
  !isCaptured(name) && (name.endsWith(".case.json") || name.endsWith(".jsonl"));

if (import.meta.main) {
  const outputs = renderAll();
  for (const name of outputsOnDisk()) if (isOutput(name) && !outputs.has(name)) rmSync(outputPath(name));
  for (const [name, content] of outputs) {
    mkdirSync(dirname(outputPath(name)), { recursive: true });
    writeFileSync(outputPath(name), content);
  }
  const bytes = [...outputs.values()].reduce((sum, content) => sum + Buffer.byteLength(content), 0);
  console.log(`${CASES.length} cases, ${(bytes / 1024).toFixed(0)} KB`);
}
