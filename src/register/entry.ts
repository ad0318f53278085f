/**
 * `node --import openclaw-integrity/register`: OpenClaw runs patched, and its files are not changed. The option reaches
 * each process that OpenClaw starts, so this file is small and loads the rest when a file of an OpenClaw is loaded.
 */
import { existsSync } from "node:fs";
import * as nodeModule from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isEnabled } from "../guard/base/switch.ts";
import { hooksFor, type Patched } from "./hooks.ts";

interface Protect {
  patch(root: string, folder: string): Patched | undefined;
}

const FOLDER = dirname(fileURLToPath(import.meta.url));

function protect(): Protect {
  // In a checkout the hook can run from its source.
  const name = existsSync(join(FOLDER, "protect.mjs")) ? "protect.mjs" : "protect.ts";
  return nodeModule.createRequire(import.meta.url)(join(FOLDER, name)) as Protect;
}

/** Set in each thread that has the hooks: NODE_OPTIONS and the command line may name them both. */
const INSTALLED = Symbol.for("openclaw-integrity.register.hooks");
const here = globalThis as Record<symbol, unknown>;

if (isEnabled() && here[INSTALLED] === undefined) {
  here[INSTALLED] = true;
  if (typeof nodeModule.registerHooks === "function")
    nodeModule.registerHooks(hooksFor((root) => protect().patch(root, FOLDER)));
  else (await import("./old-node.ts")).reportOldNode(process.argv[1]);
}
