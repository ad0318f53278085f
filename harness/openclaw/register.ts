/** An OpenClaw that is patched in memory, by the built hook. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const HOOK = new URL("../../dist/register/index.mjs", import.meta.url);

/** The environment of a Node process in which OpenClaw runs patched, or not at all. */
export function registerEnvironment(): Record<string, string> {
  if (!existsSync(fileURLToPath(HOOK)))
    throw new Error(`expected the built hook in ${fileURLToPath(HOOK)}; found none. Run: npm run build`);
  return { NODE_OPTIONS: `--import=${HOOK.href}`, OPENCLAW_INTEGRITY: "required" };
}
