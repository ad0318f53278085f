/** What happens on a Node that has no hooks. */
import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { warn } from "./announce.ts";
import { Places } from "./hook/place.ts";
import { isRequired, refuse } from "./required.ts";

/** Says that this Node is too old, when `script` is one of OpenClaw's. Ends the process when the patch is required. */
export function reportOldNode(script: string | undefined): void {
  if (!isOpenclaw(script)) return;
  const why =
    "expected Node 22.15, 23.5 or later, which have module.registerHooks; found " +
    `Node ${process.versions.node}. ` +
    "Update Node, or patch the files: npx openclaw-integrity apply";
  if (isRequired()) refuse(why);
  warn(`OpenClaw runs WITHOUT the patch: ${why}`);
}

/** Whether a script is OpenClaw's command: it lies in the package's folder, or in its dist. */
function isOpenclaw(script: string | undefined): boolean {
  try {
    const folder = dirname(realpathSync(script ?? ""));
    const root = basename(folder) === "dist" ? dirname(folder) : folder;
    return new Places().findRoot(pathToFileURL(join(root, "dist", "entry.js")).href) !== undefined;
  } catch {
    return false;
  }
}
