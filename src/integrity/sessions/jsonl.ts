import { dirname, resolve } from "node:path";
import { createFile, makeFolder } from "../../base/files/index.ts";
import { copyTranscript } from "../../store/archives/archive-copy.ts";
import { callsIn } from "../../store/checkpoints/calls-behind.ts";
import { branchPoint, commonLength, contextPath, messagesIn } from "../../store/sessions/context-path.ts";
import { newEntryId } from "../../store/sessions/entry-id.ts";
import { unlessRefused } from "../../store/archives/durable-file.ts";
import { hasCode, storeError, StoreError } from "../../store/errors.ts";
import { withLock } from "../../store/openclaw/openclaw-lock.ts";
import { writeNote } from "../../store/checkpoints/rollback.ts";
import { parseSessionId } from "../../store/sessions/session-index.ts";
import { NOTE_TYPE } from "../../store/sessions/stored-session.ts";
import { TranscriptFile } from "../../store/sessions/transcript-file.ts";
import { MORE_TO_COME, type Place } from "../../store/sessions/transcript-tree.ts";
import type { JsonObject } from "../../transcript/json/json.ts";
import { cycleMessages } from "../messages/cycle-messages.ts";
import { assertFormat, assertMessages, assertOptions, badInput, describeKind } from "../base/bad-input.ts";
import { storedFormat } from "./stored-format.ts";
import type { LeafTarget, Session, SessionPath } from "../base/session.ts";
import type { CycleCall, MessageFormat, ToolResultContent } from "../base/types.ts";
import { refusedByDisk } from "../../base/file-trouble.ts";

/** Options of a JSONL session. */
export interface JsonlSessionOptions {
  /** The format of the messages; by default that of the file: Anthropic's when it was created so, else OpenClaw's. */
  readonly format?: MessageFormat | undefined;
  /** The session's id in the journal; by default that of its file, `<id>.jsonl`, as OpenClaw names files. */
  readonly id?: string | undefined;
}

/** Options of a new JSONL session. The format has no default: a wrong one would rewrite every message later. */
export interface NewJsonlSessionOptions extends JsonlSessionOptions {
  /** The form in which the program appends messages. */
  readonly format: MessageFormat;
}

/**
 * A session in a JSONL file, in OpenClaw's format until 2026.7: a header, then one row for each entry of a tree. Rows
 * are only appended, each change in one write that is on the disk when the method resolves; messages that were appended
 * together count only when all of them are present. The file may be larger than a string can be: it is read in chunks,
 * and only the messages of the active path are kept in memory. Each change takes OpenClaw's lock of the file. Throws
 * and rejects with StoreErrors (`session-missing`, `store-unreadable`, `session-busy`, `not-writable`), and with
 * IntegrityErrors `bad-input` for options that cannot be used, or a file that is clearly in another format.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { mkdtempSync, rmSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { JsonlSession } from "openclaw-integrity/integrity";
 *
 * const folder = mkdtempSync(join(tmpdir(), "sessions-"));
 * const file = join(folder, "example.jsonl");
 * const session = JsonlSession.create(file, { format: "openclaw" });
 * await session.append([{ role: "user", content: "Hello", timestamp: Date.now() }]);
 * const { leafEntryId } = session;
 * await session.append([{ role: "user", content: "Forget that.", timestamp: Date.now() }]);
 * await session.moveLeaf({ leafEntryId, messageIndex: 1 }); // the second message stays in the file
 *
 * const again = new JsonlSession(file);
 * assert.equal(again.id, "example");
 * assert.deepEqual(again.messages, session.messages);
 * assert.equal(again.messages.length, 1);
 * rmSync(folder, { recursive: true });
 * ```
 */
export class JsonlSession implements Session {
  readonly id: string;
  readonly format: MessageFormat;
  readonly path: string;
  #file: TranscriptFile;
  #entries: readonly Place[] = [];
  #messages: readonly unknown[] = [];

