import { isJson, plainCopy } from "../../transcript/json/plain.ts";
import { cycleMessages } from "../messages/cycle-messages.ts";
import { assertFormat, assertId, assertMessages, badInput, describeKind } from "../base/bad-input.ts";
import { integrityError } from "../base/errors.ts";
import type { LeafTarget, Session, SessionPath } from "../base/session.ts";
import type { CycleCall, MessageFormat, ToolResultContent } from "../base/types.ts";

interface Entry {
  readonly id: string;
  readonly parentId: string | null;
  readonly message: unknown;
}

interface Stored {
  entries: Map<string, Entry>;
  leafEntryId: string | null;
}

/**
 * Storage for sessions in memory: a session object can be dropped and opened again, as with a disk.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { MemorySession, MemoryStore } from "openclaw-integrity/integrity";
 *
 * const store = new MemoryStore();
 * const session = new MemorySession({ id: "example", store, messages: [{ role: "user", content: "Hello" }] });
 * const archive = await session.archive();
 * await session.clear([]);
 * assert.deepEqual(new MemorySession({ id: "example", store }).messages, []);
 * assert.equal(store.archived(archive)?.length, 1);
 * assert.equal(store.everything("example").length, 1); // nothing that was stored is gone
 * ```
 */
export class MemoryStore {
  readonly #sessions = new Map<string, Stored>();
  readonly #archives = new Map<string, readonly unknown[]>();

  /** Returns the stored session; an empty one when nothing is stored. */
  load(id: string): Stored {
    return this.#sessions.get(id) ?? { entries: new Map(), leafEntryId: null };
  }

  save(id: string, stored: Stored): void {
    this.#sessions.set(id, stored);
  }

  /** Stores an archive; returns its name. */
  keep(id: string, messages: readonly unknown[]): string {
    const name = `memory:${id}#${this.#archives.size + 1}`;
    this.#archives.set(name, messages);
    return name;
  }

  /** Returns the messages of an archive; undefined when there is none of this name. */
  archived(name: string): readonly unknown[] | undefined {
    return this.#archives.get(name);
  }

  /** Returns every message of a session that was ever stored, on the active path or not. */
  everything(id: string): unknown[] {
    return [...this.load(id).entries.values()].map(({ message }) => message);
  }
}

/** Options of a session in memory. */
export interface MemorySessionOptions {
  id: string;
  /** `anthropic` by default. */
  format?: MessageFormat;
  /** The first messages, used when the store has no session of this id. */
  messages?: readonly unknown[];
  /** Where the session is stored; a store of its own by default. */
  store?: MemoryStore;
}

/**
 * A session in memory: for tests, and for programs that store their conversations themselves. Messages are copied when
 * they are passed in.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { MemorySession } from "openclaw-integrity/integrity";
 *
 * const session = new MemorySession({ id: "example", messages: [{ role: "user", content: "Hello" }] });
 * await session.append([{ role: "assistant", content: "Hi" }]);
 * assert.equal(session.messages.length, 2);
 * await session.moveLeaf({ leafEntryId: session.entryIdAt(0)!, messageIndex: 1 });
 * assert.deepEqual(session.messages, [{ role: "user", content: "Hello" }]);
 * ```
 */
export class MemorySession implements Session {
  readonly id: string;
  readonly format: MessageFormat;
  readonly #store: MemoryStore;
  #entries: Map<string, Entry>;
  #path: readonly Entry[];
  #messages: readonly unknown[];

