/** Makes a fresh checkout ready: builds what goes into OpenClaw, installs the latest base release, patches its copy. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ensurePatched } from "../../harness/openclaw/ensure-release.ts";
import { PatchError } from "../../src/patching/base/errors.ts";
import { assertNode } from "../../src/patching/find/node.ts";
import { LATEST } from "../../src/patching/base/releases.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const say = (line: string): void => console.log(`setup: ${line}`);

try {
  assertNode();
  say("building dist/");
  const tsdown = fileURLToPath(import.meta.resolve("tsdown/run"));
  execFileSync(process.execPath, [tsdown, "--log-level", "warn"], { cwd: repository, stdio: "inherit" });
  const { patched } = await ensurePatched(LATEST, { say });
  say(`OpenClaw ${LATEST} is installed and patched (${patched.slice(repository.length)})`);
} catch (error) {
  console.error(`setup: ${error instanceof PatchError ? error.message : String(error)}`);
  process.exitCode = 1;
}
