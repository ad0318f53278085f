import type { History, HistoryNode } from "../history.ts";
import { readArrival, readIntent, type MoveArrival } from "../records.ts";
import { isAnswer, isRequest } from "./authors.ts";

/** Requests as a list that grows at its end without a copy: each node of a tree has one of its own. */
type Open = { readonly last: HistoryNode; readonly before: Open } | undefined;

/**
 * The requests that nobody has answered at a node, in stored order: those on the path since the last answer, and those
 * that a move of the agent has carried along. A request that the operator took back is none of them.
 */
export function unansweredAt(history: History, nodeId: string | null): HistoryNode[] {
  return listNodes(openAt(history, nodeId));
}

const openByHistory = new WeakMap<History, Map<string, Open>>();

/**
 * What is open at a node may depend on what was open at others first, those that moves departed from. Their number is
 * not bounded, so they wait on a list and not on the call stack.
 */
function openAt(history: History, nodeId: string | null): Open {
  const done = openByHistory.get(history) ?? new Map<string, Open>();
  openByHistory.set(history, done);
  const todo = nodeId === null ? [] : [nodeId];
  const begun = new Set<string>();
  for (let id = todo.at(-1); id !== undefined; id = todo.at(-1)) {
    const path = done.has(id) ? [] : history.path(id);
    // A damaged record may name a node behind itself: what has begun is not begun again.
    const needed = path
      .flatMap((node) => neededBy(history, node))
      .filter((one) => !done.has(one) && !begun.has(one) && one !== id);
    begun.add(id);
    if (needed.length > 0) {
      for (const one of needed) todo.push(one);
      continue;
    }
    walk(history, path, done);
    todo.pop();
  }
  return nodeId === null ? undefined : done.get(nodeId);
}

function walk(history: History, path: readonly HistoryNode[], done: Map<string, Open>): void {
  const from = path.findLastIndex(({ id }) => done.has(id));
  let open = from < 0 ? undefined : done.get(path[from]!.id);
  for (const node of path.slice(from + 1)) {
    if (isAnswer(node)) open = undefined;
    else if (isRequest(history, node)) open = { last: node, before: open };
    else open = arrivedAt(history, node, open, done);
    done.set(node.id, open);
  }
}

function listNodes(open: Open): HistoryNode[] {
  const nodes = new Set<HistoryNode>();
  for (let at = open; at; at = at.before) nodes.add(at.last);
  return [...nodes].toSorted((one, other) => one.order - other.order);
}

/**
 * What is open behind a node that no request and no answer is. Behind a carryover that is what was open when its move
 * departed: a request on the way to the target may have been answered on the branch that was left.
 */
function arrivedAt(history: History, node: HistoryNode, before: Open, done: ReadonlyMap<string, Open>): Open {
  const arrival = readArrival(node.entry);
  if (arrival?.by !== "agent") return before;
  const listed = [...(arrival.openIds ?? []), ...listQuestionIds(arrival)];
  const [departure] = neededBy(history, node);
  if (departure !== undefined) return done.get(departure) ?? before;
  return listed
    .flatMap((id) => history.node(id) ?? [])
    .reduce<Open>((open, last) => ({ last, before: open }), arrival.openIds === undefined ? before : undefined);
}

/** The node from which the move of a carryover departed, where only that node tells what was open there. */
function neededBy(history: History, { entry }: HistoryNode): string[] {
  const arrival = readArrival(entry);
  if (arrival?.by !== "agent") return [];
  const listed = [...(arrival.openIds ?? []), ...listQuestionIds(arrival)];
  // In a copy with other ids the departure still has them.
  if (listed.every((id) => history.node(id) !== undefined)) return [];
  const id = findDeparture(history, arrival)?.id;
  return id === undefined ? [] : [id];
}

/** Ids of the requests that a carryover repeats. */
export function listQuestionIds({ questionIds = [] }: MoveArrival): readonly string[] {
  return questionIds;
}

const asked = new WeakMap<History, ReadonlyMap<string, HistoryNode>>();

/**
 * The node from which a move departed; undefined when the history does not have it. A copy of a session can have other
 * ids than the record: there the result that asked for the move is found by the id of its intent.
 */
export function findDeparture(history: History, { intentId, departureId }: MoveArrival): HistoryNode | undefined {
  const byId = departureId === null ? undefined : history.node(departureId);
  if (byId) return byId;
  const intents =
    asked.get(history) ??
    new Map(
      history.nodes().flatMap((node) => {
        const id = readIntent(node.entry)?.intentId;
        return id === undefined ? [] : [[id, node] as const];
      }),
    );
  asked.set(history, intents);
  return intents.get(intentId);
}
