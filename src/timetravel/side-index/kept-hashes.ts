import type { Connection, Statement } from "../../journal/sqlite.ts";
import { blocksOf, type History, type HistoryNode } from "../history.ts";
import { nodeHash, NodeHashes, sha256 } from "../node-hash.ts";
import type { NodeRow } from "./schema.ts";
import { toJson } from "../../transcript/json/json.ts";

/**
 * The Merkle hashes of nodes, kept as they were asked for. A kept hash is taken only where what it was made of is the
 * same: the node's own row says, byte for byte, what it said then, and the node before it has the hash that it had
 * then. So nothing that rewrites rows (a redaction, a compaction, a repair by hand) can leave a hash that is no longer
 * true, whatever OpenClaw says or does not say of it.
 */
export class KeptHashes {
  readonly #connection: Connection;
  readonly #list: Statement;
  readonly #put: Statement;
  readonly #remove: Statement;
  readonly #places: Statement;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#list = connection.prepare("SELECT * FROM nodes WHERE session_id = ? ORDER BY event_id");
    this.#put = connection.prepare(
      "INSERT OR REPLACE INTO nodes (session_id, event_id, hash, parent_hash, row_hash) VALUES (?, ?, ?, ?, ?)",
    );
    this.#remove = connection.prepare("DELETE FROM nodes WHERE session_id = ? AND event_id = ?");
    this.#places = connection.prepare(
      "SELECT session_id, event_id FROM nodes WHERE hash = ? ORDER BY session_id, event_id",
    );
  }

  /**
   * The hashes of a session's nodes, worked out where they are not kept, and what keeps those; nothing is written
   * before that.
   */
  of(sessionId: string, history: History): { readonly hashes: NodeHashes; readonly keep: () => void } {
    const kept = new Map(this.list(sessionId).map((row) => [row.event_id, row]));
    const fresh: NodeRow[] = [];
    const hashes = new NodeHashes(history, [], (node, parent_hash) => {
      const row_hash = rowHash(node);
      const known = kept.get(node.id);
      if (known?.row_hash === row_hash && known.parent_hash === parent_hash) return known.hash;
      const hash = nodeHash(node, parent_hash);
      fresh.push({ session_id: sessionId, event_id: node.id, hash, parent_hash, row_hash });
      return hash;
    });
    const keep = (): void => {
      const gone = [...kept.keys()].filter((id) => history.node(id)?.id !== id);
      if (fresh.length + gone.length === 0) return;
      this.#connection.transaction(() => {
        for (const id of gone) this.#remove.run(sessionId, id);
        for (const row of fresh.splice(0))
          this.#put.run(row.session_id, row.event_id, row.hash, row.parent_hash, row.row_hash);
      });
    };
    return { hashes, keep };
  }

  /** What is kept of a session. */
  list(sessionId: string): NodeRow[] {
    return this.#list.all<NodeRow>(sessionId);
  }

  /** Where nodes of this hash were seen: the same place in copies of a session. */
  places(hash: string): Pick<NodeRow, "session_id" | "event_id">[] {
    return this.#places.all<Pick<NodeRow, "session_id" | "event_id">>(hash);
  }
}

/**
 * Cheaper than the hash of a node, for which every block is put into canonical form; two rows of which it is the same
 * say the same.
 */
function rowHash(node: HistoryNode): string {
  return sha256(toJson([node.role, blocksOf(node)]));
}
