/**
 * `npm run check:changed [-- --all] [--since REF]`: what concerns the changes since a commit, the last one by default, with
 * those that are not committed: lint, types, and the quick tests of the rooms that were touched. `--all` adds the slow
 * tests and the scripts that checks.ts has for them. Exit code 1 at the first that fails.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { listChecks } from "./checks.ts";

const { values } = parseArgs({
  options: { all: { type: "boolean", default: false }, since: { type: "string", default: "HEAD" } },
});

function git(...words: string[]): string[] {
  return execFileSync("git", words, { encoding: "utf8" }).split("\n").filter(Boolean);
}

function run(command: string, words: readonly string[]): void {
  const began = performance.now();
  console.log(`\n> ${command} ${words.join(" ")}`);
  const { status } = spawnSync(command, words, { stdio: "inherit" });
  console.log(`${((performance.now() - began) / 1000).toFixed(0)} s`);
  if (status !== 0) process.exit(1);
}

const files = [...git("diff", "--name-only", values.since), ...git("ls-files", "--others", "--exclude-standard")];
const { tests, scripts } = listChecks(files);
console.log(`${files.length} files changed since ${values.since}; their tests: ${tests.join(" ")}`);
for (const name of ["lint", "typecheck", "build"]) run("npm", ["run", "--silent", name]);
run("npx", ["vitest", "run", ...tests, ...(values.all ? [] : ["--exclude", "**/*.{slow,heavy}.test.ts"])]);
if (values.all) for (const script of scripts) run("npm", ["run", ...script.split(" ")]);
else if (scripts.length > 0)
  console.log(`\nbefore a pull request: npm run check:changed -- --all, with ${scripts.join("; ")}`);
