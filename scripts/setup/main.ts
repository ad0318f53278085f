/** Makes a fresh checkout ready: builds what goes into OpenClaw, installs the base releases, patches a copy of each. */
import { fileURLToPath } from "node:url";
import { buildDist } from "../../harness/build.ts";
import { ensurePatched } from "../../harness/openclaw/ensure-release.ts";
import { PatchError } from "../../src/patching/base/errors.ts";
import { assertNode } from "../../harness/npm.ts";
import { LATEST, RELEASES, type Release } from "../../src/patching/base/releases.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const say = (line: string): void => console.log(`setup: ${line}`);

try {
  assertNode();
  say("building dist/");
  buildDist();
  await install(LATEST);
  for (const { release } of RELEASES.filter((one) => one.release !== LATEST)) {
    try {
      await install(release);
    } catch (error) {
      // The latest is enough for most; tests and scripts install the other one when they first need it.
      say(`OpenClaw ${release} could not be installed, and is left out: ${String(error)}`);
    }
  }
  say("ready: npm start");
} catch (error) {
  console.error(`setup: ${error instanceof PatchError ? error.message : String(error)}`);
  process.exitCode = 1;
}

async function install(release: Release): Promise<void> {
  const { patched } = await ensurePatched(release, { say });
  say(`OpenClaw ${release} is installed and patched (${patched.slice(repository.length)})`);
}
