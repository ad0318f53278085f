import { constants } from "node:buffer";
import { statSync } from "node:fs";
import { basename } from "node:path";
import { getHeapStatistics } from "node:v8";
import { contextPath } from "../../store/sessions/context-path.ts";
import { copyTranscript } from "../../store/archives/archive-copy.ts";
import { putFile } from "../../store/archives/durable-file.ts";
import { TranscriptFile } from "../../store/sessions/transcript-file.ts";
import type { Place } from "../../store/sessions/transcript-tree.ts";
import { makeHeader } from "../../transcript/entries.ts";
import { isObject, toJson, type JsonObject } from "../../transcript/json/json.ts";
import { logLine } from "../base/log.ts";

/** What may be added to a transcript before it is looked at again. */
const ROOM = 16 << 20;

/**
 * Memory that a transcript may take while it is read, in times of its size; measured: 200 MB fit into 1 GB, 238 MB end
 * the process.
 */
const MEMORY_PER_BYTE = 8;

/**
 * A file of more bytes cannot be read: every OpenClaw with JSONL transcripts reads it into one string, which has a
 * limit of its own, and where Node may use little memory the gateway would end long before that.
 */
export const MAX_TRANSCRIPT_BYTES = Math.min(
  constants.MAX_STRING_LENGTH - ROOM,
  Math.floor(getHeapStatistics().heap_size_limit / MEMORY_PER_BYTE),
);

/** What is kept of a history that was never compacted: about a million tokens, which is more than any model is sent. */
const KEPT_BYTES = 4 << 20;

/** Rows that say how a session is set up; of each type the last one counts, wherever it stands. */
const SETTINGS = new Set(["model_change", "thinking_level_change", "session_info"]);

/**
 * Replaces a transcript that is too large to be read by what a model is sent of it: the path from the last compaction
 * on, or without one the youngest messages, from a user's on. The whole is kept first, as
 * `<file>.integrity-<hash>.bak`, without taking its room twice where the file system can link. Throws when that or the
 * replacement cannot be written; the transcript is not touched then. Issue 5.
 */
export function shortenTranscript(file: string, keptBytes: number = KEPT_BYTES): void {
  const { size, mode } = statSync(file);
  const transcript = new TranscriptFile(file);
  const path = transcript.tree.path();
  const kept = path.slice(startOf(transcript, path, keptBytes));
  const settings = [...SETTINGS].flatMap(
    (type) => path.slice(0, path.length - kept.length).findLast((place) => place.type === type) ?? [],
  );
  const rows = [...transcript.readAll([...settings, ...kept].map(({ id }) => id))];
  const header =
    transcript.header ?? makeHeader(rows, { sessionId: basename(file).replace(/\.jsonl$/, ""), cwd: process.cwd() });
  const chained = rows.map((row, at) => ({ ...row, parentId: rows[at - 1]?.id ?? null }));
  const archive = copyTranscript(file, { link: true });
  putFile(file, [header, ...chained].map((row) => `${toJson(row)}\n`).join(""), mode, { shared: "allow" });
  const megabytes = Math.round(size / (1 << 20));
  logLine(
    `session load: a transcript of ${megabytes} MB is more than can be read here (${MAX_TRANSCRIPT_BYTES >> 20} MB); it goes on with its last ${kept.length} of ${path.length} entries, the whole was kept as ${basename(archive)}`,
  );
}

/** The place on the path from which on it is kept. */
function startOf(transcript: TranscriptFile, path: readonly Place[], keptBytes: number): number {
  const start = path.length - contextPath(path, ({ id }) => transcript.read(id)).length;
  let youngest = path.length;
  for (let bytes = 0; youngest > start; youngest--) {
    bytes += path[youngest - 1]!.length;
    // The last entry is kept whatever its size: the next one is going to hang on it.
    if (bytes > keptBytes && youngest < path.length) break;
  }
  if (youngest === start) return start;
  const rest = path.slice(youngest);
  const users = [...transcript.readAll(rest.map(({ id }) => id))].findIndex(isOfUser);
  return youngest + Math.max(0, users);
}

function isOfUser(row: JsonObject): boolean {
  return row.type === "message" && isObject(row.message) && row.message.role === "user";
}
