/**
 * Resolves imports between files of OpenClaw's dist, as Node does and faster. Releases from August 2026 on have a hook
 * for that of their own, and do not install it where Node has an option such as our `--import`: without this class, a
 * gateway of theirs would start seconds later.
 */
import { builtin } from "./builtin.ts";

const NEIGHBOUR = /^(?:\.\/|(?:\.\.\/)+)[^/?#%\\]+\.js$/;

/** Resolves what Node would resolve to the same URL and format. */
export class Neighbours {
  /** Whether .js files in a folder are ES modules, by the folder's URL. */
  readonly #isModuleIn = new Map<string, boolean>();

  /**
   * The URL of a module beside the importing one or in a folder above it, when it is a file of a package of ES modules;
   * undefined for all that Node has to resolve itself.
   */
  findUrl(specifier: string, parentUrl: string): string | undefined {
    if (!NEIGHBOUR.test(specifier)) return undefined;
    const url = new URL(specifier, parentUrl).href;
    if (!this.#isModule(url.slice(0, url.lastIndexOf("/")))) return undefined;
    // Node follows symbolic links; the folders of the importing module are real ones already.
    const path = builtin("node:url").fileURLToPath(url);
    return builtin("node:fs").lstatSync(path, { throwIfNoEntry: false })?.isFile() === true ? url : undefined;
  }

  /** Whether files with the ending .js in the folder of a URL are ES modules. */
  #isModule(folder: string): boolean {
    const known = this.#isModuleIn.get(folder);
    if (known !== undefined) return known;
    const type = typeIn(folder) ?? this.#isModuleAbove(folder);
    this.#isModuleIn.set(folder, type);
    return type;
  }

  #isModuleAbove(folder: string): boolean {
    const above = folder.slice(0, folder.lastIndexOf("/"));
    return above.length > "file://".length && !above.endsWith("/node_modules") && this.#isModule(above);
  }
}

/** Whether the package.json of a folder has the type "module"; undefined where there is none. */
function typeIn(folder: string): boolean | undefined {
  try {
    const path = builtin("node:url").fileURLToPath(`${folder}/package.json`);
    const text = builtin("node:fs").readFileSync(path, "utf8");
    return (JSON.parse(text) as { readonly type?: unknown }).type === "module";
  } catch (error) {
    // One that cannot be read is for Node to complain about.
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? undefined : false;
  }
}
