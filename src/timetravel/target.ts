import { nameInline, quotedInline } from "../base/quoted.ts";
import { closedNear, isClosed, openCalls } from "./closed.ts";
import { timeTravelError } from "./errors.ts";
import { type History, type HistoryNode, textOfNode } from "./history.ts";

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

const FIRST_WORDS = 60;
const FORMS =
  "the id of a node, turn:-1 (the end of the turn before this one), checkpoint:<id>, ref:<name>, branch:<id> (the end of the branch that a node is on), or root";

/**
 * Resolves a target. Forms: an entry's id, on any branch; `turn:-n`, the end of the n-th turn before the present one;
 * `checkpoint:<id>`; `ref:<name>`, a named place; `branch:<id>`, the end of the branch that continues after that node;
 * `root`, before the first message. Only closed nodes are accepted. Throws a TimeTravelError that lists valid nodes
 * nearby.
 */
export function resolveTarget(
  history: History,
  asked: string,
  checkpoint: CheckpointLookup = () => undefined,
  reference: ReferenceLookup = () => undefined,
): Target {
  const text = asked.trim();
  if (text === "root") return inReach(history, null, asked);
  const [, form, written = ""] = /^(turn|checkpoint|ref|branch):(.+)$/s.exec(text) ?? [];
  const rest = written.trim();
  if (form === "turn") return turnTarget(history, rest, asked);
  if (form === "branch") return closedTarget(history, branchEnd(history, rest), asked);
  if (form === "checkpoint")
    return lookedUp(history, checkpoint(rest), asked, {
      code: "no-such-checkpoint",
      expected: "the id of a checkpoint of this session",
      found: quotedInline(rest, FIRST_WORDS),
    });
  if (form === "ref")
    return lookedUp(history, reference(rest), asked, {
      code: "no-such-reference",
      expected: "a name that was given to a place of this session",
      found: quotedInline(rest, FIRST_WORDS),
    });
  if (text === "")
    throw timeTravelError("bad-target", { expected: FORMS, found: "nothing", todo: legal(history, undefined) });
  return closedTarget(history, existing(history, text), asked);
}

function lookedUp(
  history: History,
  id: string | null | undefined,
  asked: string,
  {
    code,
    expected,
    found,
  }: { readonly code: "no-such-checkpoint" | "no-such-reference"; readonly expected: string; readonly found: string },
): Target {
  if (id === null) return inReach(history, null, asked);
  if (id !== undefined) return closedTarget(history, existing(history, id), asked);
  throw timeTravelError(code, { expected, found, todo: `Look them up with timeline. ${legal(history, undefined)}` });
}

/**
 * A node on one line: id, role and first words. The words are a JSON string, so neither a model nor a terminal can
 * mistake them for anything else.
 */
export function nodeLine(node: HistoryNode): string {
  const words = textOfNode(node)
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .trim();
  return `${nameInline(node.id)} (${node.role}${words === "" ? "" : `: ${quotedInline(words, FIRST_WORDS)}`})`;
}

function existing(history: History, id: string): HistoryNode {
  const node = history.node(id);
  if (node) return node;
  throw timeTravelError("no-such-node", {
    expected: `an entry of this session: ${FORMS}`,
    found: quotedInline(id, 100),
    todo: legal(history, undefined),
  });
}

function closedTarget(history: History, node: HistoryNode, asked: string): Target {
  if (isClosed(history, node)) return inReach(history, node.id, asked);
  const calls = openCalls(history, node);
  throw timeTravelError("not-closed", {
    expected: "a node behind which the history is whole",
    found: `${nodeLine(node)}, where ${calls} tool ${calls === 1 ? "call has" : "calls have"} no result yet`,
    todo: legal(history, node),
  });
}

function turnTarget(history: History, rest: string, asked: string): Target {
  const path = history.path();
  const turns = path.flatMap((node, at) => (node.role === "user" ? [at] : []));
  const back = /^-(\d{1,6})$/.exec(rest.trim());
  if (!back || Number(back[1]) < 1)
    throw timeTravelError("bad-target", {
      expected: "turn:-1 or further back",
      found: quotedInline(asked.trim(), FIRST_WORDS),
      todo: legal(history, undefined),
    });
  // The end of a turn is the last closed node before the first message of the next one.
  const beginning = turns.at(-Number(back[1]));
  if (beginning === undefined) {
    throw timeTravelError("bad-target", {
      expected: `a turn of this path, which has ${turns.length}`,
      found: quotedInline(asked.trim(), FIRST_WORDS),
      todo: "root is the place before the first one.",
    });
  }
  const end = path.slice(0, beginning).findLast((node) => isClosed(history, node));
  return inReach(history, end?.id ?? null, asked);
}

function inReach(history: History, nodeId: string | null, asked: string): Target {
  if (history.isInReach(nodeId)) return { nodeId, asked };
  throw timeTravelError("behind-reset", {
    expected: "a place behind the last reset of this session",
    found: `${quotedInline(asked.trim(), FIRST_WORDS)}, which lies before it`,
    todo: `The conversation was reset since, and OpenClaw does not go back behind a reset. ${legal(history, undefined)}`,
  });
}

/** The end of the branch below a node. Throws `ambiguous-branch` when several branches are below it. */
function branchEnd(history: History, id: string): HistoryNode {
  const ends: HistoryNode[] = [];
  const rest = [existing(history, id)];
  for (let node = rest.pop(); node; node = rest.pop()) {
    const children = history.children(node.id);
    if (children.length === 0) ends.push(node);
    for (const child of children) rest.push(child);
  }
  if (ends.length === 1) return ends[0]!;
  throw timeTravelError("ambiguous-branch", {
    expected: "a node with one branch behind it",
    found: `${ends.length} branches behind ${nameInline(id)}`,
    todo: `Name the end of the one that is meant: ${ends
      .toSorted((a, b) => b.order - a.order)
      .slice(0, 5)
      .map(nodeLine)
      .join("; ")}.`,
  });
}

function legal(history: History, near: HistoryNode | undefined): string {
  const nodes = closedNear(history, near);
  return nodes.length === 0
    ? "There is no node to go to yet."
    : `Nodes near it that can be gone to: ${nodes.map(nodeLine).join("; ")}.`;
}
