import type { Files } from "./places.ts";
import { timeTravelError } from "../errors.ts";
import type { History } from "../history.ts";
import { readArrival, type MoveArrival } from "../records.ts";

/** The move that an undo takes back: where it left from, and whether it brought files back. */
export interface LastMove {
  /** The target of the undo, in a form that `resolveTarget` accepts. */
  readonly place: string;
  readonly files: Files;
}

/**
 * Returns the last move on the present path that was not taken back, an agent's or an operator's: an undo after an undo
 * takes back the move before. Throws `bad-target` when there is none.
 */
export function requireLastMove(history: History): LastMove {
  const move = history.headId === null ? undefined : movesInEffect(history).get(history.headId);
  if (move) return { place: move.departureId ?? "root", files: move.files ?? "keep" };
  throw timeTravelError("bad-target", {
    expected: "a conversation that was moved, and not only back again",
    found: "no such move on its present path",
    todo: "Name a place to go to. Nothing was moved.",
  });
}

/**
 * The last move in effect at each node. A move of an operator's to where the last one had left from takes that one
 * back, and what was in effect at its target is in effect again.
 */
function movesInEffect(history: History): ReadonlyMap<string, MoveArrival> {
  const moves = new Map<string, MoveArrival>();
  for (const { id, parentId, entry } of history.nodes()) {
    const before = parentId === null ? undefined : moves.get(parentId);
    const arrival = readArrival(entry);
    const departure = typeof arrival?.departureId === "string" ? history.node(arrival.departureId) : undefined;
    const undone = departure && moves.get(departure.id);
    const isUndo = arrival?.by === "operator" && undone !== undefined && undone.departureId === arrival.targetId;
    const move = arrival === undefined || isUndo ? before : arrival;
    if (move) moves.set(id, move);
  }
  return moves;
}
