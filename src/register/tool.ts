/** The built hook with its engine and its guard, as one thing that the cache is bound to. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../patching/base/hash.ts";

/** What {@link readTool} read. */
export interface Tool {
  /** The guard's text. */
  readonly guard: string;
  /** Hash of the guard and of all code of the hook. */
  readonly identity: string;
}

/** Reads the hook in `folder` and the guard beside it. Throws what the file system throws. */
export function readTool(folder: string): Tool {
  // In a checkout the hook can run from its source.
  const places = [join(folder, "..", "guard.mjs"), join(folder, "..", "..", "dist", "guard.mjs")];
  const guard = readFileSync(places.find((place) => existsSync(place)) ?? places[0]!, "utf8");
  const names = readdirSync(folder).filter((name) => /\.m?[jt]s$/.test(name));
  const code = names.toSorted().map((name) => readFileSync(join(folder, name), "utf8"));
  return { guard, identity: sha256(JSON.stringify([guard, ...code])) };
}
