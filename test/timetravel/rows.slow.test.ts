import { describe } from "vitest";
import { DESTINATIONS, keptByCompaction, leftBranch, movesTo } from "./destination-cases.ts";
import { filesBackAndForth, takenBackByPerson } from "./file-cases.ts";
import { recoveryAfterMoves } from "./recovery-cases.ts";
import { shareWorkspace } from "./shared-workspace.ts";
import { shownQuestion } from "./shown-question-cases.ts";

// What its own store, retries and compactions have a part in; all moves: moves.heavy.test.ts and files.heavy.test.ts.
describe("an agent of OpenClaw 2026.9.6 moves in its history, which is in rows", () => {
  const workspace = shareWorkspace("2026.9.6");
  const { live } = workspace;
  movesTo(live, DESTINATIONS.slice(0, 1));
  leftBranch(live);
  keptByCompaction(live, [1]);
  recoveryAfterMoves(live, "2026.9.6", /far behind/);
  shownQuestion(live);
  filesBackAndForth(workspace);
  takenBackByPerson(workspace);
});
