import type { JsonObject } from "../../transcript/json/json.ts";
import { goTo } from "../openclaw/append-entry.ts";
import { describeError, storeError, StoreError } from "../errors.ts";
import { assertIdle } from "../openclaw/idle.ts";
import type { OpenClawSession, OpenClawSessions, SessionTarget, SessionWriter } from "../openclaw/openclaw-sessions.ts";
import { forkRows } from "./fork-rows.ts";
import type { Forked } from "./forked.ts";
import { NOTE_TYPE, type EntryReference, type MoveOptions, type Note, type StoredSession } from "./stored-session.ts";
import { whenIndexed } from "../openclaw/when-indexed.ts";

/** A session in OpenClaw's database (since 2026.8), read and written by OpenClaw itself. */
export class RowSession implements StoredSession {
  readonly kind = "rows";
  readonly agentId: string;
  readonly sessionKey: string;
  readonly place: string;
  readonly problems: readonly string[] = [];
  #sessionId: string;
  #session: OpenClawSession;
  readonly #openclaw: OpenClawSessions;
  readonly #storePath: string;

  /** Reads the session. Throws what OpenClaw throws. */
  constructor(openclaw: OpenClawSessions, target: SessionTarget) {
    this.#openclaw = openclaw;
    this.agentId = target.agentId;
    this.sessionKey = target.sessionKey;
    this.#storePath = target.storePath;
    this.#sessionId = target.sessionId;
    this.place = `session ${target.sessionId} of ${target.sessionKey}`;
    this.#session = openclaw.open(target);
  }

  /** Changes when `goOnFrom` has to copy the conversation into a new session. */
  get sessionId(): string {
    return this.#sessionId;
  }

  get isCurrent(): boolean {
    return this.#openclaw.getSessionEntry(this.#key)?.sessionId === this.sessionId;
  }

  get leafEntryId(): string | null {
    return this.#session.getLeafId();
  }

  has(entryId: string): boolean {
    return this.#session.getEntry(entryId) !== undefined;
  }

  path(toEntryId: string | null = this.leafEntryId): readonly EntryReference[] {
    return toEntryId === null || !this.has(toEntryId) ? [] : this.#session.getBranch(toEntryId);
  }

  *read(entries: readonly EntryReference[]): Generator<JsonObject> {
    for (const { id } of entries) {
      const entry = this.#session.getEntry(id);
      if (entry !== undefined) yield { ...entry };
    }
  }

  assertIdle({ force = false }: MoveOptions = {}): void {
    if (!force) assertIdle(this.#openclaw, this.#key);
  }

  async goOnFrom(
    toEntryId: string | null,
    { text, details, customType = NOTE_TYPE }: Note,
    options: MoveOptions = {},
  ): Promise<string> {
    this.assertIdle(options);
    try {
      await this.#openclaw.patchSessionEntry({ ...this.#key, skipMaintenance: true, update: () => this.#inUse() });
      const write = (writer: SessionWriter): string => writer.appendCustomMessageEntry(customType, text, true, details);
      const id = await (this.#isFenced(toEntryId) ? this.#copyTo(toEntryId, write) : this.#branchTo(toEntryId, write));
      await whenIndexed(this.#openclaw, this.#target);
      this.#session = this.#openclaw.open(this.#target);
      return id;
    } catch (error) {
      throw toStoreError(error, `let ${this.sessionKey} continue from entry ${toEntryId ?? "(the beginning)"}`);
    }
  }

  async forkAt(
    toEntryId: string,
    { customType = NOTE_TYPE, ...note }: Note,
    label: string,
    options: MoveOptions = {},
  ): Promise<Forked> {
    this.assertIdle(options);
    try {
      const source = { session: this.#session, target: this.#target };
      return await forkRows(this.#openclaw, source, toEntryId, { ...note, customType }, label);
    } catch (error) {
      throw toStoreError(error, `copy ${this.sessionKey} up to entry ${toEntryId} into a new session`);
    }
  }

  async settle(): Promise<void> {
    await whenIndexed(this.#openclaw, this.#target);
  }

  get #key(): Omit<SessionTarget, "sessionId"> {
    return { agentId: this.agentId, sessionKey: this.sessionKey, storePath: this.#storePath };
  }

  get #target(): SessionTarget {
    return { ...this.#key, sessionId: this.sessionId };
  }

  /**
   * Fields that mark the conversation as used now: OpenClaw's daily reset gives an older one a new session with its
   * next message.
   */
  #inUse(): {
    readonly sessionId: string;
    readonly updatedAt: number;
    readonly sessionStartedAt: number;
    readonly lastInteractionAt: number;
  } {
    const now = Date.now();
    return { sessionId: this.sessionId, updatedAt: now, sessionStartedAt: now, lastInteractionAt: now };
  }

  /** Whether the last reset is not on the path to the entry: OpenClaw does not let a session go back behind a reset. */
  #isFenced(toEntryId: string | null): boolean {
    const reset = this.#session.getEntries().findLast(({ type }) => type === "reset");
    return reset !== undefined && !this.path(toEntryId).some(({ id }) => id === reset.id);
  }

  /** Appends in one transaction, which fails when somebody else has written meanwhile (in 2026.8, as one row). */
  async #branchTo(toEntryId: string | null, write: (writer: SessionWriter) => string): Promise<string> {
    const rewrite = this.#session.prepareTranscriptRewrite?.();
    const writer = rewrite?.sessionManager ?? this.#session;
    goTo(writer, toEntryId);
    const id = write(writer);
    rewrite?.commit(new Map());
    return id;
  }

  /** Copies the path into a new session, which becomes the conversation's current one, and appends there. */
  async #copyTo(toEntryId: string | null, write: (writer: SessionWriter) => string): Promise<string> {
    if (toEntryId === null)
      throw new Error(
        "a later reset, behind which OpenClaw does not go back to before the first message (/new begins a new " +
          "conversation)",
      );
    await this.#session.createBranchedSession(toEntryId);
    this.#sessionId = this.#openclaw.getSessionEntry(this.#key)?.sessionId ?? this.sessionId;
    this.#session = this.#openclaw.open(this.#target);
    return write(this.#session);
  }
}

function toStoreError(error: unknown, what: string): StoreError {
  if (error instanceof StoreError) return error;
  return storeError("openclaw-failed", {
    expected: `OpenClaw to ${what} in its own database`,
    found: describeError(error),
    todo:
      "Nothing was deleted: all rows are still there. Run it again; if that does not help, stop OpenClaw's " +
      "gateway first.",
    cause: error,
  });
}
