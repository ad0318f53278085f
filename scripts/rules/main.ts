/**
 * `npm run generate rules`: writes the lists of docs/provider-rules.md from the cards in harness/rules.
 * `npm run generate rules -- --check`: fails when they are not what the cards say.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { CARDS, SUSPECTED } from "../../harness/rules/index.ts";
import { withLists } from "./lists.ts";

const path = new URL("../../docs/provider-rules.md", import.meta.url);

try {
  const stored = readFileSync(path, "utf8");
  const written = withLists(stored, CARDS, SUSPECTED);
  if (!process.argv.includes("--check")) writeFileSync(path, written);
  else if (written !== stored)
    throw new Error("docs/provider-rules.md is not what the cards in harness/rules say. Run: npm run generate rules");
} catch (error) {
  console.error(`rules: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
