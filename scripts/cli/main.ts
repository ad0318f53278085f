/**
 * `npm run generate cli`: writes the commands of docs/cli.md from their own help, each with its example.
 * `npm run generate cli -- --check`: fails when the page is not what they say.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { replaceSection } from "../../harness/replace-section.ts";
import { program } from "../../src/cli/program.ts";
import { EXAMPLES } from "../../src/cli/examples.ts";
import { commandPages } from "./page.ts";

const path = new URL("../../docs/cli.md", import.meta.url);

try {
  const stored = readFileSync(path, "utf8");
  const written = replaceSection(stored, "commands: npm run generate cli", commandPages(program, EXAMPLES));
  if (!process.argv.includes("--check")) writeFileSync(path, written);
  else if (written !== stored)
    throw new Error("docs/cli.md is not what the commands' help says. Run: npm run generate cli");
} catch (error) {
  console.error(`cli: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
