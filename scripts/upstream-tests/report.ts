/** The results of OpenClaw's own tests as a page. */
import { markdownTable } from "../fuzz/table.ts";
import { describeMaking } from "../measured/making.ts";
import { withOthers } from "../sources/page.ts";
import type { TestRun } from "./run.ts";

/** One tree, and the command that ran its tests. */
export interface TreeRun {
  readonly release: string;
  readonly notes: readonly string[];
  /** How many test files match, of which every n-th was asked for. */
  readonly all: number;
  readonly run: TestRun;
  readonly command: string;
  /** Which test files were asked for. */
  readonly globs: readonly string[];
}

const COLUMNS = ["sources", "test files", "tests", "passed in both", "skipped in both", "failed in both", "differ"];

/** Whether the patch changes no result; a run without a test shows nothing. */
export function isGood({ tests, differences, outside }: TestRun): boolean {
  return tests > 0 && differences.length === 0 && outside.patched.every((error) => outside.unpatched.includes(error));
}

/** The page: these trees, and those of the `previous` page that were not run now. */
export function formatReport(trees: readonly TreeRun[], previous: string): string {
  const all = withOthers(
    trees.map((tree) => ({
      release: tree.release,
      row: `| ${formatRow(tree).join(" | ")} |`,
      section: formatSection(tree).join("\n"),
    })),
    previous,
  );
  return [
    "# OpenClaw's own tests, before and after the patch",
    "",
    "Test files in OpenClaw's own sources, run by its own Vitest and its own configurations: on the sources as they are, and on the",
    "same sources after `openclaw-integrity apply --source`. Compared test by test; end-to-end tests are among them, live tests, which",
    "need keys, are not.",
    "",
    [markdownTable([COLUMNS]), ...all.map(({ row }) => row)].join("\n"),
    "",
    ...all.flatMap(({ section }) => [section, ""]),
  ].join("\n");
}

function formatRow({ release, all, run }: TreeRun): readonly string[] {
  return [
    release,
    run.files === all ? String(all) : `${run.files} of ${all}`,
    ...[run.tests, run.passed, run.skipped, run.failed.length, run.differences.length].map(String),
  ];
}

function formatSection({ release, notes, run, command, globs }: TreeRun): readonly string[] {
  const { failed, differences, unsteady, leftOut, outside } = run;
  return [
    `## ${release}`,
    "",
    `${describeMaking(command)} Test files: ${globs.map((glob) => `\`${glob}\``).join(", ")}.`,
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
    ...outside.unpatched.map((error) => `- Error outside of a test, without the patch: ${error}`),
    ...outside.patched.map((error) => `- Error outside of a test, with the patch: ${error}`),
    ...(leftOut.length > 0
      ? [
          `- No result in either: ${leftOut.length} files, left out by the sources' configurations or ended: ${leftOut.join(", ")}.`,
        ]
      : []),
  ];
}
