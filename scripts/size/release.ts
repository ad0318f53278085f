import { join } from "node:path";
import { apply } from "../../src/patching/apply.ts";
import { releaseFacts } from "../../src/patching/base/releases.ts";
import { withLock } from "../../src/patching/write/lock.ts";
import { installRelease } from "../matrix/install.ts";

/** Installs any release unless it is there, patched where that is asked for. Returns the folder of its node_modules. */
export async function installRoot(release: string, variant: "stock" | "patched"): Promise<string> {
  const integrity = releaseFacts(release)?.integrity;
  const installed = await installRelease(release, { integrity, say: (line) => console.error(line) });
  const root = join(installed[variant], "../..");
  if (variant === "patched") await withLock(join(root, "..", "lock"), () => apply(installed.patched));
  return root;
}
