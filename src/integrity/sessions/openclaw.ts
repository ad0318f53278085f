import { goTo } from "../../store/openclaw/append-entry.ts";
import { callsIn } from "../../store/checkpoints/calls-behind.ts";
import { branchPoint, commonLength, contextPath, messagesIn } from "../../store/sessions/context-path.ts";
import { describeError, storeError, StoreError } from "../../store/errors.ts";
import { archivePath } from "../../store/archives/manifest.ts";
import {
  loadOpenClawSessions,
  type OpenClawSession as Manager,
  type OpenClawSessions,
  type SessionTarget,
  type TreeEntry,
} from "../../store/openclaw/openclaw-sessions.ts";
import { loadTransactions, type Atomically } from "../../store/openclaw/openclaw-transaction.ts";
import { writeNote } from "../../store/checkpoints/rollback.ts";
import { findSessionTarget } from "../../store/sessions/row-store.ts";
import { NOTE_TYPE } from "../../store/sessions/stored-session.ts";
import { whenIndexed } from "../../store/openclaw/when-indexed.ts";
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { plainCopy } from "../../transcript/json/plain.ts";
import { cycleMessages } from "../messages/cycle-messages.ts";
import { assertMessages } from "../base/bad-input.ts";
import type { LeafTarget, Session, SessionPath } from "../base/session.ts";
import type { CycleCall, ToolResultContent } from "../base/types.ts";

/** Selects a session of an OpenClaw. */
export interface OpenClawSessionOptions {
  /** The package folder of OpenClaw 2026.9. */
  readonly root: string;
  readonly stateDirectory: string;
  /** A session id, or the session key of a conversation, which selects its current session. */
  readonly session: string;
  readonly agentId?: string;
}

type Entry = TreeEntry & JsonObject;

/**
 * A session of OpenClaw 2026.9. OpenClaw's own code is loaded into this process and reads and writes it: each change is
 * one transaction in OpenClaw's database, and nothing is deleted. A gateway may run meanwhile as long as the session is
 * idle. Rejects with StoreErrors (`session-missing`, `openclaw-unfit`, `openclaw-failed`).
 *
 * @example
 * Needs an installed OpenClaw and its sessions.
 * ```ts no-run
 * import assert from "node:assert/strict";
 * import { createSessionIntegrity, OpenClawSession, openJournalOrMemory } from "openclaw-integrity/integrity";
 *
 * const journal = openJournalOrMemory("/home/me/.openclaw/openclaw-integrity.sqlite");
 * const session = await OpenClawSession.open({
 *   root: "/usr/lib/node_modules/openclaw",
 *   stateDirectory: "/home/me/.openclaw",
 *   session: "agent:main:main",
 * });
 * const integrity = createSessionIntegrity({ journal });
 * await integrity.repair(session);
 * assert.equal(integrity.validate(session).valid, true);
 * journal.close();
 * ```
 */
export class OpenClawSession implements Session {
  readonly format = "openclaw";
  readonly #openclaw: OpenClawSessions;
  readonly #atomically: Atomically;
  readonly #target: SessionTarget;
  readonly #stateDirectory: string;
  #manager: Manager;
  #entries: readonly Entry[] = [];
  #messages: readonly unknown[] = [];

  private constructor(
    openclaw: OpenClawSessions,
    atomically: Atomically,
    target: SessionTarget,
    stateDirectory: string,
  ) {
    this.#openclaw = openclaw;
    this.#atomically = atomically;
    this.#target = target;
    this.#stateDirectory = stateDirectory;
    this.#manager = this.#read();
  }

  static async open({ root, stateDirectory, session, agentId }: OpenClawSessionOptions): Promise<OpenClawSession> {
    const openclaw = await loadOpenClawSessions(root, stateDirectory);
    const target = findSessionTarget(openclaw, stateDirectory, session, agentId);
    if (target === undefined) {
      throw storeError("session-missing", {
        expected: `a session or conversation ${session} in ${stateDirectory}`,
        found: "none with this id or key",
        todo: "Correct the id, or pass the state directory of the OpenClaw that has the session.",
      });
    }
    return new OpenClawSession(openclaw, await loadTransactions(root), target, stateDirectory);
  }

  get id(): string {
    return this.#target.sessionId;
  }

  get messages(): readonly unknown[] {
    return this.#messages;
  }

  get leafEntryId(): string | null {
    return this.#manager.getLeafId();
  }

  get firstEntryId(): string | null {
    return this.#entries[0]?.id ?? null;
  }

  entryIdAt(messageIndex: number): string | undefined {
    return this.#entries[messageIndex]?.id;
  }

  readMessages({ firstEntryId, leafEntryId }: SessionPath): readonly unknown[] | undefined {
    if (leafEntryId === null) return [];
    const path = this.#manager.getEntry(leafEntryId) === undefined ? [] : this.#path(leafEntryId);
    const first = firstEntryId === null ? 0 : path.findIndex(({ id }) => id === firstEntryId);
    return path.length === 0 || first < 0 ? undefined : messagesIn(path.slice(first)).map(({ message }) => message);
  }

