/**
 * `npm run generate cli`: writes the commands of docs/cli.md from their own help, each with the example in examples.ts.
 * `npm run generate cli -- --check`: fails when the page is not what they say.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { program } from "../../src/cli/program.ts";
import { EXAMPLES } from "./examples.ts";
import { commandPages } from "./page.ts";

const path = new URL("../../docs/cli.md", import.meta.url);
const BEGIN = "<!-- commands: npm run generate cli -->";
const END = "<!-- end -->";

try {
  const stored = readFileSync(path, "utf8");
  const from = stored.indexOf(BEGIN);
  const to = stored.indexOf(END, from);
  if (from < 0 || to < 0)
    throw new Error(`expected the marks ${BEGIN} and ${END} in docs/cli.md; found none. Add them.`);
  const written = `${stored.slice(0, from + BEGIN.length)}\n\n${commandPages(program, EXAMPLES)}\n\n${stored.slice(to)}`;
  if (!process.argv.includes("--check")) writeFileSync(path, written);
  else if (written !== stored)
    throw new Error("docs/cli.md is not what the commands' help says. Run: npm run generate cli");
} catch (error) {
  console.error(`cli: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
