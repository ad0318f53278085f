/**
 * `node scripts/house/main.ts`: how large the project is, as a table: lines of code without blanks and comments, words of the
 * pages, commands and options, scripts, and what a newcomer has to learn. In another checkout it measures that one.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { countCodeLines } from "../../harness/code-lines.ts";
import { program } from "../../src/cli/program.ts";

const files = execFileSync("git", ["ls-files"], { encoding: "utf8" }).split("\n").filter(Boolean);
const read = (file: string): string => readFileSync(file, "utf8");
const isTest = (file: string): boolean => file.startsWith("test/") || file.endsWith(".test.ts");
const isCode = (file: string): boolean => /\.[cm]?[jt]sx?$/.test(file);

function lines(wanted: (file: string) => boolean): string {
  const chosen = files.filter((file) => isCode(file) && wanted(file));
  const count = countCodeLines(chosen.map(read).join("\n"));
  return `${count.toLocaleString("en")} lines in ${chosen.length} files`;
}

function words(wanted: (file: string) => boolean): string {
  const pages = files.filter((file) => file.endsWith(".md") && wanted(file));
  const count = pages.flatMap((file) => read(file).split(/\s+/).filter(Boolean)).length;
  return `${count.toLocaleString("en")} in ${pages.length} pages`;
}

function flattenCommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(flattenCommands)];
}

/** How many rows the tables of a part of the architecture's page have. */
function rows(heading: string): number {
  const [, part = ""] = read("docs/architecture.md").split(`\n## ${heading}\n`);
  return (part.split("\n## ")[0]?.match(/^(?:\||- )/gm) ?? []).length;
}

const commands = program.commands.flatMap(flattenCommands);
const acting = commands.filter((command) => command.commands.length === 0);
const options = commands.flatMap((command) => command.options);
const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
const table: readonly (readonly [string, string | number])[] = [
  ["source", lines((file) => file.startsWith("src/") && !isTest(file))],
  ["tests", lines(isTest)],
  ["scripts", lines((file) => file.startsWith("scripts/") && !isTest(file))],
  ["harness", lines((file) => file.startsWith("harness/") && !isTest(file))],
  ["words for users (docs/, README, SECURITY)", words((file) => /^(?:docs\/|README|SECURITY)/.test(file))],
  ["words for contributors", words((file) => file === "CONTRIBUTING.md")],
  ["words of results/", words((file) => file.startsWith("results/"))],
  ["commands", acting.length],
  ["their options", options.length],
  ["npm scripts", Object.keys(scripts).length],
  ["rooms, with the head of their table", rows("Rooms")],
  ["terms of the glossary, with its head", rows("Glossary")],
];
console.log(`| | ${execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim()} |\n| - | - |`);
for (const [what, count] of table) console.log(`| ${what} | ${count} |`);
