/** What a move has to know of the path: where a batch ended, whether the move took place, how many turns it leaves. */
import { quotedInline } from "../../base/quoted.ts";
import { timeTravelError } from "../../timetravel/errors.ts";
import { type History, type Target, turnStarts } from "../../timetravel/index.ts";
import { isObject } from "../../transcript/json/json.ts";
import type { TravellingManager } from "./history.ts";

/** Quotes a place as the agent named it, for use within a line. */
export function placeInline(asked: string): string {
  return quotedInline(asked.trim(), 100);
}

/** Returns the id of the last tool result on the path; user messages behind it were queued during the batch. */
export function lastResultOn(manager: TravellingManager): string | null {
  const last = manager
    .getBranch()
    .filter(isObject)
    .findLast(({ message }) => isObject(message) && message.role === "toolResult");
  return typeof last?.id === "string" ? last.id : manager.getLeafId();
}

/** Throws a TimeTravelError unless the carryover is the leaf and directly behind the target. */
export function assertMoved(manager: TravellingManager, { nodeId }: Target, carryoverId: unknown): void {
  const path = manager.getBranch().filter(isObject);
  const before = path.at(-2);
  if (path.at(-1)?.id === carryoverId && (nodeId === null ? before === undefined : before?.id === nodeId)) return;
  throw timeTravelError("bad-target", {
    expected: `the conversation to stand behind ${nodeId ?? "the beginning"}`,
    found: `it behind ${String(before?.id ?? "the beginning")}`,
    todo: "Nothing was moved.",
  });
}

/** Returns how many turns of the present path lie behind a target. */
export function turnsBehind(history: History, { nodeId }: Target): number {
  const path = history.path();
  const stays = path.findIndex(({ id }) => id === nodeId);
  return turnStarts(history, path).filter((at) => at > stays).length;
}
