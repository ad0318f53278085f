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

/** Bytes that may be added to a transcript before its size is checked again. */
const GROWTH_BYTES = 16 << 20;

/**
 * Memory that reading a transcript may need, as a multiple of its size; measured: 200 MB fit into 1 GB, 238 MB end the
 * process.
 */
const MEMORY_PER_BYTE = 8;

/**
 * A larger file cannot be read: every OpenClaw with JSONL transcripts reads the file into one string, whose length Node
 * limits, and with a small heap the gateway would run out of memory long before that.
 */
export const MAX_TRANSCRIPT_BYTES = Math.min(
  constants.MAX_STRING_LENGTH - GROWTH_BYTES,
  Math.floor(getHeapStatistics().heap_size_limit / MEMORY_PER_BYTE),
);

/** Bytes kept of a history that was never compacted: about a million tokens, more than any model is sent. */
const KEPT_BYTES = 4 << 20;

/** Types of rows with settings of a session; the last row of each type applies, wherever it is. */
const SETTINGS = new Set(["model_change", "thinking_level_change", "session_info"]);

/**
 * Shortens a transcript that is too large to be read to the part that a model is sent: the path since the last
 * compaction, or without one the newest messages, beginning with a user's. First archives the whole transcript as
 * `<file>.integrity-<hash>.bak`, as a link where the file system has links, so that no second copy is stored. Throws
 * when the archive or the replacement cannot be written; the transcript is not changed then.
 */
export function shortenTranscript(file: string, keptBytes: number = KEPT_BYTES): void {
  const { size, mode } = statSync(file);
  const transcript = new TranscriptFile(file);
  const path = transcript.tree.path();
  const kept = path.slice(findStart(transcript, path, keptBytes));
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
    `session load: a transcript of ${megabytes} MB is larger than can be read here ` +
      `(${MAX_TRANSCRIPT_BYTES >> 20} MB); the session continues with the last ${kept.length} of ${path.length} ` +
      `entries, the whole transcript was kept as ${basename(archive)}`,
  );
}

/** Returns the index of the first entry of the path that is kept. */
function findStart(transcript: TranscriptFile, path: readonly Place[], keptBytes: number): number {
  const start = path.length - contextPath(path, ({ id }) => transcript.read(id)).length;
  let youngest = path.length;
  for (let bytes = 0; youngest > start; youngest--) {
    bytes += path[youngest - 1]!.length;
    // The last entry is kept whatever its size: it will be the parent of the next one.
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
