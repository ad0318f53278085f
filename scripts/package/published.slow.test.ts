/** What the two programs say that look at packages before others install them. */
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { installPinned } from "../pinned.ts";
import { packInto, runIn } from "./install.ts";

const tools = await installPinned("published", join(import.meta.dirname, "pins"));

it.skipIf(tools === undefined)("publint and attw find nothing in the tarball, for node16 and for bundlers", () => {
  const folder = newFolder();
  const tarball = packInto(join(folder, "packed"));
  const run = (program: string, ...args: readonly string[]): string =>
    runIn(folder, process.execPath, [join(tools!, "node_modules", program), tarball, ...args]);
  expect(stripVTControlCharacters(run("publint/src/cli.js", "--strict"))).toMatch(/All good!$/);
  // What `node --import` loads has no types, and what is data neither.
  const judged = run(
    "@arethetypeswrong/cli/dist/index.js",
    "--profile",
    "node16",
    "--exclude-entrypoints",
    "register",
    "package.json",
    "--format",
    "json",
  );
  const { analysis } = JSON.parse(judged) as { analysis: { problems: { kind: string; resolutionKind?: string }[] } };
  expect(analysis.problems.filter(({ resolutionKind }) => resolutionKind !== "node10")).toEqual([]);
});
