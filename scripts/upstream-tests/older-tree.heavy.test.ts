/** The pull requests that have a form for a whole tree: their tests in that tree, without the change and with it. */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { tryStep } from "../sources/step.ts";
import { resetTree, withTree, type Tree } from "../sources/tree.ts";
import { applyExactly, parseDiff } from "../upstream/diff-file.ts";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const RELEASE = "2026.4.12-beta.1";
const FOLDER = process.env["OPENCLAW_SOURCES"] ?? "";
const [ARCHIVE] = existsSync(FOLDER) ? globSync(join(FOLDER, `*${RELEASE}*.{tgz,txz}`)) : [];
const DIFFS = globSync(`upstream/*/${RELEASE}.diff`, { cwd: REPOSITORY }).toSorted();

describe.skipIf(ARCHIVE === undefined)(`the tree of ${RELEASE} (needs OPENCLAW_SOURCES)`, () => {
  test.each(DIFFS)("%s: its test fails without the change and passes with it", { timeout: 3_600_000 }, async (diff) => {
    const parent = join(REPOSITORY, ".cache", "upstream-tests");
    await withTree(
      ARCHIVE!,
      parent,
      () => undefined,
      (tree) => tryOut(tree, diff),
    );
  });
});

async function tryOut({ root, tools }: Tree, diff: string): Promise<void> {
  const changes = parseDiff(readFileSync(join(REPOSITORY, diff), "utf8"));
  const added = changes.filter(({ isNew }) => isNew);
  const tests = changes.map(({ path }) => path).filter((path) => path.endsWith(".test.ts"));
  const run = async (): Promise<number> => {
    const args = ["run", "test", "--maxWorkers=1", ...tests];
    const log = join(newFolder(), "log");
    return (await tryStep({ name: "test", program: tools.pnpm, args, folder: root, env: tools.env, log })).code;
  };
  resetTree(root);
  try {
    for (const change of added) write(join(root, change.path), applyExactly("", change));
    expect(await run()).not.toBe(0);
    for (const change of changes.filter(({ isNew }) => !isNew)) {
      const file = join(root, change.path);
      write(file, applyExactly(readFileSync(file, "utf8"), change));
    }
    expect(await run()).toBe(0);
  } finally {
    for (const { path } of added) rmSync(join(root, path), { force: true });
    resetTree(root);
  }
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
