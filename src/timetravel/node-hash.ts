import { createHash } from "node:crypto";
import { canonicalJson } from "../journal/canonical-json.ts";
import { blocksOf, type History, type HistoryNode } from "./history.ts";

/**
 * The hash of one content block: SHA-256 of its canonical JSON. Blocks of the same content have the same one, wherever they stand.
 */
export function blockHash(block: unknown): string {
  return sha256(canonicalJson(block));
}

/** The Merkle hash of a node: of its role, the hashes of its blocks, and its parent's hash. No id, time or session goes in, so that a copy of a history has the same hashes. */
export function nodeHash(node: HistoryNode, parentHash: string | null): string {
  return sha256(canonicalJson({ blocks: blocksOf(node).map(blockHash), parent: parentHash, role: node.role }));
}

/** Hashes of a history's nodes, worked out when they are asked for and kept. */
export class NodeHashes {
  readonly #history: History;
  readonly #known: Map<string, string>;
  readonly #make: typeof nodeHash;

  /** `known` are hashes from elsewhere, taken as they are; `make` may look a hash up before it works it out. */
  constructor(history: History, known: Iterable<readonly [string, string]> = [], make: typeof nodeHash = nodeHash) {
    this.#history = history;
    this.#known = new Map(known);
    this.#make = make;
  }

  /** The hash of a node; of null, the place before the first one, it is null. */
  of(id: string | null): string | null {
    const asked = id === null ? null : this.#known.get(id);
    if (asked !== undefined) return asked;
    let parent: string | null = null;
    for (const node of this.#history.path(id)) {
      const known = this.#known.get(node.id);
      parent = known ?? this.#make(node, parent);
      if (known === undefined) this.#known.set(node.id, parent);
    }
    return parent;
  }

  /** All nodes of this hash, in stored order: copies of the same place. Works every hash out. */
  nodesOf(hash: string): HistoryNode[] {
    return this.#history.nodes().filter(({ id }) => this.of(id) === hash);
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
