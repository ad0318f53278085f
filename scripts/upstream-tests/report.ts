/** The results of OpenClaw's own tests as a page. */
import { markdownTable } from "../fuzz/table.ts";
import type { TestRun } from "./run.ts";

/** One tree. */
export interface TreeRun {
  readonly release: string;
  readonly notes: readonly string[];
  /** How many test files match, of which every n-th was asked for. */
  readonly all: number;
  readonly run: TestRun;
}

/** What the page says of its making. */
export interface Making {
  readonly command: string;
  /** Which test files were asked for. */
  readonly globs: readonly string[];
  readonly date: string;
  readonly node: string;
}

/** The page. */
export function reportOf(trees: readonly TreeRun[], { command, globs, date, node }: Making): string {
  return [
    "# OpenClaw's own tests, before and after the patch",
    "",
    `\`${command}\`, ${date}, Node ${node}. The test files of ${globs.map((glob) => `\`${glob}\``).join(", ")} in OpenClaw's own`,
    "sources, run by its own Vitest and its own configurations: on the sources as they are, and on the same sources after",
    "`openclaw-integrity apply --source`. Compared test by test. Live tests, which need keys, and end-to-end tests are not among them.",
    "",
    markdownTable([
      ["sources", "test files", "tests", "passed in both", "skipped in both", "failed in both", "differ"],
      ...trees.map(({ release, all, run }) => [
        release,
        run.files === all ? String(all) : `${run.files} of ${all}`,
        ...[run.tests, run.passed, run.skipped, run.failed.length, run.differences.length].map(String),
      ]),
    ]),
    "",
    ...trees.flatMap(treeSection),
  ].join("\n");
}

function treeSection({ release, notes, run }: TreeRun): readonly string[] {
  const { failed, differences, unsteady, leftOut } = run;
  return [
    `## ${release}`,
    "",
    ...notes.map((note) => `- Not as in the sources: ${note}.`),
    ...differences.map(
      ({ file, test, before, after, why }) =>
        `- **differs**: ${file}: ${test}: ${before}, with the patch ${after}. ${why}`,
    ),
    ...unsteady.map(
      ({ file, test, before, after }) =>
        `- Once ${before} without the patch and ${after} with it, the same in both when its file ran again by itself: ${file}: ${test}`,
    ),
    ...failed.map(({ file, test, why }) => `- Fails without the patch too: ${file}: ${test}: ${why}`),
    ...(leftOut.length > 0
      ? [
          `- Left out by the configurations of the sources, or not run: ${leftOut.length} files (${leftOut.slice(0, 10).join(", ")}${leftOut.length > 10 ? ", …" : ""}).`,
        ]
      : []),
    ...(differences.length + unsteady.length + failed.length + leftOut.length + notes.length === 0
      ? ["Nothing to say."]
      : []),
    "",
  ];
}
