/**
 * `npm run generate notices`: writes THIRD_PARTY_NOTICES from what the bundler put into each file of dist, and the licences of
 * these packages. `npm run generate notices -- --check`: fails when the file is not what the build gives now.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readLicence } from "./licence.ts";
import { differences, recordedContents, scannedContents } from "./modules.ts";
import { noticesText } from "./notices-text.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const path = join(repository, "THIRD_PARTY_NOTICES");
const GUARD = "dist/guard.mjs";

try {
  const contents = scannedContents();
  const faults = differences(recordedContents(), contents);
  const inGuard = contents.get(GUARD);
  if (inGuard === undefined || inGuard.length > 0)
    faults.push(
      `expected ${GUARD} to contain no code of others; found ${inGuard?.join(", ") ?? "no such file"}. Nothing is added to what is put into OpenClaw.`,
    );
  if (faults.length > 0) throw new Error(faults.join("\n"));
  const folders = [...new Set([...contents.values()].flat())];
  const text = noticesText(contents, new Map(folders.map((folder) => [folder, readLicence(join(repository, folder))])));
  if (!process.argv.includes("--check")) writeFileSync(path, text);
  else if (!existsSync(path) || readFileSync(path, "utf8") !== text)
    throw new Error("THIRD_PARTY_NOTICES is not what the bundles contain. Run: npm run generate notices");
} catch (error) {
  console.error(`notices: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
