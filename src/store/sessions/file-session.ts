import { basename } from "node:path";
import { newEntryId } from "./entry-id.ts";
import { storeError } from "../errors.ts";
import { assertUnlocked, withLock } from "../openclaw/openclaw-lock.ts";
import { forkFile } from "./fork-file.ts";
import type { Forked } from "./forked.ts";
import type { SessionCoordinates } from "./session-coordinates.ts";
import { assertAssignable, assign, freshen, readIndex, transcriptOfEntry } from "./session-index.ts";
import { NOTE_TYPE, type EntryReference, type MoveOptions, type Note, type StoredSession } from "./stored-session.ts";
import { TranscriptFile } from "./transcript-file.ts";
import type { JsonObject } from "../../transcript/json/json.ts";

/**
 * A session in a JSONL transcript (to 2026.7). Existing lines are never changed; a note is appended as one more line.
 */
export class FileSession implements StoredSession {
  readonly kind = "file";
  readonly agentId: string;
  readonly sessionId: string;
  readonly sessionKey: string | undefined;
  readonly place: string;
  readonly #file: TranscriptFile;

  /** Reads the transcript. Throws `session-missing` and `store-unreadable`. */
  constructor({ agentId, sessionId, sessionKey }: SessionCoordinates, transcript: string) {
    this.agentId = agentId;
    this.sessionId = sessionId;
    this.sessionKey = sessionKey;
    this.place = transcript;
    this.#file = new TranscriptFile(transcript);
  }

  get problems(): readonly string[] {
    return this.#file.problems;
  }

  get isCurrent(): boolean {
    return this.sessionKey !== undefined;
  }

  get leafEntryId(): string | null {
    return this.#file.tree.leafId;
  }

  has(entryId: string): boolean {
    return this.#file.tree.place(entryId) !== undefined;
  }

  path(toEntryId?: string | null): readonly EntryReference[] {
    return this.#file.tree.path(toEntryId);
  }

  read(entries: readonly EntryReference[]): Iterable<JsonObject> {
    return this.#file.readAll(entries.map(({ id }) => id));
  }

  assertIdle(): void {
    assertUnlocked(this.place);
  }

  async goOnFrom(
    toEntryId: string | null,
    { text, details, customType = NOTE_TYPE }: Note,
    { sessionKey }: MoveOptions = {},
  ): Promise<string> {
    const id = newEntryId((one) => this.has(one));
    const row = {
      type: "custom_message",
      customType,
      content: text,
      display: true,
      details,
      id,
      parentId: toEntryId,
      timestamp: new Date().toISOString(),
    };
    withLock(this.place, 0, () => {
      this.#useFor(sessionKey ?? this.sessionKey);
      this.#file.append([row]);
    });
    return id;
  }

  async forkAt(toEntryId: string, { customType = NOTE_TYPE, ...note }: Note, label: string): Promise<Forked> {
    this.assertIdle();
    const { agentId, sessionKey, place: transcript } = this;
    const rows = this.read(this.path(toEntryId));
    return forkFile(
      { agentId, transcript, sessionKey, header: this.#file.header, rows },
      { ...note, customType },
      label,
    );
  }

  /** Does nothing: a JSONL transcript has no index. */
  async settle(): Promise<void> {}

  /**
   * Updates sessions.json before the transcript: a kill in between leaves a conversation that is marked as used and
   * otherwise unchanged.
   */
  #useFor(key: string | undefined): void {
    const index = readIndex(this.place);
    if (key === undefined || index === undefined) return;
    if (key === this.sessionKey) return freshen(index, key, this.place);
    assertAssignable(index, key, this.place);
    // No turn may be running in the conversation's present session.
    const current = transcriptOfEntry(index, index.entries[key]);
    if (current !== undefined) assertUnlocked(current);
    assign(index, key, this.place);
  }
}

/** Throws `session-left` when the session is no conversation's current one and no conversation is named for it. */
export function assertInUse(session: StoredSession, sessionKey: string | undefined): void {
  if (session.kind === "rows" || session.isCurrent || sessionKey !== undefined) return;
  throw storeError("session-left", {
    expected: `a conversation that continues in ${basename(session.place)}`,
    found: "none: OpenClaw has begun a new session for it since (/new, the daily reset)",
    todo: "Name the conversation that is to continue in it with --session-key <key>. Nothing was changed.",
  });
}
