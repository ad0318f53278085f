import { isObject } from "../transcript/json/json.ts";
import { idKey, isCallBlock, isFailedTurn, isResultBlock, readCall, readResult } from "../transcript/read.ts";
import { blocksOf, type History, type HistoryNode } from "./history.ts";

/**
 * Whether a history that ends with this node is whole, so that an agent may go on behind it: no tool call before it is
 * without a result. That is a message of the user's, a note, an assistant's message without calls, and the last result
 * of a batch (facts/time-travel.md, section 5).
 */
export function isClosed(history: History, node: HistoryNode): boolean {
  return openCalls(history, node) === 0;
}

/** Whether a move can go to this node: it is closed and not behind a reset. */
export function canGoTo(history: History, node: HistoryNode): boolean {
  return history.isInReach(node.id) && isClosed(history, node);
}

/**
 * How many calls have no result on the path to this node; those of a turn that failed are not sent and do not count.
 */
export function openCalls(history: History, node: HistoryNode): number {
  const counts = open.get(history) ?? countOpen(history);
  open.set(history, counts);
  return counts.get(node.id) ?? 0;
}

/** What was counted of each history, which never changes. */
const open = new WeakMap<History, ReadonlyMap<string, number>>();

/**
 * The calls of an assistant's message that wait for their results, by id: each result answers one, also where an id is
 * there twice.
 */
interface Batch {
  readonly waiting: Map<string, number>;
  open: number;
}

/** One walk over the whole tree, in which what a node has changed is taken back when everything behind it was seen. */
function countOpen(history: History): Map<string, number> {
  const counts = new Map<string, number>();
  const batches: Batch[] = [];
  const todo: (HistoryNode | (() => void))[] = history.children(null);
  for (let next = todo.pop(); next; next = todo.pop()) {
    if (typeof next === "function") {
      next();
      continue;
    }
    todo.push(enter(next, batches));
    counts.set(next.id, batches.at(-1)?.open ?? 0);
    for (const child of history.children(next.id)) todo.push(child);
  }
  return counts;
}

/** What the node does to the calls that wait; what takes that back. */
function enter(node: HistoryNode, batches: Batch[]): () => void {
  if (node.role === "assistant") {
    const { message } = node.entry;
    if (isObject(message) && isFailedTurn(message)) return () => undefined;
    batches.push(batchOf(node));
    return () => void batches.pop();
  }
  const batch = batches.at(-1);
  const answered: string[] = [];
  for (const id of batch ? resultIds(node) : []) {
    const waiting = batch!.waiting.get(id) ?? 0;
    if (waiting === 0) continue;
    batch!.waiting.set(id, waiting - 1);
    batch!.open--;
    answered.push(id);
  }
  return () => {
    for (const id of answered) batch!.waiting.set(id, batch!.waiting.get(id)! + 1);
    if (batch) batch.open += answered.length;
  };
}

function batchOf(node: HistoryNode): Batch {
  const waiting = new Map<string, number>();
  let count = 0;
  for (const block of blocksOf(node)) {
    if (!isCallBlock(block)) continue;
    const id = idKey(readCall(block).id);
    waiting.set(id, (waiting.get(id) ?? 0) + 1);
    count++;
  }
  return { waiting, open: count };
}

function resultIds(node: HistoryNode): string[] {
  const { message } = node.entry;
  if (node.role === "toolResult" && isObject(message)) return [idKey(readResult(message).id)];
  return blocksOf(node)
    .filter(isResultBlock)
    .map((block) => idKey(readResult(block).id));
}

/**
 * The nearest nodes that a move can go to: on the way to the first node and, where the node's own branch goes on,
 * behind it; the nearest first, at most `most`.
 */
export function closedNear(history: History, node: HistoryNode | undefined, most = 5): HistoryNode[] {
  const before = history
    .path(node?.id ?? history.headId)
    .toReversed()
    .filter((one) => canGoTo(history, one));
  const behind: HistoryNode[] = [];
  for (let at = node && history.children(node.id)[0]; at && behind.length < most; at = history.children(at.id)[0])
    if (canGoTo(history, at)) behind.push(at);
  const near: HistoryNode[] = [];
  while (near.length < most && before.length + behind.length > 0) {
    const next = behind.shift();
    if (next) near.push(next);
    const previous = before.shift();
    if (previous && near.length < most) near.push(previous);
  }
  return near;
}
