import { isObject } from "../../transcript/json/json.ts";
import { isClosed } from "../closed.ts";
import type { History, HistoryNode } from "../history.ts";
import { readPlaceName } from "../records.ts";
import { isName } from "./names.ts";

const marksByHistory = new WeakMap<History, ReadonlyMap<string, HistoryNode>>();

/**
 * The names that the agent gave to places, each with its node: the last place before the batch of calls in which the
 * name was given. They are read from the results of those calls, so that they live and die with the history; the latest
 * one with a name counts. The history must contain the abandoned branches too.
 */
export function agentMarks(history: History): ReadonlyMap<string, HistoryNode> {
  const done = marksByHistory.get(history);
  if (done) return done;
  const marks = new Map<string, HistoryNode>();
  for (const node of history.nodes()) {
    const name = readPlaceName(node.entry);
    const place = name === undefined || !isName(name) ? undefined : placeBefore(history, node);
    if (name === undefined || !place) continue;
    // The map lists the latest mark last.
    marks.delete(name);
    marks.set(name, place);
  }
  marksByHistory.set(history, marks);
  return marks;
}

/** The place that the agent would name now: the last one on the path at which every call has its result. */
export function placeToMark(history: History): HistoryNode | undefined {
  const head = history.headId === null ? undefined : history.node(history.headId);
  return head && (isClosed(history, head) ? head : placeBefore(history, head));
}

/** Returns the last closed node before the assistant message whose calls a result belongs to. */
function placeBefore(history: History, node: HistoryNode): HistoryNode | undefined {
  let at: HistoryNode | undefined = node;
  while (at && !(at.role === "assistant" && isObject(at.entry.message))) at = history.parent(at);
  for (at &&= history.parent(at); at; at = history.parent(at)) if (isClosed(history, at)) return at;
  return undefined;
}
