/** Moves through the history as the report draws them. */
import { expect, test } from "vitest";
import { departuresIn, entriesIn, showCheckup, State } from "../../test/doctor/state.ts";
import { MOVED_ROWS, MOVED_TRANSCRIPT, SECRET } from "../../test/timetravel/moves.ts";
import { CARRYOVER_TYPE } from "../timetravel/index.ts";
import { parseRows } from "../store/catalog/parse-rows.ts";
import type { SessionSummary } from "../store/index.ts";
import { drawSession } from "./drawing/draw-session.ts";
import type { Drawing } from "./drawing/drawing.ts";

const drawn = (transcript: string): Drawing =>
  drawSession(parseRows(transcript), { sessionId: "moved" } as SessionSummary, {
    checkpoints: [],
    withWords: false,
    limit: Number.POSITIVE_INFINITY,
  });

test("a path that the agent left is told as its own move, and one that the operator left as the operator's; where each arrived stands with what was taken along", () => {
  const drawing = drawn(MOVED_TRANSCRIPT);
  expect(departuresIn(drawing).map(({ tipId, cause, move }) => [tipId, cause, move])).toEqual([
    ["r1", "move", { by: "agent", arrivalId: "n1" }],
    ["b3", "move", { by: "operator", arrivalId: "n2" }],
  ]);
  expect(
    entriesIn(drawing.line).flatMap(({ id, note }) => (note ? [[id, note.kind, note.by, note.from, note.length]] : [])),
  ).toEqual([
    ["n1", "arrival", "agent", "r1", `${SECRET} note`.length],
    ["n2", "arrival", "operator", "b3", `${SECRET} note`.length],
  ]);
  expect(
    departuresIn(drawing)
      .flatMap(({ items }) => entriesIn(items))
      .filter(({ moves, note }) => moves.length > 0 || note)
      .map(({ id, note }) => [id, note?.kind]),
  ).toEqual([
    ["r1", undefined],
    ["f1", "aborted"],
    ["b3", undefined],
  ]);
});

test("a move sideways, onto a branch that was left before, is told where it left and not where it arrived", () => {
  const sideways = {
    type: "custom_message",
    id: "n3",
    parentId: "r1",
    timestamp: "2026-11-22T21:20:00.000Z",
    customType: CARRYOVER_TYPE,
    content: "x",
    display: true,
    details: { intentId: "five", departureId: "b4", targetId: "r1", by: "agent" },
  };
  const drawing = drawn([...MOVED_ROWS, sideways].map((row) => `${JSON.stringify(row)}\n`).join(""));
  expect(departuresIn(drawing).map(({ tipId, cause, move }) => [tipId, cause, move?.arrivalId])).toContainEqual([
    "b4",
    "move",
    "n3",
  ]);
});

test("the page tells of them in words of its own, and of what was said nothing", async () => {
  const state = new State();
  state.put("moved", MOVED_TRANSCRIPT);
  const shown = showCheckup(await state.check());
  for (const words of [
    "left by the agent itself",
    "left by the operator",
    "⇢ the agent moved here from r1, with a note of 12 characters",
    "⇢ the operator moved the conversation here from b3",
    "⇠ the agent left from here, and arrived with n1",
    "a move of the agent that failed",
  ])
    expect(shown).toContain(words);
  expect(shown).not.toContain(SECRET);
  expect(shown).not.toContain("Repairs and incidents");
});
