import { SHOWN_NOTES } from "../store/sessions/context-path.ts";
import { isObject, toJson, type JsonObject } from "../transcript/json/json.ts";
import { isCallBlock, isResultRole } from "../transcript/read.ts";

/**
 * What a node says to a model; `note` is everything that is put in beside the messages (a custom message, a summary).
 */
export type NodeRole = "user" | "assistant" | "toolResult" | "note";

/** An entry of a session's tree that reaches the model. */
export interface HistoryNode {
  readonly id: string;
  /** The nearest ancestor that is a node too; null for a first one. */
  readonly parentId: string | null;
  readonly role: NodeRole;
  readonly entry: JsonObject;
  /** Position in the store, which is the order in which entries were written. */
  readonly order: number;
}

/**
 * The tree of a session as an agent can travel in it: the entries that a model is shown, on every branch, abandoned
 * ones too. OpenClaw's tree is the history; nothing is copied (facts/time-travel.md, section 5). Entries are handed
 * over in stored order.
 */
export class History {
  /** The node that the conversation goes on behind; null while there is none. */
  readonly headId: string | null;
  readonly #nodes = new Map<string, HistoryNode>();
  /** Of every entry, node or not, the node it stands behind or is. */
  readonly #nodeAt = new Map<string, string | null>();
  readonly #children = new Map<string | null, string[]>();
  /** The last reset and the entries behind it; undefined when nothing was reset. */
  #sinceReset: Set<string> | undefined;

  /**
   * `leafId` is the session's leaf: the last entry of the path that OpenClaw goes on from. `overResets`: what lies
   * before a reset is in reach too, as it is where the conversation may go on in a copy.
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
      const role = roleOf(entry);
      this.#nodeAt.set(id, role ? id : parentId);
      if (entry.type === "reset" && !overResets) this.#sinceReset = new Set([id]);
      else if (typeof entry.parentId === "string" && this.#sinceReset?.has(entry.parentId)) this.#sinceReset.add(id);
      if (role) this.#add({ id, parentId, role, entry, order });
      order += 1;
    }
    this.headId = leafId === null ? null : (this.#nodeAt.get(leafId) ?? null);
  }

  /**
   * The node of that id, or the one that an entry of that id (a label, say) stands behind; undefined when the session
   * has no such entry.
   */
  node(id: string): HistoryNode | undefined {
    const at = this.#nodeAt.get(id);
    return at === undefined || at === null ? undefined : this.#nodes.get(at);
  }

  /** Whether the session has an entry of that id. */
  has(id: string): boolean {
    return this.#nodeAt.has(id);
  }

  /**
   * False for what lies before the last reset of the session: within the session OpenClaw lets no conversation go back
   * there. Null is the place before the first entry.
   */
  isInReach(id: string | null): boolean {
    return this.#sinceReset === undefined || (id !== null && this.#sinceReset.has(id));
  }

  /** All nodes in stored order. */
  nodes(): HistoryNode[] {
    return [...this.#nodes.values()];
  }

  /** The nodes from the first one to this one; none for null. */
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

  /** The nodes right behind this one, in stored order; behind null the first ones. */
  children(id: string | null): HistoryNode[] {
    return (this.#children.get(id) ?? []).map((child) => this.#nodes.get(child)!);
  }

  /** The ends of all branches, the active one's too, in stored order. */
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

function roleOf(entry: JsonObject): NodeRole | undefined {
  if (SHOWN_NOTES.has(entry.type)) return "note";
  if (entry.type !== "message" || !isObject(entry.message)) return undefined;
  const { role } = entry.message;
  if (role === "user" || role === "assistant") return role;
  return isResultRole(role) ? "toolResult" : "note";
}

/** The blocks that a node says; a text counts as one. */
export function blocksOf({ entry }: HistoryNode): readonly unknown[] {
  const content = isObject(entry.message) ? entry.message.content : (entry.content ?? entry.summary);
  if (Array.isArray(content)) return content;
  return content === undefined ? [] : [{ type: "text", text: typeof content === "string" ? content : toJson(content) }];
}

/** The text of a node: what it says in words, without tool calls, thinking and pictures. */
export function textOfNode(node: HistoryNode): string {
  return blocksOf(node)
    .filter((block) => !isCallBlock(block))
    .flatMap((block) => (isObject(block) && typeof block.text === "string" ? [block.text] : []))
    .join("\n");
}