  /** Throws an IntegrityError `bad-input` for options that cannot be used. */
  constructor(options: MemorySessionOptions) {
    const { id, format = "anthropic", messages = [], store = new MemoryStore() } = options ?? {};
    assertId(id);
    assertFormat(format);
    assertMessages(messages);
    if (typeof store?.load !== "function" || typeof store.save !== "function")
      throw badInput("a MemoryStore in `store`", describeKind(store), "Pass a MemoryStore, or leave the option out.");
    this.id = id;
    this.format = format;
    this.#store = store;
    ({ entries: this.#entries, path: this.#path, messages: this.#messages } = read(store.load(id)));
    if (this.#entries.size === 0 && messages.length > 0) this.#write(this.#grow(this.#entries, null, messages));
  }

  get messages(): readonly unknown[] {
    return this.#messages;
  }

  get leafEntryId(): string | null {
    return this.#path.at(-1)?.id ?? null;
  }

  get firstEntryId(): string | null {
    return this.#path[0]?.id ?? null;
  }

  entryIdAt(messageIndex: number): string | undefined {
    return this.#path[messageIndex]?.id;
  }

  readMessages({ firstEntryId, leafEntryId }: SessionPath): readonly unknown[] | undefined {
    const path = pathTo(this.#entries, leafEntryId);
    const first = firstEntryId === null ? 0 : path?.findIndex(({ id }) => id === firstEntryId);
    return path === undefined || first === undefined || first < 0
      ? undefined
      : path.slice(first).map(({ message }) => message);
  }

  async append(messages: readonly unknown[]): Promise<void> {
    assertMessages(messages);
    this.#write(this.#grow(this.#entries, this.leafEntryId, messages));
  }

  async persistToolCycle(call: CycleCall, results: readonly ToolResultContent[]): Promise<void> {
    await this.append(cycleMessages(this, call, results));
  }

  async moveLeaf({ leafEntryId }: LeafTarget): Promise<void> {
    if (leafEntryId !== null && !this.#entries.has(leafEntryId)) {
      throw integrityError("session-failed", {
        expected: `an entry ${leafEntryId} in the session ${this.id}`,
        found: "no such entry",
        todo: "Pass the id of an entry of this session. Nothing was changed.",
      });
    }
    this.#write({ entries: this.#entries, leafEntryId });
  }

  async replaceMessages(messages: readonly unknown[]): Promise<void> {
    assertMessages(messages);
    // The unchanged beginning stays; the rest becomes a branch.
    let same = 0;
    while (same < messages.length && same < this.#messages.length && messages[same] === this.#messages[same]) same++;
    this.#write(this.#grow(this.#entries, this.#path[same - 1]?.id ?? null, messages.slice(same)));
  }

  async archive(): Promise<string> {
    return this.#store.keep(this.id, this.#messages);
  }

  async clear(keep: readonly unknown[]): Promise<void> {
    this.#write(this.#grow(this.#entries, null, keep));
  }

  async reload(): Promise<void> {
    ({ entries: this.#entries, path: this.#path, messages: this.#messages } = read(this.#store.load(this.id)));
  }

  /** Returns the stored session with copies of messages appended behind an entry. */
  #grow(entries: Map<string, Entry>, parentId: string | null, messages: readonly unknown[]): Stored {
    const grown = new Map(entries);
    let leafEntryId = parentId;
    for (const message of messages.map(copyMessage)) {
      const id = `entry-${grown.size + 1}`;
      grown.set(id, { id, parentId: leafEntryId, message });
      leafEntryId = id;
    }
    return { entries: grown, leafEntryId };
  }

  #write(stored: Stored): void {
    this.#store.save(this.id, stored);
    ({ entries: this.#entries, path: this.#path, messages: this.#messages } = read(stored));
  }
}

/**
 * Returns a copy that the caller cannot change. Of a value that is not JSON (a bigint, a cycle, a property that throws,
 * too deep), copies the JSON in it.
 */
function copyMessage(message: unknown): unknown {
  try {
    if (isJson(message)) return structuredClone(message);
  } catch {
    // structuredClone rejects functions, for example.
  }
  return plainCopy(message);
}

function read({ entries, leafEntryId }: Stored): {
  entries: Map<string, Entry>;
  path: readonly Entry[];
  messages: readonly unknown[];
} {
  const path = pathTo(entries, leafEntryId) ?? [];
  return { entries, path, messages: path.map(({ message }) => message) };
}

/** Returns the entries from the first one to this one; undefined when one of them is missing. */
function pathTo(entries: ReadonlyMap<string, Entry>, leafEntryId: string | null): Entry[] | undefined {
  const path: Entry[] = [];
  for (let at = leafEntryId; at !== null;) {
    const entry = entries.get(at);
    if (!entry) return undefined;
    path.push(entry);
    at = entry.parentId;
  }
  return path.toReversed();
}
