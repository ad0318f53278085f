import { joinTexts } from "../transcript/json/text.ts";
import { SHOWN_NOTES } from "../store/sessions/context-path.ts";
import { isObject, toJson, type JsonObject } from "../transcript/json/json.ts";
import { isCallBlock, isResultRole } from "../transcript/read.ts";

/** How the model sees a node; `note` is all else: a custom message, a summary, a message of another role. */
export type NodeRole = "user" | "assistant" | "toolResult" | "note";

/** An entry of a session's tree that is sent to the model. */
export interface HistoryNode {
  readonly id: string;
  /** The nearest ancestor that is a node as well; null for a first node. */
  readonly parentId: string | null;
  readonly role: NodeRole;
  readonly entry: JsonObject;
  /** Position in the store, where entries are in the order in which they were written. */
  readonly order: number;
}

/**
 * The tree of a session for moves: all entries that are sent to a model, on every branch, abandoned ones included. It
 * is OpenClaw's own tree; nothing is copied. Entries are passed in stored order.
 */
export class History {
  /** Id of the node after which the conversation continues; null while there is none. */
  readonly headId: string | null;
  readonly #nodes = new Map<string, HistoryNode>();
  /** Entry id -> nearest node at or above it. */
  readonly #nodeAt = new Map<string, string | null>();
  readonly #children = new Map<string | null, string[]>();
  /** The last reset and all entries below it; undefined without a reset. */
  #sinceReset: Set<string> | undefined;

  /**
   * `leafId` is the session's leaf, the last entry of OpenClaw's path. With `overResets` nodes before a reset are in
   * reach too, as for a conversation that may continue in a copy.
   */
  constructor(
    entries: Iterable<JsonObject>,
    leafId: string | null,
    { overResets = false }: { readonly overResets?: boolean } = {},
  ) {
    let order = 0;
    for (const entry of entries) {
      const { id } = entry;
      if (typeof id !== "string") continue;
      const parentId = typeof entry.parentId === "string" ? (this.#nodeAt.get(entry.parentId) ?? null) : null;
      const role = toNodeRole(entry);
      this.#nodeAt.set(id, role ? id : parentId);
      if (entry.type === "reset" && !overResets) this.#sinceReset = new Set([id]);
      else if (typeof entry.parentId === "string" && this.#sinceReset?.has(entry.parentId)) this.#sinceReset.add(id);
      if (role) this.#add({ id, parentId, role, entry, order });
      order += 1;
    }
    this.headId = leafId === null ? null : (this.#nodeAt.get(leafId) ?? null);
  }

  /**
   * The node with this id, or the nearest node above the entry with this id (a label, for example); undefined when the
   * session has no such entry or no node is above it.
   */
  node(id: string): HistoryNode | undefined {
    const at = this.#nodeAt.get(id);
    return at === undefined || at === null ? undefined : this.#nodes.get(at);
  }

  /** The node before this one; undefined for a first node. */
  parent({ parentId }: HistoryNode): HistoryNode | undefined {
    return parentId === null ? undefined : this.node(parentId);
  }

  /** Whether the session has an entry with this id. */
  has(id: string): boolean {
    return this.#nodeAt.has(id);
  }

  /**
   * Whether a move can reach this node. False before the session's last reset: OpenClaw does not let a session go back
   * behind one. Null is the place before the first entry.
   */
  isInReach(id: string | null): boolean {
    return this.#sinceReset === undefined || (id !== null && this.#sinceReset.has(id));
  }

  /** Ids of all entries in stored order, also of those that are no nodes. */
  ids(): IterableIterator<string> {
    return this.#nodeAt.keys();
  }

  /** All nodes in stored order. */
  nodes(): HistoryNode[] {
    return [...this.#nodes.values()];
  }

  /** The nodes from the first one to this one, by default to the head; none for null. */
  path(id: string | null = this.headId): HistoryNode[] {
    const path: HistoryNode[] = [];
    const seen = new Set<string>();
    for (let at = id; at !== null && !seen.has(at);) {
      const node = this.#nodes.get(at);
      if (!node) break;
      seen.add(at);
      path.push(node);
      at = node.parentId;
    }
    return path.toReversed();
  }

  /** The child nodes of this one, in stored order; for null the first nodes. */
  children(id: string | null): HistoryNode[] {
    return (this.#children.get(id) ?? []).map((child) => this.#nodes.get(child)!);
  }

  /** The last nodes of all branches, the active one included, in stored order. */
  tips(): HistoryNode[] {
    return this.nodes().filter(({ id }) => !this.#children.has(id));
  }

  #add(node: HistoryNode): void {
    this.#nodes.set(node.id, node);
    const siblings = this.#children.get(node.parentId);
    if (siblings) siblings.push(node.id);
    else this.#children.set(node.parentId, [node.id]);
  }
}

function toNodeRole(entry: JsonObject): NodeRole | undefined {
  // OpenClaw sends no summary that has no words.
  if (entry.type === "branch_summary" && entry.summary === "") return undefined;
  if (SHOWN_NOTES.has(entry.type)) return "note";
  if (entry.type !== "message" || !isObject(entry.message)) return undefined;
  const { role, excludeFromContext } = entry.message;
  if (excludeFromContext === true) return undefined;
  if (role === "user" || role === "assistant") return role;
  return isResultRole(role) ? "toolResult" : "note";
}

/** The content blocks of a node; a plain text counts as one block. */
export function nodeBlocks({ entry }: HistoryNode): readonly unknown[] {
  const content = isObject(entry.message) ? entry.message.content : (entry.content ?? entry.summary);
  if (Array.isArray(content)) return content;
  return content === undefined ? [] : [{ type: "text", text: typeof content === "string" ? content : toJson(content) }];
}

/** The text of a node, without tool calls, thinking and pictures. */
export function textOfNode(node: HistoryNode): string {
  return joinTexts(nodeBlocks(node).filter((block) => !isCallBlock(block)));
}