  /** Opens an existing file. */
  constructor(file: string, options: JsonlSessionOptions = {}) {
    assertFile(file);
    assertOptions("JsonlSession", options);
    const { format, id } = options;
    if (format !== undefined) assertFormat(format);
    this.path = resolve(file);
    this.id = id ?? parseSessionId(this.path);
    this.#file = new TranscriptFile(this.path);
    this.#show();
    const { header } = this.#file;
    this.format = storedFormat(format, { path: this.path, header: header?.format, messages: this.#messages });
  }

  /**
   * Creates a file with nothing but a header. Throws a StoreError: `session-taken` when the file exists,
   * `not-writable`; and an IntegrityError `bad-input`.
   */
  static create(file: string, options: NewJsonlSessionOptions): JsonlSession {
    assertFile(file);
    assertOptions("JsonlSession.create", options);
    assertFormat(options?.format);
    const path = resolve(file);
    const header = {
      type: "session",
      version: 3,
      id: options.id ?? parseSessionId(path),
      timestamp: new Date().toISOString(),
      cwd: process.cwd(),
      // OpenClaw's own files have no such field.
      ...(options.format === "anthropic" && { format: options.format }),
    };
    writeNew(path, `${JSON.stringify(header)}\n`);
    return new JsonlSession(path, options);
  }

  /** Problems of the file, in sentences for a person; the file is usable despite them, and nothing of it is lost. */
  get problems(): readonly string[] {
    return this.#file.problems;
  }

  get messages(): readonly unknown[] {
    return this.#messages;
  }

  get leafEntryId(): string | null {
    return this.#file.tree.leafId;
  }

  get firstEntryId(): string | null {
    return this.#entries[0]?.id ?? null;
  }

  entryIdAt(messageIndex: number): string | undefined {
    return this.#entries[messageIndex]?.id;
  }

  readMessages({ firstEntryId, leafEntryId }: SessionPath): readonly unknown[] | undefined {
    if (leafEntryId === null) return [];
    const path = this.#file.tree.path(leafEntryId);
    const first = firstEntryId === null ? 0 : path.findIndex(({ id }) => id === firstEntryId);
    return path.length === 0 || first < 0 ? undefined : this.#read(messagesIn(path.slice(first)));
  }

  async append(messages: readonly unknown[]): Promise<void> {
    assertMessages(messages);
    this.#write(this.#rowsBehind(this.leafEntryId, messages));
  }

  async persistToolCycle(call: CycleCall, results: readonly ToolResultContent[]): Promise<void> {
    await this.append(cycleMessages(this, call, results));
  }

  /**
   * Appends a row behind the target, which makes it the leaf. When tools ran behind the target, the row tells the agent
   * so.
   */
  async moveLeaf({ leafEntryId }: LeafTarget): Promise<void> {
    if (leafEntryId !== null && this.#file.tree.place(leafEntryId) === undefined) {
      throw storeError("session-missing", {
        expected: `an entry ${leafEntryId} in ${this.path}`,
        found: "no such entry",
        todo: "Pass the id of an entry of this session. Nothing was changed.",
      });
    }
    const keptIds = new Set(this.#file.tree.path(leafEntryId).map(({ id }) => id));
    const leftRows = this.#file.tree.path().filter(({ id }) => !keptIds.has(id));
    const calls = callsIn(this.#file.readAll(leftRows.map(({ id }) => id)), []);
    const note = {
      type: "custom_message",
      customType: NOTE_TYPE,
      content: writeNote(calls),
      display: true,
      details: {},
    };
    const mark = { type: "custom", customType: NOTE_TYPE, data: {} };
    this.#write([this.#row(leafEntryId, calls.length > 0 ? note : mark)]);
  }

  async replaceMessages(messages: readonly unknown[]): Promise<void> {
    assertMessages(messages);
    // The unchanged beginning stays; the rest becomes a branch.
    const same = commonLength(messages, this.#messages);
    const { parentId, boundary } = branchPoint(this.#file.tree.path(), this.#entries, same);
    if (boundary) this.#write(this.#withBoundary(messages, this.#file.read(boundary.id)));
    else if (same === messages.length)
      this.#write([this.#row(parentId, { type: "custom", customType: NOTE_TYPE, data: {} })]);
    else this.#write(this.#rowsBehind(parentId, messages.slice(same)));
  }

  /** Copies the file beside itself, under a name that `openclaw-integrity sessions restore` accepts. */
  async archive(): Promise<string> {
    return copyTranscript(this.path);
  }

  async clear(keep: readonly unknown[]): Promise<void> {
    this.#write(
      keep.length === 0
        ? [this.#row(null, { type: "custom", customType: NOTE_TYPE, data: {} })]
        : this.#rowsBehind(null, keep),
    );
  }

  async reload(): Promise<void> {
    this.#file = new TranscriptFile(this.path);
    this.#show();
  }

  #write(rows: readonly JsonObject[]): void {
    if (rows.length === 0) return;
    withLock(this.path, 0, () => this.#file.append(rows));
    this.#show();
  }

  /**
   * Returns rows for a history that begins with a compaction: all of its messages, and behind them the compaction
   * again, which keeps them.
   */
  #withBoundary(messages: readonly unknown[], boundary: JsonObject): JsonObject[] {
    const rows = this.#rowsBehind(this.leafEntryId, messages, 1);
    const last = rows.at(-1)?.id;
    return [
      ...rows,
      this.#row(typeof last === "string" ? last : this.leafEntryId, { ...boundary, firstKeptEntryId: rows[0]?.id }),
    ];
  }

  /** Returns rows that count only together: a reader ignores them while the last one is missing. */
  #rowsBehind(parentId: string | null, messages: readonly unknown[], others = 0): JsonObject[] {
    let parent = parentId;
    return messages.map((message, at) => {
      const more = messages.length - 1 - at + others;
      const row = this.#row(parent, { type: "message", message, ...(more > 0 && { [MORE_TO_COME]: more }) });
      parent = row.id;
      return row;
    });
  }

  #row(parentId: string | null, fields: JsonObject): JsonObject & { readonly id: string } {
    const id = newEntryId((one) => this.#file.tree.place(one) !== undefined);
    return { ...fields, id, parentId, timestamp: new Date().toISOString() };
  }

  /** Reads the messages of the active path; unchanged messages stay the same objects. */
  #show(): void {
    const { tree } = this.#file;
    const entries = messagesIn(contextPath(tree.path(), ({ id }) => this.#file.read(id)));
    const same = commonLength(entries, this.#entries, (one, other) => one.id === other.id);
    this.#messages = [...this.#messages.slice(0, same), ...this.#read(entries.slice(same))];
    this.#entries = entries;
  }

  #read(entries: readonly Place[]): unknown[] {
    const messages: unknown[] = [];
    for (const { message } of this.#file.readAll(entries.map(({ id }) => id))) messages.push(message);
    return messages;
  }
}

function assertFile(file: unknown): void {
  if (typeof file === "string" && file !== "") return;
  throw badInput("the path of a file", describeKind(file), "Pass a path as a text.");
}

function writeNew(path: string, text: string): void {
  try {
    unlessRefused(path, () => makeFolder(dirname(path)));
    createFile(path, text);
  } catch (error) {
    if (error instanceof StoreError) throw error;
    if (hasCode(error, "EEXIST"))
      throw storeError("session-taken", {
        expected: `no file at ${path}`,
        found: "an existing file",
        todo: "Open that file, or choose another name. The file was not changed.",
      });
    throw storeError(
      "not-writable",
      refusedByDisk(error, {
        expected: `to write ${path}`,
        asOwner: "Make the folder writable.",
        ending: "Nothing was written.",
      }),
    );
  }
}
