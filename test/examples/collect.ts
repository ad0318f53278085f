/** The examples in the docstrings of the package's exports, as the TypeScript compiler reads them. */
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { API, SymbolFlags, type Checker, type Symbol as CheckedSymbol } from "typescript/unstable/sync";
import { newFolder } from "../../harness/temporary.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** What exports nothing: for `node --import`, and data. */
const NOT_FOR_READERS = new Set(["./register", "./package.json"]);

/** The rooms of modules whose name is another one: openclaw-integrity/transcript also reads what the room of that name does not. */
const ROOMS: Readonly<Record<string, string>> = { "./transcript": "lists" };

/** An exported function or class. */
export interface Documented {
  /** `journal openJournal`; the first entry that exports it. */
  readonly title: string;
  /** The names of all entries that export it: `openclaw-integrity/journal`. */
  readonly modules: readonly string[];
  readonly name: string;
  readonly examples: readonly Example[];
}

/** A fenced block of an `@example`. */
export interface Example {
  readonly code: string;
  /** Type-checked only; the words before the block say why. */
  readonly isRun: boolean;
  /** What stands before the block. */
  readonly words: string;
}

/** The names under which the package exports modules, with the source file of each. */
export function exportedModules(): Record<string, string> {
  const { name, exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    name: string;
    exports: Record<string, unknown>;
  };
  const entries = Object.keys(exports).filter((entry) => !NOT_FOR_READERS.has(entry));
  return Object.fromEntries(
    entries.map((entry) => {
      const adapter = join(ROOT, "src/adapters", `${entry.slice(2)}.ts`);
      const file = existsSync(adapter) ? adapter : join(ROOT, "src", ROOMS[entry] ?? entry.slice(2), "index.ts");
      return [name + entry.slice(1), file];
    }),
  );
}

/** A new folder in which modules find the packages that this repository has installed. */
export function newWorkingFolder(): string {
  const folder = newFolder();
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"), "junction");
  return folder;
}

/** Every exported function and class, once; `folder` is a {@link newWorkingFolder}. */
export function documentedExports(folder: string, modules: Record<string, string>): Documented[] {
  const documented = new Map<number, Documented>();
  withProject(folder, Object.values(modules), ({ checker, program }) => {
    for (const [module, file] of Object.entries(modules)) {
      const source = program.getSourceFile(file);
      const symbol = source && checker.getSymbolAtLocation(source);
      if (!symbol) throw new Error(`${module}: ${file} is no module`);
      for (const exported of checker.getExportsOfModule(symbol)) {
        const original = exported.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
        if (!(original.flags & (SymbolFlags.Function | SymbolFlags.Class))) continue;
        const known = documented.get(original.id);
        documented.set(original.id, {
          title: known?.title ?? `${module.slice(module.indexOf("/") + 1)} ${exported.name}`,
          modules: [...(known?.modules ?? []), module],
          name: exported.name,
          examples: listExamples(original, checker),
        });
      }
    }
  });
  return [...documented.values()];
}

/** The errors of type of a file, as `3: Type ... is not assignable ...`. */
export function typeErrors(folder: string, modules: Record<string, string>, files: readonly string[]): string[][] {
  return withProject(
    folder,
    files,
    ({ program }) =>
      files.map((file) =>
        [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
          ({ pos, text, messageChain }) =>
            `line ${readFileSync(file, "utf8").slice(0, pos).split("\n").length}: ${text}${messageChain ? ` ${messageChain[0]?.text}` : ""}`,
        ),
      ),
    modules,
  );
}

/** What a careful user's tsconfig.json adds to the one of this repository. */
const STRICT = { exactOptionalPropertyTypes: true, noPropertyAccessFromIndexSignature: true, skipLibCheck: false };

type Project = ReturnType<ReturnType<API["updateSnapshot"]>["getProjects"]>[number];

function withProject<T>(
  folder: string,
  files: readonly string[],
  work: (project: Project) => T,
  modules: Record<string, string> = {},
): T {
  const config = join(folder, "tsconfig.json");
  const paths = Object.fromEntries(Object.entries(modules).map(([name, file]) => [name, [file]]));
  writeFileSync(
    config,
    JSON.stringify({ extends: join(ROOT, "tsconfig.json"), compilerOptions: { ...STRICT, paths }, include: [], files }),
  );
  const api = new API({ cwd: folder });
  try {
    const [project] = api.updateSnapshot({ openProjects: [config] }).getProjects();
    if (!project) throw new Error(`${config} is no project`);
    return work(project);
  } finally {
    api.close();
  }
}

function listExamples(symbol: CheckedSymbol, checker: Checker): Example[] {
  return symbol
    .getJsDocTags(checker)
    .filter(({ name }) => name === "example")
    .map(({ text = "" }) => {
      const [, words = "", how = "", code = ""] = /^([^`]*)```ts([^\n]*)\n([^]*)\n```$/.exec(text.trim()) ?? [];
      return { code: code && `${code}\n`, isRun: how.trim() !== "no-run", words: words.trim() };
    });
}
