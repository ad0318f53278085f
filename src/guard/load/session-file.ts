import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";
import { basename } from "node:path";
import { describeError } from "../../base/coded-error.ts";
import { resolvePlace } from "../../base/files/index.ts";
import { putFile } from "../../store/archives/durable-file.ts";
import { removeSuperseded } from "../../store/archives/superseded-archives.ts";
import { parseRows } from "../../store/catalog/parse-rows.ts";
import { type Line, readLines } from "../../store/read-lines.ts";
import { linkReplies, type RowLine } from "../../store/sessions/own-replies.ts";
import { findHeader, isLostRow, isTreeRow, isUnlinkedReply, repairEntries } from "../../transcript/entries.ts";
import { isObject, type JsonObject, parsedJson, toJson } from "../../transcript/json/json.ts";
import { isReadableMessage } from "../../transcript/readable.ts";
import { keepTranscript } from "../base/archive.ts";
import { logFailure, logLine } from "../base/log.ts";
import { KeptMessages } from "../base/kept-messages.ts";
import { type CheckedFile, fileMemory } from "../base/memory.ts";
import { computeChecksum } from "./checksum.ts";
import { isBegunAnew, withCutBeginning } from "./cut-beginning.ts";
import { leaveRoom } from "./leave-room.ts";
import { MAX_TRANSCRIPT_BYTES, shortenTranscript } from "./oversized-file.ts";
import { isEnabled } from "../base/switch.ts";
import { holdUnanswered } from "../history/unanswered.ts";

const LINE_FEED = 10;
const { O_WRONLY, O_APPEND, O_NOFOLLOW = 0 } = constants;

/**
 * Repairs a JSONL transcript before OpenClaw 2026.2 opens it. That release empties a file without a header, throws on
 * foreign rows, loses the beginning of a tree that is not connected, loses an unended last line with the next append,
 * and cannot read a file larger than a string can be. Such a file is first archived as `<file>.integrity-<hash>.bak`,
 * then replaced by one that loads with all its messages (with the last ones, where it is too large). A file in which no
 * line is JSON is only archived: OpenClaw writes a new session over it. A missing line feed at the end is only
 * appended, and a reply of OpenClaw's own at the end only gets its parent. A valid file is not written. Never throws.
 * Where the file is opened for an attempt at a turn, `attempt` is what OpenClaw passes to the attempt.
 */
export async function repairSessionFile(sessionFile: string, attempt?: unknown): Promise<void> {
  if (!isEnabled()) return;
  try {
    await makeSound(sessionFile);
    holdUnanswered(sessionFile);
  } catch (error) {
    logUnchanged(error);
  }
  // No repair: uses the sizes that the check has just counted. Throws nothing.
  leaveRoom(sessionFile, attempt);
}

function logUnchanged(error: unknown): void {
  if (isObject(error) && error.code === "ENOENT") return;
  // The error's message is about the path only, so that it may be logged.
  if (isObject(error) && error.code === "unsafe-path")
    return logLine(`session load: ${describeError(error)} The transcript file is not changed.`);
  logFailure("session load", error, "the transcript file is not changed");
}

async function makeSound(sessionFile: string): Promise<void> {
  await endLastLine(sessionFile);
  if (await checkNewRows(sessionFile)) return;
  if ((await stat(sessionFile)).size > MAX_TRANSCRIPT_BYTES) {
    shortenTranscript(sessionFile);
    if (await checkNewRows(sessionFile)) return;
  }
  await replace(sessionFile);
}

/**
 * Appends the line feed that a kill has cut off. OpenClaw reads a complete row without its line feed, but appends the
 * next row to the same line. Both rows are lost then, and since later rows name the lost one as their parent, all rows
 * before it too. An incomplete row cannot be read in any case.
 */
async function endLastLine(file: string): Promise<void> {
  const handle = await open(file, "r");
  try {
    const { size } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(1), 0, 1, Math.max(size - 1, 0));
    if (size === 0 || bytesRead === 0 || buffer[0] === LINE_FEED) return;
  } finally {
    await handle.close();
  }
  const ending = await open(resolvePlace(file, { shared: "allow" }).path, O_WRONLY | O_APPEND | O_NOFOLLOW);
  await ending.appendFile("\n").finally(() => ending.close());
  logLine("session load: the last line of the transcript had no line feed; it was added");
}

/**
 * Checks row by row what was added since the last check, and remembers it. Replies of OpenClaw's own at the end get
 * their parents, which writes to the file. False where the file has to be replaced.
 */
async function checkNewRows(file: string): Promise<boolean> {
  const handle = await open(file, "r");
  try {
    const { size } = await handle.stat();
    if (size > MAX_TRANSCRIPT_BYTES) return false;
    const memory = fileMemory(file);
    const known = isBeginning(handle.fd, size, memory.checked) ? memory.checked : undefined;
    if (!known) {
      memory.readings = (memory.readings ?? 0) + 1;
      // Whoever has changed the file may have left no answer in it.
      delete memory.isAnswered;
    }
    const start = known?.size ?? 0;
    if (size === start) return size > 0;
    const rows = new Rows(known);
    delete memory.checked;
    if (!rows.read(readLines(handle.fd, start, size), start === 0 ? file : undefined)) return false;
    const end = rows.link(file, size);
    if (end === undefined) return false;
    const { ids, aside, last, kept } = rows;
    memory.checked = {
      size: end,
      ids,
      aside,
      last,
      kept,
      checksum: computeChecksum(handle.fd, start, end, known?.checksum),
    };
    return true;
  } finally {
    await handle.close();
  }
}

