/** Which OpenClaw a module's URL belongs to. Builtin modules only: this runs in every process with the option. */
import { builtin } from "./builtin.ts";

const DIST = "/dist/";
const PACKAGES = "/node_modules/";

/** Finds the OpenClaw around a module, and remembers the answer for each folder. */
export class Places {
  readonly #roots = new Map<string, string | undefined>();

  /** The folder of the OpenClaw whose dist contains the module of a `file:` URL; undefined for any other module. */
  findRoot(url: string): string | undefined {
    if (!url.startsWith("file:")) return undefined;
    for (let at = url.indexOf(DIST); at >= 0; at = url.indexOf(DIST, at + 1)) {
      const folder = url.slice(0, at);
      if (!this.#roots.has(folder)) this.#roots.set(folder, openclawIn(folder));
      const root = this.#roots.get(folder);
      if (root !== undefined) return root;
    }
    return undefined;
  }
}

function openclawIn(url: string): string | undefined {
  const inside = url.lastIndexOf(PACKAGES);
  const isNamed = inside < 0 || url.slice(inside + PACKAGES.length) === "openclaw";
  try {
    const { existsSync, readFileSync } = builtin("node:fs");
    const folder = builtin("node:url").fileURLToPath(url);
    // A package may be installed under another name; the manifests of all others are not read.
    if (!isNamed && !existsSync(`${folder}/openclaw.mjs`)) return undefined;
    const { name } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as { readonly name?: unknown };
    return name === "openclaw" ? folder : undefined;
  } catch {
    return undefined;
  }
}
