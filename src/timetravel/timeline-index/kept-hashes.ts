import type { Connection, Statement } from "../../journal/sqlite.ts";
import { nodeBlocks, type History, type HistoryNode } from "../history.ts";
import { nodeHash, NodeHashes, sha256 } from "../node-hash.ts";
import type { NodeRow } from "./schema.ts";
import { toJson } from "../../transcript/json/json.ts";

/**
 * Stores Merkle hashes of nodes. A stored hash is used only when its inputs are unchanged: the node's own content, byte
 * for byte, and its parent's hash. So a row that was rewritten (by a redaction, a compaction, a manual repair) never
 * gets a wrong hash, whether or not OpenClaw reports the change.
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
   * Returns the hashes of a session's nodes, stored or computed, and `keep`, which writes the computed ones; nothing is
   * written before that.
   */
  load(sessionId: string, history: History): { readonly hashes: NodeHashes; readonly keep: () => void } {
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
      const staleIds = [...kept.keys()].filter((id) => history.node(id)?.id !== id);
      if (fresh.length + staleIds.length === 0) return;
      this.#connection.transaction(() => {
        for (const id of staleIds) this.#remove.run(sessionId, id);
        for (const row of fresh.splice(0))
          this.#put.run(row.session_id, row.event_id, row.hash, row.parent_hash, row.row_hash);
      });
    };
    return { hashes, keep };
  }

  /** The stored rows of a session. */
  list(sessionId: string): NodeRow[] {
    return this.#list.all<NodeRow>(sessionId);
  }

  /** Nodes with this hash in all sessions: the same place in copies of a session. */
  places(hash: string): Pick<NodeRow, "session_id" | "event_id">[] {
    return this.#places.all<Pick<NodeRow, "session_id" | "event_id">>(hash);
  }
}

/**
 * Hash of a node's own content without canonical form, which makes it cheaper than the node's hash; equal row hashes
 * mean equal content.
 */
function rowHash(node: HistoryNode): string {
  return sha256(toJson([node.role, nodeBlocks(node)]));
}
