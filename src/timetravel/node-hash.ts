import { createHash } from "node:crypto";
import { canonicalJson } from "../journal/canonical-json.ts";
import { blocksOf, type History, type HistoryNode } from "./history.ts";

/**
 * The hash of one content block: SHA-256 of its canonical JSON. Blocks of the same content have the same one, wherever
 * they stand.
 */
export function blockHash(block: unknown): string {
  return sha256(canonicalJson(block));
}

/**
 * The Merkle hash of a node: of its role, the hashes of its blocks, and its parent's hash. No id, time or session goes
 * in, so that a copy of a history has the same hashes.
 */
export function nodeHash(node: HistoryNode, parentHash: string | null): string {
  return sha256(canonicalJson({ blocks: blocksOf(node).map(blockHash), parent: parentHash, role: node.role }));
}

/** Hashes of a history's nodes, worked out when they are asked for and kept. */
export class NodeHashes {
  readonly #history: History;
  readonly #known: Map<string, string>;
  readonly #make: typeof nodeHash;
  #nodes: Map<string | null, HistoryNode[]> | undefined;

  /** `known` are hashes from elsewhere, taken as they are; `make` may look a hash up before it works it out. */
  constructor(history: History, known: Iterable<readonly [string, string]> = [], make: typeof nodeHash = nodeHash) {
    this.#history = history;
    this.#known = new Map(known);
    this.#make = make;
  }

  /** The hash of a node; of null, the place before the first one, it is null. */
  of(id: string | null): string | null {
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

  /** All nodes of this hash, in stored order: copies of the same place. Works every hash out. */
  nodesOf(hash: string): readonly HistoryNode[] {
    this.#nodes ??= Map.groupBy(this.#history.nodes(), ({ id }) => this.of(id));
    return this.#nodes.get(hash) ?? [];
  }

  /** All hashes that are known by now, by node. */
  entries(): IterableIterator<[string, string]> {
    return this.#known.entries();
  }
}

/** SHA-256 of a text, in hexadecimal. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
