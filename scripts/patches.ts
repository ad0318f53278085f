/**
 * `npm run patches`: writes patches/openclaw+<release>.patch from the patch points.
 * `npm run patches -- --check`: fails when the files are not what the patch points give now.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureRelease } from "../src/patching/ensure-release.ts";
import { PatchError } from "../src/patching/errors.ts";
import { patchFileName, patchFileText } from "../src/patching/patch-file.ts";
import { plan } from "../src/patching/plan.ts";
import type { Release } from "../src/patching/points.ts";
import { RELEASES } from "../src/patching/releases.ts";

const folder = fileURLToPath(new URL("../patches", import.meta.url));
const check = process.argv.includes("--check");
mkdirSync(folder, { recursive: true });

async function refresh(release: Release): Promise<void> {
  const { stock } = await ensureRelease(release, { say: console.log });
  const name = patchFileName(release);
  const path = join(folder, name);
  const text = patchFileText(plan(stock));
  const current = existsSync(path) ? readFileSync(path, "utf8") : undefined;
  if (current === text) console.log(`patches/${name} is up to date`);
  else if (check) {
    console.error(`patches/${name} is not what the patch points give. Run: npm run build && npm run patches`);
    process.exitCode = 1;
  } else {
    writeFileSync(path, text);
    console.log(`wrote patches/${name} (${text.split("\n").length - 1} lines)`);
  }
}

try {
  for (const { release } of RELEASES) await refresh(release);
} catch (error) {
  if (!(error instanceof PatchError)) throw error;
  console.error(`patches: ${error.message}`);
  process.exitCode = 1;
}