/** True when a file of this size still begins with what was checked, byte for byte. */
function isBeginning(handle: number, size: number, checked: CheckedFile | undefined): boolean {
  return checked !== undefined && size >= checked.size && computeChecksum(handle, 0, checked.size) === checked.checksum;
}

/** The rows of a transcript up to some place, read in their order. */
class Rows {
  /** Ids of the rows of the tree. */
  readonly ids: Set<unknown>;
  /** Ids of OpenClaw's own replies without a parent, which no row may name. */
  readonly aside: Set<unknown>;
  /** Id of the last row of the tree. */
  last: unknown;
  /** The last messages, which a compaction keeps. */
  readonly kept: KeptMessages;
  /** The unlinked replies that no row of the tree follows yet. */
  #replies: RowLine[] = [];

  constructor(known: CheckedFile | undefined) {
    this.ids = known?.ids ?? new Set();
    this.aside = known?.aside ?? new Set();
    this.last = known?.last;
    this.kept = known?.kept ?? new KeptMessages();
  }

  /**
   * Adds the rows of these lines. `file` where they are its lines from the first one on. False where a row cannot be
   * loaded: the file has to be replaced.
   */
  read(lines: Iterable<Line>, file: string | undefined): boolean {
    let first = file !== undefined;
    for (const line of lines) {
      const row = parsedJson(line.bytes.toString("utf8"));
      // OpenClaw itself skips lines that are no JSON.
      if (row === undefined) continue;
      if (first) {
        const header = findHeader([row]);
        if (header === undefined || isBegunAnew(file!, header)) return false;
        first = false;
        // Old versions have rows without ids, and OpenClaw updates them itself.
        if ((row as { version?: unknown }).version !== 3) return true;
        continue;
      }
      if (isLostRow(row)) return false;
      if (isTreeRow(row) && !this.#add(row, line)) return false;
    }
    // Lines of which none is JSON are no empty session.
    return !first;
  }

  #add(row: JsonObject, line: Line): boolean {
    const { id, parentId } = row;
    if (this.ids.has(id) || this.aside.has(id)) return false;
    if (row.type === "message") {
      if (!isReadableMessage(row.message)) return false;
      this.kept.add(row.message, line.bytes.length);
    }
    // Nothing stands before the first row of the tree that its missing parent could cut off.
    if (this.last !== undefined && isUnlinkedReply(row)) {
      this.aside.add(id);
      this.#replies.push({ row, line });
      return true;
    }
    if (parentId !== null && !this.ids.has(parentId) && !isUnlinkedReply(row)) return false;
    this.#replies = [];
    this.ids.add(id);
    this.last = id;
    return true;
  }

  /**
   * Gives the replies that end the file their parents. Returns the size of the file; undefined where that cannot be.
   */
  link(file: string, size: number): number | undefined {
    if (this.#replies.length === 0) return size;
    const end = linkReplies(file, this.#replies, this.last, size);
    if (end === undefined) return undefined;
    for (const { row } of this.#replies) {
      this.aside.delete(row.id);
      this.ids.add(row.id);
      this.last = row.id;
    }
    return end;
  }
}

async function replace(file: string): Promise<void> {
  const handle = await open(file, "r");
  const text = await handle.readFile("utf8").finally(() => handle.close());
  const { rows } = parseRows(text);
  if (rows.length === 0) return text.trim() === "" ? undefined : keepUnreadable(file);
  const whole = withCutBeginning(file, rows);
  const { entries, violations } = repairEntries(whole, {
    sessionId: basename(file).replace(/\.jsonl$/, ""),
    cwd: process.cwd(),
  });
  if (violations.length === 0 && whole === rows) return;
  const { mode } = await stat(file);
  // Throws for a link of another user, before anything is copied.
  resolvePlace(file, { shared: "allow" });
  const archive = keepTranscript(file);
  // "allow": no person is present who could tighten a shared folder's mode; symbolic links of other users are still not
  // followed.
  putFile(file, `${entries.map((row) => toJson(row)).join("\n")}\n`, mode, { shared: "allow" });
  const found = [...(whole === rows ? [] : ["cut off by a compaction"]), ...violations];
  logLine(`session load: ${found.join(", ")}; the transcript was kept as ${basename(archive)}`);
  const removed = removeSuperseded(file, archive);
  if (removed > 0) logLine(`session load: removed ${removed} older copies; all their rows are in the newest one`);
}

/** Keeps a file in which nothing can be read: OpenClaw 2026.2.3 takes it for empty and writes a new session over it. */
function keepUnreadable(file: string): void {
  // Throws for a link of another user, before anything is copied.
  resolvePlace(file, { shared: "allow" });
  const archive = keepTranscript(file);
  logLine(
    `session load: no line of the transcript is JSON; it was kept as ${basename(archive)}, and a new session begins`,
  );
}
