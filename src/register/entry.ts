/**
 * `node --import openclaw-integrity/register`: OpenClaw runs patched, and its files are not changed. The option reaches
 * each process that OpenClaw starts, so this file is small and loads the rest when a file of an OpenClaw is loaded.
 */
import { existsSync, realpathSync } from "node:fs";
import * as nodeModule from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isMainThread } from "node:worker_threads";
import { isEnabled } from "../guard/base/switch.ts";
import { hooksFor, type Patched } from "./hooks.ts";
import { isRequired, refuse } from "./required.ts";
import { Places } from "./place.ts";

interface Protect {
  patch(root: string, folder: string): Patched | undefined;
}

const FOLDER = dirname(fileURLToPath(import.meta.url));

function start(): void {
  if (typeof nodeModule.registerHooks !== "function") return withoutHooks();
  nodeModule.registerHooks(hooksFor((root) => protect().patch(root, FOLDER)));
}

function protect(): Protect {
  const name = existsSync(join(FOLDER, "protect.mjs")) ? "protect.mjs" : "protect.ts";
  return nodeModule.createRequire(import.meta.url)(join(FOLDER, name)) as Protect;
}

/** Says that this Node is too old, in an OpenClaw only. */
function withoutHooks(): void {
  if (!isMainThread || !isOpenclaw(process.argv[1])) return;
  const text = `expected Node 22.15, 23.5, 24 or later, which have module.registerHooks; found Node ${process.versions.node}. Update Node, or patch the files: npx openclaw-integrity apply`;
  if (isRequired()) refuse(text);
  process.stderr.write(`[openclaw-integrity] OpenClaw runs WITHOUT the patch: ${text}\n`);
}

function isOpenclaw(script: string | undefined): boolean {
  try {
    // As the loader does with a package's files; the script lies in the package's folder or in its dist.
    const folder = dirname(realpathSync(script ?? ""));
    const root = folder.endsWith(`${"/"}dist`) ? dirname(folder) : folder;
    return new Places().rootOf(pathToFileURL(join(root, "dist", "entry.js")).href) !== undefined;
  } catch {
    return false;
  }
}

if (isEnabled()) start();
