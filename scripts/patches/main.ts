/**
 * `npm run generate patches`: writes the patch files of both base releases and of the last stable release of every month into
 * patches/. Git has the call sites only. `-- --check`: fails when they are not what the patch points give now.
 * `-- --only <release>`: leaves the files of the other releases of the list as they are.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { PatchError } from "../../src/patching/base/errors.ts";
import { patchFiles, type PatchFiles } from "../../src/patching/patch-file.ts";
import { plan } from "../../src/patching/plan.ts";
import { patchedReleases } from "../matrix/order.ts";
import { unpackScripts } from "../matrix/unpack.ts";
import { refresh, removeStray, type Mode, type Outcome } from "./refresh.ts";
import { ensureTarball } from "../../harness/tarballs.ts";

const folder = fileURLToPath(new URL("../../patches", import.meta.url));
const { values } = parseArgs({ options: { check: { type: "boolean" }, only: { type: "string" } } });
const mode: Mode = values.check === true ? "check" : "write";
const releases = patchedReleases();
const scratch = mkdtempSync(join(tmpdir(), "openclaw-patches-"));

async function makePatchFiles(release: string): Promise<PatchFiles> {
  const { path: tarball } = await ensureTarball(release, { say: console.log });
  const root = join(scratch, release);
  await unpackScripts(tarball, root);
  const files = patchFiles(plan(root));
  rmSync(root, { recursive: true });
  return files;
}

function tell({ done, faults }: Outcome): void {
  for (const line of done) console.log(line);
  for (const fault of faults) {
    console.error(`${fault}. Run: npm run generate patches`);
    process.exitCode = 1;
  }
}

try {
  mkdirSync(folder, { recursive: true });
  for (const release of releases.filter((one) => values.only === undefined || one === values.only))
    tell(refresh(folder, await makePatchFiles(release), mode));
  tell(removeStray(folder, releases, mode));
} catch (error) {
  if (!(error instanceof PatchError)) throw error;
  console.error(`patches: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
