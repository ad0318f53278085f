/**
 * `node --import openclaw-integrity/register`: OpenClaw runs patched, and its files are not changed. The option reaches
 * each process that OpenClaw starts, so this file is small and loads the rest when a file of an OpenClaw is loaded.
 */
import type * as nodeModule from "node:module";
import { isEnabled } from "../guard/base/switch.ts";
import { builtin } from "./hook/builtin.ts";
import { hooksFor, type Patched } from "./hook/hooks.ts";

interface Protect {
  patch(root: string, folder: string): Patched | undefined;
}

function patch(root: string): Patched | undefined {
  const { dirname, join } = builtin("node:path");
  const folder = dirname(builtin("node:url").fileURLToPath(import.meta.url));
  // In a checkout the hook can run from its source.
  const name = builtin("node:fs").existsSync(join(folder, "protect.mjs")) ? "protect.mjs" : "protect.ts";
  const { patch: patchIn } = builtin("node:module").createRequire(import.meta.url)(join(folder, name)) as Protect;
  return patchIn(root, folder);
}

/** Set in each thread that has the hooks: NODE_OPTIONS and the command line may name them both. */
const INSTALLED = Symbol.for("openclaw-integrity.register.hooks");
const here = globalThis as Record<symbol, unknown>;

if (isEnabled() && here[INSTALLED] === undefined) {
  here[INSTALLED] = true;
  const registerHooks = builtin("node:module")?.registerHooks as typeof nodeModule.registerHooks | undefined;
  if (registerHooks !== undefined) registerHooks(hooksFor(patch));
  else (await import("./old-node.ts")).reportOldNode(process.argv[1]);
}