  async append(messages: readonly unknown[]): Promise<void> {
    assertMessages(messages);
    await this.#change((manager) => {
      for (const message of messages) appendMessage(manager, message);
    });
  }

  async persistToolCycle(call: CycleCall, results: readonly ToolResultContent[]): Promise<void> {
    await this.append(cycleMessages(this, call, results));
  }

  /**
   * Appends an entry behind the target, which makes it the leaf. When tools ran behind the target, the entry tells the
   * agent so.
   */
  async moveLeaf({ leafEntryId }: LeafTarget): Promise<void> {
    const keptIds = new Set(leafEntryId === null ? [] : this.#path(leafEntryId).map(({ id }) => id));
    const calls = callsIn(
      this.#path().filter(({ id }) => !keptIds.has(id)),
      [],
    );
    await this.#change((manager) => {
      goTo(manager, leafEntryId);
      if (calls.length > 0) manager.appendCustomMessageEntry(NOTE_TYPE, writeNote(calls), true, {});
      else manager.appendCustomEntry(NOTE_TYPE, {});
    });
  }

  async replaceMessages(messages: readonly unknown[]): Promise<void> {
    // The unchanged beginning stays; the rest becomes a branch.
    const same = commonLength(messages, this.#messages);
    const { parentId, boundary } = branchPoint(this.#path(), this.#entries, same);
    if (boundary) await this.#branch(this.leafEntryId, messages, boundary);
    else await this.#branch(parentId, messages.slice(same));
  }

  /**
   * Writes a file in `integrity-archives` of the state directory that names the last entry: the rows stay where they
   * are.
   */
  async archive(): Promise<string> {
    return archivePath(this.#stateDirectory, this.#target, this.#path());
  }

  async clear(keep: readonly unknown[]): Promise<void> {
    await this.#branch(null, keep);
  }

  async reload(): Promise<void> {
    this.#manager = this.#read();
  }

  /**
   * Appends messages as a branch. `boundary` is the compaction or reset that precedes the messages, to be appended
   * behind them again.
   */
  async #branch(parentId: string | null, messages: readonly unknown[], boundary?: Entry): Promise<void> {
    await this.#change((manager) => {
      goTo(manager, parentId);
      if (messages.length === 0 && !boundary) manager.appendCustomEntry(NOTE_TYPE, {});
      let leaf = parentId;
      let first: string | undefined;
      for (const message of messages) {
        // Set before each message: on a branch OpenClaw would look up the leaf in an index that is outdated by then.
        goTo(manager, leaf);
        leaf = appendMessage(manager, message);
        first ??= leaf;
      }
      if (!boundary) return;
      goTo(manager, leaf);
      appendBoundary(manager, boundary, first);
    });
  }

  /** Runs a change on a new session manager in one transaction; then reads the session again. */
  async #change(work: (manager: Manager) => void): Promise<void> {
    try {
      const manager = this.#openclaw.open(this.#target);
      await this.#atomically(this.#target.agentId, () => work(manager));
      await whenIndexed(this.#openclaw, this.#target);
    } catch (error) {
      if (error instanceof StoreError) throw error;
      throw storeError("openclaw-failed", {
        expected: `OpenClaw to change session ${this.id} in its own database`,
        found: describeError(error),
        todo:
          "Nothing was changed. Read the session again (reload) and try once more; if that does not help, stop " +
          "OpenClaw's gateway first.",
        cause: error,
      });
    }
    this.#manager = this.#read();
  }

  /** Reads the messages of the active path; unchanged messages stay the same objects. */
  #read(): Manager {
    const manager = this.#openclaw.open(this.#target);
    const path = manager.getBranch() as readonly Entry[];
    const entries = messagesIn(contextPath(path, (entry) => entry));
    const same = commonLength(entries, this.#entries, (one, other) => one.id === other.id);
    this.#messages = [...this.#messages.slice(0, same), ...entries.slice(same).map(({ message }) => message)];
    this.#entries = entries;
    return manager;
  }

  #path(toId?: string): readonly Entry[] {
    return this.#manager.getBranch(toId) as readonly Entry[];
  }
}

function appendBoundary(
  manager: Manager,
  { type, reason, summary, tokensBefore, details, fromHook, __openclaw: identity, tokensAfter }: Entry,
  first: string | undefined,
): void {
  if (type === "reset") manager.appendResetBoundary(String(reason), first);
  else manager.appendCompaction(summary, first, tokensBefore, details, fromHook, identity, tokensAfter);
}

function appendMessage(manager: Manager, message: unknown): string {
  // OpenClaw may change the message object that it stores.
  return manager.appendMessage(isObject(message) ? plainCopy(message) : message, {
    idempotencyLookup: "caller-checked",
  });
}
