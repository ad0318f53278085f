/**
 * Reads and changes `sessions.json`, which assigns a session, and so a transcript, to each conversation (to 2026.7).
 */
import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { readContent } from "../archives/archive-file.ts";
import { isObject } from "../../transcript/json/json.ts";
import { putFile } from "../archives/durable-file.ts";
import { describeError, storeError } from "../errors.ts";
import { withLock } from "../openclaw/openclaw-lock.ts";

type Entry = Readonly<Record<string, unknown>>;

/** OpenClaw waits this long for the lock too, and holds it only for moments. */
const INDEX_TIMEOUT_MS = 10_000;

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
    throw unreadable(file, describeError(error), error);
  }
  throw unreadable(file, "a value that is not an object");
}

/** Path of the transcript that an index entry names directly or by its session id. */
export function transcriptOfEntry({ file }: SessionIndex, entry: unknown): string | undefined {
  if (!isObject(entry)) return undefined;
  const { sessionFile, sessionId } = entry;
  if (typeof sessionFile === "string" && sessionFile.trim() !== "") return resolve(dirname(file), sessionFile.trim());
  return typeof sessionId === "string" ? join(dirname(file), `${sessionId}.jsonl`) : undefined;
}

/** Keys of the conversations that continue in this transcript. */
export function conversationKeys(index: SessionIndex, transcript: string): readonly string[] {
  const transcriptPath = realPath(transcript);
  return Object.keys(index.entries).filter((key) => {
    const named = transcriptOfEntry(index, index.entries[key]);
    return named !== undefined && realPath(named) === transcriptPath;
  });
}

/**
 * Throws when the conversation `key` cannot continue in `transcript`: `session-missing` when there is no such
 * conversation, `session-taken` when another one continues in it.
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
  const otherKey = conversationKeys(index, transcript).find((taken) => taken !== key);
  if (otherKey === undefined) return;
  throw storeError("session-taken", {
    expected: `${basename(transcript)} to belong to no other conversation than ${key}`,
    found: `${otherKey}, which continues in it`,
    todo: "Leave --session-key out; two conversations in one transcript would mix. Nothing was changed.",
  });
}

/**
 * Assigns `transcript` to the conversation `key` and marks it as used now, under OpenClaw's lock of the index; other
 * fields of its entry stay. Throws as {@link assertAssignable}, and `session-busy`, `store-unreadable`, `not-writable`
 * or `unsafe-path`.
 */
export function assign(index: SessionIndex, key: string, transcript: string): void {
  change(index, transcript, key, (current) => {
    assertAssignable(current, key, transcript);
    return { sessionId: parseSessionId(transcript), sessionFile: transcript };
  });
}

/**
 * Adds a new conversation that continues in `transcript`, with more fields of its entry, under OpenClaw's lock of the
 * index. Throws `session-busy`, `store-unreadable`, `not-writable` or `unsafe-path`.
 */
export function addConversation(
  { file }: SessionIndex,
  key: string,
  transcript: string,
  fields: Readonly<Record<string, unknown>>,
): void {
  withLock(file, INDEX_TIMEOUT_MS, () => {
    const entries = readIndex(transcript)?.entries ?? {};
    const entry = { ...fields, sessionId: parseSessionId(transcript), sessionFile: transcript, updatedAt: Date.now() };
    putFile(file, JSON.stringify({ ...entries, [key]: entry }, null, 2), readContent(file)?.mode ?? 0o600);
  });
}

/**
 * Marks the conversation `key` as used now, so that OpenClaw's daily reset does not begin a new session with the next
 * message. Changes nothing where OpenClaw has deleted the conversation. Throws as {@link addConversation}.
 */
export function freshen(index: SessionIndex, key: string, transcript: string): void {
  change(index, transcript, key, () => ({}));
}

function change(index: SessionIndex, transcript: string, key: string, fields: (current: SessionIndex) => Entry): void {
  withLock(index.file, INDEX_TIMEOUT_MS, () => {
    // Read again under the lock, because OpenClaw may have written the file since.
    const current = readIndex(transcript) ?? index;
    const changed = fields(current);
    const entry = current.entries[key];
    // OpenClaw has deleted the conversation meanwhile.
    if (!isObject(entry)) return;
    const now = Date.now();
    // OpenClaw's daily reset gives an old entry a new session with the next message.
    const times = { updatedAt: now, ...(entry["sessionStartedAt"] === undefined ? {} : { sessionStartedAt: now }) };
    const next = { ...entry, ...changed, ...times };
    putFile(
      index.file,
      JSON.stringify({ ...current.entries, [key]: next }, null, 2),
      readContent(index.file)?.mode ?? 0o600,
    );
  });
}

/** The session id in the name of a transcript: `<id>.jsonl`, or `<id>-topic-<thread>.jsonl` for a thread of a group. */
export function parseSessionId(transcript: string): string {
  const name = basename(transcript);
  if (!name.endsWith(".jsonl")) return name;
  const id = name.slice(0, -".jsonl".length);
  const topic = id.indexOf("-topic-");
  return topic < 0 || topic + "-topic-".length === id.length ? id : id.slice(0, topic);
}

/** Resolves the links in the folder's path; the file itself need not exist. */
function realPath(file: string): string {
  try {
    return join(realpathSync(dirname(file)), basename(file));
  } catch {
    return file;
  }
}

function unreadable(file: string, found: string, cause: unknown = new Error(found)): Error {
  return storeError("store-unreadable", {
    expected: `OpenClaw's list of sessions in ${file}`,
    found,
    todo: "Let OpenClaw repair it (openclaw doctor) or move it away, and run it again; nothing was changed.",
    cause,
  });
}
