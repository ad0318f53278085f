/** Which modules the bundler put into which file of dist: told by the bundler itself, and read off the files. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const RECORDS = join(REPOSITORY, ".cache", "modules");
const PACKAGE = /(?:^|[\\/])node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)(?!.*[\\/]node_modules[\\/])/;
/** What the bundler adds of its own. */
const RUNTIME = /^\0?rolldown[\\/]runtime/;

/** The packages of others in each file of dist: the folder of each package below the repository, sorted. */
export type Contents = ReadonlyMap<string, readonly string[]>;

interface Chunk {
  readonly type: string;
  readonly moduleIds?: readonly string[];
}

interface RecordingPlugin {
  readonly name: string;
  generateBundle(options: { readonly dir?: string | undefined }, bundle: Readonly<Record<string, Chunk>>): void;
}

/** Writes down what one run of the bundler puts into its files; `run` tells the runs of a build apart. */
export function recordModules(run: string): RecordingPlugin {
  const files = new Map<string, readonly string[]>();
  return {
    name: "record-modules",
    // Types and code come one after the other.
    generateBundle({ dir = "dist" }, bundle) {
      for (const [name, { moduleIds }] of Object.entries(bundle)) {
        if (moduleIds)
          files.set(
            slashed(relative(REPOSITORY, join(dir, name))),
            moduleIds.map((id) => (id.startsWith("\0") ? id : slashed(relative(REPOSITORY, id)))),
          );
      }
      mkdirSync(RECORDS, { recursive: true });
      writeFileSync(join(RECORDS, `${run}.json`), JSON.stringify(Object.fromEntries(files)));
    },
  };
}

/** What the bundler said of the last build. Throws when it was not built with {@link recordModules}. */
export function recordedContents(): Contents {
  const names = existsSync(RECORDS) ? readdirSync(RECORDS).toSorted() : [];
  if (names.length === 0)
    throw new Error("expected the record of a build in .cache/modules; found none. Run: npm run build");
  const files = names.flatMap((name) =>
    Object.entries(JSON.parse(readFileSync(join(RECORDS, name), "utf8")) as Record<string, string[]>),
  );
  return new Map(files.map(([file, modules]) => [file, packageFolders(modules)]));
}

/**
 * What the files of `dist` themselves say: the bundler writes the path of each module above its code. A minified file
 * says nothing; of it the bundler is believed.
 */
export function scannedContents(dist = join(REPOSITORY, "dist")): Contents {
  const files = readdirSync(dist, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && /\.[cm]?[jt]s$/.test(entry.name),
  );
  const recorded = recordedContents();
  return new Map(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const name = slashed(join("dist", relative(dist, path)));
      const code = readFileSync(path, "utf8");
      if (isMinified(code)) return [name, recorded.get(name) ?? []];
      const modules = [...code.matchAll(/^\/\/ (?:#region )?(.+)$/gm)].map(([, module]) =>
        module!.replace(/^\\0/, "\0"),
      );
      return [
        name,
        packageFolders(modules.filter((module) => RUNTIME.test(module) || /^(?:\.\.\/)*node_modules\//.test(module))),
      ];
    }),
  );
}

/** Whether white space and comments are gone. */
function isMinified(code: string): boolean {
  return code.length > 300 * code.split("\n").length;
}

/** The folders of the packages that modules are of, below the repository. */
export function packageFolders(modules: readonly string[]): readonly string[] {
  const folders = modules.flatMap((module) => {
    if (RUNTIME.test(module)) return "node_modules/rolldown";
    const found = PACKAGE.exec(module);
    return found ? module.slice(0, found.index + found[0].length).replace(/^(?:\.\.\/|\/)+/, "") : [];
  });
  return [...new Set(folders.map(slashed))].toSorted();
}

/** How two accounts of the contents differ, in sentences; none when they agree. */
export function differences(recorded: Contents, scanned: Contents): string[] {
  return [...new Set([...recorded.keys(), ...scanned.keys()])].toSorted().flatMap((file) => {
    const [told, found] = [recorded.get(file), scanned.get(file)];
    if (found === undefined)
      return told!.length === 0 ? [] : [`${file} is not there; the bundler said that it had written it`];
    if (told === undefined)
      return found.length === 0
        ? []
        : [`${file} contains ${found.join(", ")}, and is not of this build: remove dist and build again`];
    return told.join() === found.join()
      ? []
      : [
          `${file}: the bundler says that it contains ${told.join(", ") || "nothing of others"}, and it contains ${found.join(", ") || "nothing of others"}`,
        ];
  });
}

function slashed(path: string): string {
  return path.split(sep).join("/");
}
