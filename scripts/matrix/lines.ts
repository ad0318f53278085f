/** One line of progress for each release. */
import { PATCH_POINTS } from "../../src/patching/points/index.ts";
import type { ReleaseCheck } from "./check.ts";
import type { RealRun } from "./real.ts";

/** What the engine did with a release. */
export function checkLine({ release, outcome, faults, points, gateRuns }: ReleaseCheck): string {
  const copies = PATCH_POINTS.map(({ id }) => points[id]?.copies ?? 0);
  const leftOut = PATCH_POINTS.filter(({ id }) => points[id]?.outcome === "left-out").map(
    ({ id }) => `, ${id} left out`,
  );
  const found = `${copies.reduce((sum, count) => sum + count, 0)} lines (${copies.join("+")})${leftOut.join("")}`;
  if (outcome === "refused") return `${release.padEnd(12)} refused: ${faults[0] ?? ""}`;
  const held =
    faults.length === 0 ? `reverted byte for byte, ${gateRuns} histories through the gates` : `${faults.length} faults`;
  return `${release.padEnd(12)} applied ${found}, verified, ${held}`;
}

/** What became of its sessions. */
export function realLine({ stock, patched, faults }: RealRun): string {
  const rest = faults.length === 0 ? "" : `, ${faults.length} not as they have to be`;
  return `${"".padEnd(12)} ran ${stock.runs} cases: stock bricked ${stock.bricked}, lossy ${stock.lossy}; patched bricked ${patched.bricked}, lossy ${patched.lossy}${rest}`;
}
