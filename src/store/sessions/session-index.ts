/** `sessions.json`: which session, and so which transcript, each conversation has (to 2026.7). */
import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { readContent } from "../archives/archive-file.ts";
import { isObject } from "../../transcript/json/json.ts";
import { putFile } from "../archives/durable-file.ts";
import { reasonOf, storeError } from "../errors.ts";
import { withLock } from "../openclaw/openclaw-lock.ts";

type Entry = Readonly<Record<string, unknown>>;

/** OpenClaw holds this lock for moments only, and itself waits this long. */
const INDEX_PATIENCE_MS = 10_000;

/** The index of a folder of transcripts. */
export interface SessionIndex {
  readonly file: string;
  readonly entries: Readonly<Record<string, unknown>>;
}

/** Reads the index next to a transcript; undefined when there is none. Throws `store-unreadable`. */
export function readIndex(transcript: string): SessionIndex | undefined {
  const file = join(dirname(transcript), "sessions.json");
  const content = readContent(file);
  if (content === undefined) return undefined;
  try {
    const entries: unknown = JSON.parse(content.bytes.toString("utf8"));
    if (isObject(entries)) return { file, entries };
  } catch (error) {
    throw unreadable(file, reasonOf(error));
  }
  throw unreadable(file, "something else than an object");
}

/** The transcript that an entry names, or that its session id stands for. */
export function transcriptOfEntry({ file }: SessionIndex, entry: unknown): string | undefined {
  if (!isObject(entry)) return undefined;
  const { sessionFile, sessionId } = entry;
  if (typeof sessionFile === "string" && sessionFile.trim() !== "") return resolve(dirname(file), sessionFile.trim());
  return typeof sessionId === "string" ? join(dirname(file), `${sessionId}.jsonl`) : undefined;
}

/** The keys of the conversations that go on in this transcript. */
export function keysOf(index: SessionIndex, transcript: string): readonly string[] {
  const wanted = realPath(transcript);
  return Object.keys(index.entries).filter((key) => {
    const named = transcriptOfEntry(index, index.entries[key]);
    return named !== undefined && realPath(named) === wanted;
  });
}

/**
 * Throws when the conversation `key` cannot go on in `transcript`: `session-missing` when there is no such
 * conversation, `session-taken` when another one goes on in it.
 */
export function assertAssignable(index: SessionIndex, key: string, transcript: string): void {
  if (!isObject(index.entries[key])) {
    const keys = Object.keys(index.entries);
    throw storeError("session-missing", {
      expected: `a conversation ${key} in ${index.file}`,
      found:
        keys.length === 0
          ? "no conversation at all"
          : `${keys.slice(0, 20).join(", ")}${keys.length > 20 ? ` and ${keys.length - 20} more` : ""}`,
      todo: "Name one of these with --session-key; nothing was changed.",
    });
  }
  const other = keysOf(index, transcript).find((taken) => taken !== key);
  if (other === undefined) return;
  throw storeError("session-taken", {
    expected: `${basename(transcript)} to belong to no other conversation than ${key}`,
    found: `${other}, which goes on in it`,
    todo: "Leave --session-key out; two conversations in one transcript would mix. Nothing was changed.",
  });
}

/**
 * Lets the conversation `key` go on in `transcript`, under OpenClaw's lock of the index; the rest of its entry stays.
 */
export function assign(index: SessionIndex, key: string, transcript: string): void {
  change(index, transcript, key, (current) => {
    assertAssignable(current, key, transcript);
    return { sessionId: sessionIdOf(transcript), sessionFile: transcript };
  });
}

/**
 * Tells OpenClaw that the conversation `key` is in use, so that its daily reset does not begin a new session with the
 * next message.
 */
export function freshen(index: SessionIndex, key: string, transcript: string): void {
  change(index, transcript, key, () => ({}));
}

function change(index: SessionIndex, transcript: string, key: string, fields: (current: SessionIndex) => Entry): void {
  withLock(index.file, INDEX_PATIENCE_MS, () => {
    // Read again: OpenClaw may have written it since.
    const current = readIndex(transcript) ?? index;
    const changed = fields(current);
    const entry = current.entries[key];
    // OpenClaw has deleted the conversation meanwhile.
    if (!isObject(entry)) return;
    const now = Date.now();
    // An entry that looks old would be given a new session by OpenClaw's daily reset with the next message.
    const times = { updatedAt: now, ...(entry["sessionStartedAt"] === undefined ? {} : { sessionStartedAt: now }) };
    const next = { ...entry, ...changed, ...times };
    putFile(
      index.file,
      JSON.stringify({ ...current.entries, [key]: next }, null, 2),
      readContent(index.file)?.mode ?? 0o600,
    );
  });
}

/**
 * The id of the session that is stored in a file: `<id>.jsonl`, or `<id>-topic-<thread>.jsonl` for a thread of a group.
 */
export function sessionIdOf(transcript: string): string {
  const name = basename(transcript);
  if (!name.endsWith(".jsonl")) return name;
  const id = name.slice(0, -".jsonl".length);
  const topic = id.indexOf("-topic-");
  return topic < 0 || topic + "-topic-".length === id.length ? id : id.slice(0, topic);
}

/** The path of a file that may not exist, with no symbolic link on the way to it. */
function realPath(file: string): string {
  try {
    return join(realpathSync(dirname(file)), basename(file));
  } catch {
    return file;
  }
}

function unreadable(file: string, found: string): Error {
  return storeError("store-unreadable", {
    expected: `OpenClaw's list of sessions in ${file}`,
    found,
    todo: "Let OpenClaw repair it (openclaw doctor) or move it away, and run it again; nothing was changed.",
  });
}
