/**
 * The installed hook: its code with the engine, and the guard. The cache of patched files is bound to its hash, so that
 * no file is served that another version has patched.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../patching/base/hash.ts";

export interface HookBuild {
  /** The guard's text. */
  readonly guard: string;
  /** Hash of the guard and of every code file in the hook's folder, the engine included. */
  readonly identity: string;
}

/** Reads the hook in `folder` and the guard beside it. Throws what the file system throws. */
export function readHookBuild(folder: string): HookBuild {
  // In a checkout the hook can run from its source.
  const places = [join(folder, "..", "guard.mjs"), join(folder, "..", "..", "dist", "guard.mjs")];
  const guard = readFileSync(places.find((place) => existsSync(place)) ?? places[0]!, "utf8");
  const names = readdirSync(folder).filter((name) => /\.m?[jt]s$/.test(name));
  const code = names.toSorted().map((name) => readFileSync(join(folder, name), "utf8"));
  return { guard, identity: sha256(JSON.stringify([guard, ...code])) };
}
