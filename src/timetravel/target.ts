import { nameInline, quotedInline } from "../base/quoted.ts";
import { closedNear, isClosed, openCalls } from "./closed.ts";
import { timeTravelError } from "./errors.ts";
import { isAside } from "./conversation/authors.ts";
import { turnStarts } from "./conversation/turns.ts";
import { type History, type HistoryNode, textOfNode } from "./history.ts";
import { agentMarks } from "./names/agent-marks.ts";
import { isName } from "./names/names.ts";
import { toShortIds } from "./names/short-ids.ts";

/** The target of a move: a closed node, or null for the place before the first one. */
export interface Target {
  readonly nodeId: string | null;
  /** The target as it was written. */
  readonly asked: string;
}

/**
 * Finds the entry of a checkpoint, null for the place before the first one; undefined when this session has no such
 * checkpoint.
 */
export type CheckpointLookup = (id: string) => string | null | undefined;

/** Finds the node with a name; undefined when this session has no such name. May throw a TimeTravelError of its own. */
export type ReferenceLookup = (name: string) => string | null | undefined;

/** What {@link resolveTarget} needs besides the history. */
export interface TargetOptions {
  readonly checkpoint?: CheckpointLookup | undefined;
  /** Names that people gave; names of the agent are in the history. */
  readonly reference?: ReferenceLookup | undefined;
  /** Whether refusals show the first words of messages; true by default. */
  readonly withWords?: boolean | undefined;
}

const FIRST_WORDS = 60;
const FORMS =
  "the id of an entry or checkpoint, or its beginning; a name that was given to a place; turn:-1 (the end of " +
  "the turn before this one); or root";

/**
 * Resolves a target. Forms: the id of an entry, on any branch, or of a checkpoint, or as much of its beginning as no
 * other id has; the name of a place; `turn:-n`, the place before the n-th last message of the user's; `root`, before
 * the first message. Only closed nodes are accepted. Throws a TimeTravelError that lists valid nodes nearby.
 */
export function resolveTarget(history: History, asked: string, options: TargetOptions = {}): Target {
  return new Resolver(history, asked, options).target();
}

/**
 * A node on one line: id, role and, unless they are not to be seen, first words. The words are a JSON string, so
 * neither a model nor a terminal can mistake them for anything else.
 */
export function nodeLine(node: HistoryNode, withWords = true): string {
  const words = withWords
    ? textOfNode(node)
        .replace(/[\s\p{Cc}\p{Cf}]+/gu, " ")
        .trim()
    : "";
  return `${nameInline(node.id)} (${node.role}${words === "" ? "" : `: ${quotedInline(words, FIRST_WORDS)}`})`;
}

/** The resolution of one target in one history. */
class Resolver {
  readonly #history: History;
  readonly #asked: string;
  readonly #options: TargetOptions;

  constructor(history: History, asked: string, options: TargetOptions) {
    this.#history = history;
    this.#asked = asked;
    this.#options = options;
  }

  target(): Target {
    const text = this.#asked.trim();
    if (text === "root") return this.#inReach(null);
    if (text.startsWith("turn:")) return this.#turn(text.slice("turn:".length).trim());
    if (text === "")
      throw timeTravelError("bad-target", { expected: FORMS, found: "nothing", todo: this.#legal(undefined) });
    const id = this.#findId(text);
    return id === null ? this.#inReach(null) : this.#closed(this.#existing(id, text));
  }

  /** The node with a name: one that a person gave, otherwise one that the agent gave. */
  #named(name: string): string | null | undefined {
    return this.#options.reference?.(name) ?? agentMarks(this.#history).get(name)?.id;
  }

  /** Finds the id that is meant: a whole one first, then a name, the beginning of an id, and a checkpoint. */
  #findId(text: string): string | null | undefined {
    if (this.#history.has(text)) return text;
    const named = isName(text) ? this.#named(text) : undefined;
    if (named !== undefined) return named;
    return toShortIds(this.#history).find(text) ?? this.#options.checkpoint?.(text);
  }

  #existing(id: string | undefined, written: string): HistoryNode {
    const node = id === undefined ? undefined : this.#history.node(id);
    if (node) return node;
    throw timeTravelError("no-such-node", {
      expected: `a place of this session: ${FORMS}`,
      found: quotedInline(written, 100),
      todo: this.#legal(undefined),
    });
  }

  #closed(node: HistoryNode): Target {
    if (isClosed(this.#history, node)) return this.#inReach(node.id);
    const calls = openCalls(this.#history, node);
    throw timeTravelError("not-closed", {
      expected: "a node behind which the history is whole",
      found: `${this.#line(node)}, where ${calls} tool ${calls === 1 ? "call has" : "calls have"} no result yet`,
      todo: this.#legal(node),
    });
  }

  #turn(rest: string): Target {
    const path = this.#history.path();
    const turns = turnStarts(this.#history, path);
    const back = /^-(\d{1,6})$/.exec(rest);
    if (!back || Number(back[1]) < 1)
      throw timeTravelError("bad-target", {
        expected: "turn:-1 or further back",
        found: quotedInline(this.#asked.trim(), FIRST_WORDS),
        todo: this.#legal(undefined),
      });
    // The end of a turn is the last closed node before the first message of the next one.
    const beginning = turns.at(-Number(back[1]));
    if (beginning === undefined) {
      throw timeTravelError("bad-target", {
        expected: `a turn of this path, which has ${turns.length}`,
        found: quotedInline(this.#asked.trim(), FIRST_WORDS),
        todo: "root is the place before the first one.",
      });
    }
    const end = path
      .slice(0, beginning)
      .findLast((node) => isClosed(this.#history, node) && !isAside(this.#history, node));
    return this.#inReach(end?.id ?? null);
  }

  #inReach(nodeId: string | null): Target {
    if (this.#history.isInReach(nodeId)) return { nodeId, asked: this.#asked };
    throw timeTravelError("behind-reset", {
      expected: "a place behind the last reset of this session",
      found: `${quotedInline(this.#asked.trim(), FIRST_WORDS)}, which lies before it`,
      todo: `The conversation was reset since, and OpenClaw does not go back behind a reset. ${this.#legal(undefined)}`,
    });
  }

  #legal(near: HistoryNode | undefined): string {
    const nodes = closedNear(this.#history, near);
    return nodes.length === 0
      ? "There is no node to go to yet."
      : `Nodes near it that can be gone to: ${nodes.map((node) => this.#line(node)).join("; ")}.`;
  }

  #line(node: HistoryNode): string {
    return nodeLine(node, this.#options.withWords);
  }
}
