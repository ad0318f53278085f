/**
 * `npm run patches`: writes patches/openclaw+<release>.patch from the patch points, for both base releases and the last
 * stable release of every month. `npm run patches -- --check`: fails when the files are not what the patch points give
 * now.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PatchError } from "../../src/patching/base/errors.ts";
import { patchFileName, patchFileText } from "../../src/patching/patch-file.ts";
import { plan } from "../../src/patching/plan.ts";
import { patchedReleases } from "../matrix/order.ts";
import { unpackScripts } from "../matrix/unpack.ts";
import { ensureTarball } from "../../harness/tarballs.ts";

const folder = fileURLToPath(new URL("../../patches", import.meta.url));
const check = process.argv.includes("--check");
const releases = patchedReleases();
const scratch = mkdtempSync(join(tmpdir(), "openclaw-patches-"));
mkdirSync(folder, { recursive: true });

async function refresh(release: string): Promise<void> {
  const { path: tarball } = await ensureTarball(release, { say: console.log });
  const root = join(scratch, release);
  await unpackScripts(tarball, root);
  const text = patchFileText(plan(root));
  rmSync(root, { recursive: true });
  const name = patchFileName(release);
  const path = join(folder, name);
  const current = existsSync(path) ? readFileSync(path, "utf8") : undefined;
  if (current === text) console.log(`patches/${name} is up to date`);
  else if (check) complain(`patches/${name} is not what the patch points give`);
  else {
    writeFileSync(path, text);
    console.log(`wrote patches/${name} (${text.split("\n").length - 1} lines)`);
  }
}

function complain(what: string): void {
  console.error(`${what}. Run: npm run build && npm run patches`);
  process.exitCode = 1;
}

try {
  for (const release of releases) await refresh(release);
  const stray = readdirSync(folder).filter((name) => !releases.some((release) => patchFileName(release) === name));
  for (const name of stray) {
    if (check) complain(`patches/${name} belongs to no release of the list`);
    else rmSync(join(folder, name));
  }
} catch (error) {
  if (!(error instanceof PatchError)) throw error;
  console.error(`patches: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
