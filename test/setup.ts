import { chmodSync } from "node:fs";
import { tmpdir } from "node:os";
import { endLeftovers } from "../harness/leftover.ts";
import { openScratch } from "../harness/scratch.ts";
import { COMPILE_CACHE } from "../harness/openclaw/environment.ts";
import { ensurePatched } from "../harness/openclaw/ensure-release.ts";
import { calibrate } from "../harness/patience.ts";
import type { Release } from "../src/patching/index.ts";
import { BASE_RELEASES } from "../harness/openclaw/releases.ts";

/**
 * Installs and patches both base releases before any test looks for them; a second or so when they are there. Returns
 * how to tidy up.
 */
export default async function setup(): Promise<() => void> {
  const slowness = calibrate();
  if (slowness > 1) console.log(`This machine is slow or has other work: limits are ${slowness} times as long.`);
  for (const release of BASE_RELEASES) await ensurePatched(release as Release, { say: (line) => console.log(line) });
  // What tests start from sources of TypeScript loads in half the time.
  process.env["NODE_COMPILE_CACHE"] ??= COMPILE_CACHE;
  // Every worker inherits the folder: what a test that was killed left behind goes with the rest.
  const scratch = openScratch();
  // Tests of what may not be written run as another user, who has to get there.
  chmodSync(tmpdir(), 0o711);
  return () => {
    for (const command of endLeftovers(scratch.folder)) console.log(`Ended what a test had left running: ${command}`);
    scratch.remove();
  };
}
