import type { Connection, Statement } from "../../journal/sqlite.ts";
import { timeTravelError } from "../errors.ts";
import type { History } from "../history.ts";
import { assertName } from "../names/names.ts";
import type { NodeHashes } from "../node-hash.ts";
import type { ReferenceRow } from "./schema.ts";

/** Owner of names: a conversation, whatever its current session is, or a session without a conversation. */
export interface ReferenceScope {
  readonly sessionId: string;
  readonly sessionKey: string | undefined;
}

/** A name that was given to a node. */
export interface Reference {
  readonly name: string;
  /** The session in which it was given. */
  readonly sessionId: string;
  readonly eventId: string;
  readonly hash: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** A name with its node in this session; undefined when the place is not in this session or was changed. */
export interface PlacedReference extends Reference {
  readonly nodeId: string | undefined;
}

/**
 * Stores the names that users gave to nodes. A name refers to a node's hash, so it is valid for the same place in a
 * copy of the session.
 */
export class References {
  readonly #list: Statement;
  readonly #put: Statement;
  readonly #delete: Statement;

  constructor(connection: Connection) {
    this.#list = connection.prepare(
      "SELECT * FROM refs WHERE scope = ? OR session_id = ? ORDER BY name, scope = ? DESC",
    );
    this.#put = connection.prepare(
      "INSERT OR REPLACE INTO refs (scope, name, session_id, event_id, hash, created_at) VALUES (?, ?, ?, ?, ?, ?)",
    );
    this.#delete = connection.prepare("DELETE FROM refs WHERE name = ? AND (scope = ? OR session_id = ?)");
  }

  /** The names of a conversation in alphabetical order, each once. */
  list(scope: ReferenceScope): Reference[] {
    const found = new Map<string, Reference>();
    for (const { name, session_id, event_id, hash, created_at } of this.#list.all<ReferenceRow>(
      scopeName(scope),
      scope.sessionId,
      scopeName(scope),
    )) {
      if (!found.has(name))
        found.set(name, { name, sessionId: session_id, eventId: event_id, hash, createdAt: created_at });
    }
    return [...found.values()];
  }

  /** {@link list} with the node of each name in this history. */
  placed(scope: ReferenceScope, history: History, hashes: NodeHashes): PlacedReference[] {
    return this.list(scope).map((reference) => ({ ...reference, nodeId: findPlace(reference, history, hashes) }));
  }

  /** Names a node; an existing name is moved. Throws `bad-name`, and then nothing was written. */
  set(
    scope: ReferenceScope,
    name: string,
    node: { readonly id: string; readonly hash: string },
    now = Date.now(),
  ): void {
    assertName(name);
    this.#put.run(scopeName(scope), name, scope.sessionId, node.id, node.hash, now);
  }

  /** Deletes a name; false when there is none. */
  delete(scope: ReferenceScope, name: string): boolean {
    return this.#delete.run(name, scopeName(scope), scope.sessionId).changes > 0;
  }

  /**
   * Finds the node of a name in this history by its hash: the entry that was named, or the same place in a copy.
   * Undefined for an unknown name. Throws `no-such-reference` when the place is not in this history or its messages
   * were changed.
   */
  resolve(scope: ReferenceScope, name: string, history: History, hashes: NodeHashes): string | undefined {
    const reference = this.list(scope).find((one) => one.name === name);
    if (!reference) return undefined;
    const id = findPlace(reference, history, hashes);
    if (id !== undefined) return id;
    const { eventId, hash } = reference;
    const found = history.has(eventId)
      ? `entry ${eventId} with the hash ${hashes.hash(eventId)}: what was said up to there was changed since`
      : "no entry with this hash in this session";
    throw timeTravelError("no-such-reference", {
      expected: `the place that was named ${name}, with the hash ${hash}`,
      found,
      todo: "Name another place, or set the name again. Nothing was changed.",
    });
  }
}

/** Id of the node with a reference's hash; undefined when the place is not in this history or was changed. */
function findPlace({ eventId, hash }: Reference, history: History, hashes: NodeHashes): string | undefined {
  const byId = history.node(eventId);
  if (byId?.id === eventId && hashes.hash(eventId) === hash) return eventId;
  return hashes.findNodes(hash)[0]?.id;
}

function scopeName({ sessionKey, sessionId }: ReferenceScope): string {
  return sessionKey ?? sessionId;
}
