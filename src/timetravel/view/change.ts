import type { ToolCycle } from "../../journal/index.ts";
import { type CallBehind, callsIn, countByTool } from "../../store/index.ts";
import { calledIn } from "../carry/called.ts";
import { isClosed } from "../closed.ts";
import { isAside } from "../conversation/authors.ts";
import type { History, HistoryNode } from "../history.ts";
import type { Target } from "../target.ts";

/** What an operator's move to a place changes. */
export interface Change {
  readonly departureId: string | null;
  /**
   * The target that undoes the move; undefined when the departure has a call without a result, because nothing can
   * move there.
   */
  readonly back?: string;
  /** How many messages leave the history and how many come back into it. All of them stay stored. */
  readonly messagesLeft: number;
  readonly messagesBack: number;
  /** The tools called in the messages that leave, with counts: `exec 2, read 1`; empty when none was called. */
  readonly called: string;
  /** The calls that may have had an effect, one line each with what it acted on, all foreign words in it quoted. */
  readonly effects: readonly string[];
}

/** {@link Change} with the calls themselves. */
export interface ChangeWithCalls extends Change {
  readonly calls: readonly CallBehind[];
}

/** Returns what a move from the present end to a target changes. */
export function previewChange(
  history: History,
  { nodeId: targetId }: Pick<Target, "nodeId">,
  openCycles: readonly ToolCycle[],
): ChangeWithCalls {
  const { headId: departureId } = history;
  const [path, targetPath] = [history.path(), history.path(targetId)];
  const [onPath, stays] = [path, targetPath].map((nodes) => new Set(nodes.map(({ id }) => id))) as [
    Set<string>,
    Set<string>,
  ];
  const leftNodes = path.filter(({ id }) => !stays.has(id));
  const calls = callsIn(
    leftNodes.map(({ entry }) => entry),
    openCycles,
  );
  const head = departureId === null ? undefined : history.node(departureId);
  return {
    departureId,
    ...(head && isClosed(history, head) && { back: head.id }),
    messagesLeft: leftNodes.filter((node) => isMessage(history, node)).length,
    messagesBack: targetPath.filter((node) => !onPath.has(node.id) && isMessage(history, node)).length,
    called: countByTool(calls.filter(({ outcome }) => outcome !== "not-started")),
    effects: calledIn(leftNodes, openCycles).lines,
    calls,
  };
}

/** Commands to OpenClaw and its answers are no messages of the conversation. */
function isMessage(history: History, node: HistoryNode): boolean {
  return node.entry.type === "message" && !isAside(history, node);
}
