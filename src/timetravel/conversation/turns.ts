import type { History, HistoryNode } from "../history.ts";
import { readArrival } from "../records.ts";
import { isRequest } from "./authors.ts";
import { listQuestionIds } from "./unanswered.ts";

/**
 * Where the turns of a path begin: the index of each request in it, oldest first. A carryover begins as many turns as
 * it repeats requests, so that the numbers are the same before and after a move: requests are counted, not entries.
 * Commands to OpenClaw and reports of its own begin no turn.
 */
export function turnStarts(history: History, path: readonly HistoryNode[]): number[] {
  return path.flatMap((node, at) => {
    if (isRequest(history, node)) return [at];
    const arrival = readArrival(node.entry);
    return arrival?.by === "agent" ? listQuestionIds(arrival).map(() => at) : [];
  });
}
