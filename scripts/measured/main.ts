/**
 * `node scripts/measured/main.ts`: of each page of results/ the commit of its oldest figures, and how many commits have
 * changed since then the code that the page measures, most first. Nothing fails by it: whether a change could move a
 * figure is for a person to judge. A clone without its history cannot tell.
 */
import { readFileSync } from "node:fs";
import { printTable } from "../fuzz/table.ts";
import { git } from "./making.ts";
import { listCommits, MEASURED } from "./pages.ts";

const ages = Object.entries(MEASURED).map(([page, code]) => {
  const commits = listCommits(readFileSync(new URL(`../../results/${page}`, import.meta.url), "utf8"));
  const counted = commits.map((commit) => ({ commit, since: countSince(commit, code) }));
  return { page, ...counted.reduce((oldest, one) => (one.since > oldest.since ? one : oldest)) };
});
const older = ages.filter(({ since }) => since !== 0).toSorted((one, other) => other.since - one.since);
console.log(`${older.length} of ${ages.length} pages of results/ are older than code that they measure`);
printTable([
  ["page", "measured at", "commits since"],
  ...older.map(({ page, commit, since }) => [page, commit, since === Infinity ? "not in this clone" : String(since)]),
]);

/** Counts the commits since this one that changed this code; infinity where the clone lacks the commit. */
function countSince(commit: string, code: readonly string[]): number {
  try {
    return Number(git("rev-list", "--count", "--no-merges", `${commit}..HEAD`, "--", ...code, ":!*.test.ts"));
  } catch {
    return Infinity;
  }
}
