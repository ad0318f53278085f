import { nameInline, quotedInline } from "../base/quoted.ts";
import { checkedNote } from "./carryover.ts";
import { isRequest } from "./conversation/authors.ts";
import { timeTravelError } from "./errors.ts";
import type { History } from "./history.ts";
import { readArrival } from "./records.ts";
import type { Target } from "./target.ts";

/** How many moves an agent may make before the next request: a person's message to the agent, or a task. */
export const MAX_MOVES = 5;

/**
 * Keeps an agent from moving in circles: at most {@link MAX_MOVES} moves since the last request (see `isRequest`), on
 * any branch, and no second one to the same place with the same note. The moves are read from the rows, so a restart
 * does not reset the count. Throws `too-many-moves`, `same-move`, and `bad-carryover` for a note that is empty or too
 * long.
 */
export function assertMayMove(history: History, target: Target, note: string): void {
  const nodes = history.nodes();
  const asked = nodes.findLast((node) => isRequest(history, node))?.order ?? -1;
  const since = nodes.filter(({ order, entry }) => order > asked && readArrival(entry)?.by === "agent");
  const again = since.find(({ entry }) => {
    const arrival = readArrival(entry);
    return arrival?.targetId === target.nodeId && arrival.note === checkedNote(note);
  });
  if (again) {
    throw timeTravelError("same-move", {
      expected: "another place, or a note that says something new",
      found:
        `a move to ${quotedInline(target.asked.trim(), 100)} with the note of ${nameInline(again.id)}, which was ` +
        "made in this turn",
      todo:
        "Going back there again with the same note leads here again. Do something else, or say in the note what " +
        "is different now.",
    });
  }
  if (since.length >= MAX_MOVES) {
    throw timeTravelError("too-many-moves", {
      expected: `at most ${MAX_MOVES} moves in a turn of the user's`,
      found: `${since.length} since the user's last message`,
      todo: "Answer from where you are, and tell the user what stands in the way.",
    });
  }
}
