import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isObject } from "../../transcript/json/json.ts";
import { isThere } from "../../base/is-there.ts";
import { fileTrouble } from "../../base/file-trouble.ts";
import { hasCode, describeError, storeError, StoreError } from "../errors.ts";
import { isStuck } from "../openclaw/openclaw-lock.ts";
import { readIndex, parseSessionId, transcriptOfEntry, type SessionIndex } from "../sessions/session-index.ts";
import { foreignProgram } from "./foreign-file.ts";
import { parseRows } from "./parse-rows.ts";
import type { SessionSummary, StoredRows } from "./summary.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

/** Larger files are not read: a patched OpenClaw shortens them when it loads them. */
const MAX_BYTES = 128 * 1024 * 1024;

/**
 * Lists the JSONL transcripts of an agent, including those outside the folder that its index names. Where the index
 * cannot be read, the transcripts in the folder are listed without their conversations, and `problem` gets a sentence.
 */
export function listTranscripts(
  agentId: string,
  folder: string,
  problem: (sentence: string) => void,
): readonly SessionSummary[] {
  if (!isThere(folder)) return [];
  const keys = keysByFile(indexIn(folder, problem));
  const real = realpathSync(folder);
  const files = new Set([
    ...readdirSync(real)
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => join(real, name)),
    ...keys.keys(),
  ]);
  return [...files].flatMap((file) => summarizeFile(agentId, file, keys.get(file)));
}

function indexIn(folder: string, problem: (sentence: string) => void): SessionIndex | undefined {
  const file = join(folder, "sessions.json");
  try {
    return readIndex(file);
  } catch (error) {
    const cause = error instanceof StoreError ? (error.cause ?? error) : error;
    const { found, todo } = fileTrouble(cause) ?? {
      found: describeError(cause),
      todo: "Let OpenClaw repair it (openclaw doctor), or move it away.",
    };
    problem(
      `OpenClaw's list of conversations ${file} cannot be read: ${found}. The transcripts beside it are taken ` +
        `for sessions that no conversation uses. ${todo}`,
    );
    return undefined;
  }
}

/** The summary of one transcript file in any folder. Throws `session-missing`, and `store-unreadable` for its index. */
export function fileSummary(file: string): SessionSummary {
  const folder = dirname(realpathSync(dirname(file)));
  const [summary] = summarizeFile(
    basename(folder),
    join(realpathSync(dirname(file)), basename(file)),
    keysByFile(readIndex(file)).get(file),
  );
  if (summary === undefined) throw missing(file);
  return summary;
}

/**
 * Reads the rows of a transcript file. Throws `session-missing` and `store-unreadable`, also for a file that has
 * content and no row, which is no empty session, and for a transcript of another program.
 */
export function readFileRows({ place }: Pick<SessionSummary, "place">): StoredRows {
  const stored = parseRows(readTranscript(place));
  const program = foreignProgram(stored.rows);
  if (program !== undefined)
    throw storeError("store-unreadable", {
      expected: `a session of OpenClaw or pi in ${place}`,
      found: `a transcript of ${program}`,
      todo: "It is not for OpenClaw to read or repair; use the program that wrote it. Nothing was changed.",
    });
  if (stored.rows.length > 0 || stored.unreadable + stored.torn === 0)
    return isStuck(place) ? { ...stored, refusal: { fault: "stuck_lock" } } : stored;
  const lines = stored.unreadable + (stored.torn > 0 ? 1 : 0);
  throw storeError("store-unreadable", {
    expected: `rows of JSON in the transcript ${place}`,
    found: lines === 1 ? "one line, which is not JSON" : `${lines} lines, none of them JSON`,
    // OpenClaw 2026.2.3: SessionManager.setSessionFile.
    todo:
      "Copy the file if it may hold anything of use: OpenClaw (to 2026.7) takes it for empty, and writes a new " +
      "session over it with the next message. Nothing was changed.",
  });
}

function readTranscript(place: string): string {
  try {
    return readFileSync(place, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) throw missing(place);
    throw storeError("store-unreadable", {
      expected: `to read the transcript ${place}`,
      found: describeError(error),
      todo: "Make it readable. Nothing was changed.",
      cause: error,
    });
  }
}

interface Named {
  readonly sessionKey: string;
  readonly sessionId: string | undefined;
}

/** The conversation of each transcript; folders are resolved once each, since every index entry has a path. */
function keysByFile(index: SessionIndex | undefined): Map<string, Named> {
  const keys = new Map<string, Named>();
  const folders = new Map<string, string>();
  for (const [sessionKey, entry] of Object.entries(index?.entries ?? {})) {
    const file = transcriptOfEntry(index!, entry);
    if (file === undefined || !isObject(entry)) continue;
    const folder = dirname(file);
    if (!folders.has(folder)) folders.set(folder, existsSync(folder) ? realpathSync(folder) : folder);
    const { sessionId } = entry;
    keys.set(join(folders.get(folder)!, basename(file)), {
      sessionKey,
      sessionId: typeof sessionId === "string" ? sessionId : undefined,
    });
  }
  return keys;
}

function summarizeFile(agentId: string, file: string, named: Named | undefined): SessionSummary[] {
  const found = statSync(file, { throwIfNoEntry: false });
  // The index may name a file that OpenClaw has not written yet.
  if (!found?.isFile()) return [];
  return [
    {
      kind: "file",
      agentId,
      sessionId: named?.sessionId ?? parseSessionId(file),
      sessionKey: named?.sessionKey,
      place: file,
      isCurrent: named !== undefined,
      updatedAt: Math.floor(found.mtimeMs),
      watermark: `${found.ino}:${found.size}:${found.mtimeMs}${isStuck(file) ? ":stuck_lock" : ""}`,
      ...(found.size > MAX_BYTES && {
        unread:
          `${Math.round(found.size / 1024 / 1024)} MB, more than the limit for reading ` +
          `(${MAX_BYTES / 1024 / 1024} MB)`,
      }),
    },
  ];
}

function missing(file: string): Error {
  return storeError("session-missing", {
    expected: `a transcript ${file}`,
    found: "no such file",
    todo: `\`${ownCommand("sessions list")}\` lists all sessions. Nothing was changed.`,
  });
}
