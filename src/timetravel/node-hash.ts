import { groupBy } from "../base/group-by.ts";
import { createHash } from "node:crypto";
import { canonicalJson } from "../journal/canonical-json.ts";
import { nodeBlocks, type History, type HistoryNode } from "./history.ts";

/** SHA-256 of the canonical JSON of a content block: equal content has equal hashes, wherever it stands. */
function blockHash(block: unknown): string {
  return sha256(canonicalJson(block));
}

/**
 * The Merkle hash of a node, made from its role, the hashes of its blocks and its parent's hash. Entry ids, times and
 * sessions are left out, so a copy of a history has the same hashes.
 */
export function nodeHash(node: HistoryNode, parentHash: string | null): string {
  return sha256(canonicalJson({ blocks: nodeBlocks(node).map(blockHash), parent: parentHash, role: node.role }));
}

/** The hashes of a history's nodes, computed on first use and remembered. */
export class NodeHashes {
  readonly #history: History;
  readonly #known: Map<string, string>;
  readonly #make: typeof nodeHash;
  #nodes: Map<string | null, HistoryNode[]> | undefined;

  /** `known` are hashes that are used unchecked; `make` computes the hash of a node and may look it up first. */
  constructor(history: History, known: Iterable<readonly [string, string]> = [], make: typeof nodeHash = nodeHash) {
    this.#history = history;
    this.#known = new Map(known);
    this.#make = make;
  }

  /** The hash of a node; null for null, the place before the first node, and for an id that no node has. */
  hash(id: string | null): string | null {
    const unknown: HistoryNode[] = [];
    let parent: string | null = null;
    for (let at = id; at !== null; at = unknown.at(-1)!.parentId) {
      const known = this.#known.get(at);
      const node = known === undefined ? this.#history.node(at) : undefined;
      if (!node || node.id !== at) {
        parent = known ?? null;
        break;
      }
      unknown.push(node);
    }
    for (const node of unknown.toReversed()) {
      parent = this.#make(node, parent);
      this.#known.set(node.id, parent);
    }
    return parent;
  }

  /** All nodes with this hash, in stored order: copies of the same place. Computes the hash of every node. */
  findNodes(hash: string): readonly HistoryNode[] {
    this.#nodes ??= groupBy(this.#history.nodes(), ({ id }) => this.hash(id));
    return this.#nodes.get(hash) ?? [];
  }

  /** All hashes that are known so far, by node id. */
  entries(): IterableIterator<[string, string]> {
    return this.#known.entries();
  }
}

/** SHA-256 of a text, in hexadecimal. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
