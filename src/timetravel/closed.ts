/** To which entries of a history a move can go: those behind which no tool call is open. */
import { isObject } from "../transcript/json/json.ts";
import { idKey, isCallBlock, isFailedTurn, isResultBlock, readCall, readResult } from "../transcript/read.ts";
import { nodeBlocks, type History, type HistoryNode } from "./history.ts";

/**
 * Whether every tool call on the path to this node has a result, so that an agent can continue after it: true for a
 * user message, a note, an assistant message without calls, and the last result of a batch.
 */
export function isClosed(history: History, node: HistoryNode): boolean {
  return openCalls(history, node) === 0;
}

/** Whether a move can go to this node: it is closed, and not before the last reset. */
export function canGoTo(history: History, node: HistoryNode): boolean {
  return history.isInReach(node.id) && isClosed(history, node);
}

/** How many calls on the path to this node have no result. Calls of a failed turn are not sent and do not count. */
export function openCalls(history: History, node: HistoryNode): number {
  const counts = open.get(history) ?? countOpen(history);
  open.set(history, counts);
  return counts.get(node.id) ?? 0;
}

/** The counts of each history; a history never changes. */
const open = new WeakMap<History, ReadonlyMap<string, number>>();

/**
 * The calls of an assistant message without a result yet, counted by id: each result answers one, also where an id
 * occurs twice.
 */
interface Batch {
  readonly waiting: Map<string, number>;
  open: number;
}

/**
 * Counts in one walk over the whole tree; the change that a node made is undone once all nodes below it were visited.
 */
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

/** Applies a node to the calls that wait; returns the function that undoes this. */
function enter(node: HistoryNode, batches: Batch[]): () => void {
  if (node.role === "assistant") {
    const { message } = node.entry;
    if (isObject(message) && isFailedTurn(message)) return () => undefined;
    batches.push(readBatch(node));
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

function readBatch(node: HistoryNode): Batch {
  const waiting = new Map<string, number>();
  let count = 0;
  for (const block of nodeBlocks(node)) {
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
  return nodeBlocks(node)
    .filter(isResultBlock)
    .map((block) => idKey(readResult(block).id));
}

/**
 * Returns up to `most` nodes near this one to which a move can go, on the way to the first node and along the first
 * branch below, taken in turn and nearest first.
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
