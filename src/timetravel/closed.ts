import { isObject } from "../transcript/json.ts";
import { idKey, isCallBlock, isFailedTurn, isResultBlock, readCall, readResult } from "../transcript/read.ts";
import { blocksOf, type History, type HistoryNode } from "./history.ts";

/**
 * Whether a history that ends with this node is whole, so that an agent may go on behind it: no tool call before it is without a result. That is a
 * message of the user's, a note, an assistant's message without calls, and the last result of a batch (facts/time-travel.md, section 5).
 */
export function isClosed(history: History, node: HistoryNode): boolean {
  return openCalls(history, node).length === 0;
}

/** Whether a move can go to this node: it is closed and not behind a reset. */
export function canGoTo(history: History, node: HistoryNode): boolean {
  return history.isInReach(node.id) && isClosed(history, node);
}

/** The ids of the calls that have no result on the path to this node; those of a turn that failed are not sent and do not count. */
export function openCalls(history: History, node: HistoryNode): string[] {
  const answered: string[] = [];
  for (let at: HistoryNode | undefined = node; at; at = at.parentId === null ? undefined : history.node(at.parentId)) {
    if (at.role !== "assistant") {
      answered.push(...resultIds(at));
      continue;
    }
    const { message } = at.entry;
    if (isObject(message) && isFailedTurn(message)) continue;
    const calls = blocksOf(at).filter(isCallBlock).map((block) => idKey(readCall(block).id));
    // Each result answers one call, also where an id is there twice.
    for (const id of answered) {
      const call = calls.indexOf(id);
      if (call >= 0) calls.splice(call, 1);
    }
    return calls;
  }
  return [];
}

function resultIds(node: HistoryNode): string[] {
  const { message } = node.entry;
  if (node.role === "toolResult" && isObject(message)) return [idKey(readResult(message).id)];
  return blocksOf(node).filter(isResultBlock).map((block) => idKey(readResult(block).id));
}

/** The nearest nodes that a move can go to: on the way to the first node and, where the node's own branch goes on, behind it; the nearest first, at most `most`. */
export function closedNear(history: History, node: HistoryNode | undefined, most = 5): HistoryNode[] {
  const before = history.path(node?.id ?? history.headId).toReversed().filter((one) => canGoTo(history, one));
  const behind: HistoryNode[] = [];
  for (let at = node && history.children(node.id)[0]; at && behind.length < most; at = history.children(at.id)[0]) if (canGoTo(history, at)) behind.push(at);
  const near: HistoryNode[] = [];
  while (near.length < most && before.length + behind.length > 0) {
    const next = behind.shift();
    if (next) near.push(next);
    const previous = before.shift();
    if (previous && near.length < most) near.push(previous);
  }
  return near;
}
