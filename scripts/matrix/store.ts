/** Results of finished releases, so that a run that was stopped goes on where it was. Good only for the same engine, guard and corpus. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { builtGuard } from "../../src/patching/built-guard.ts";
import { sha256 } from "../../src/patching/hash.ts";

const FOLDER = fileURLToPath(new URL("../../.cache/matrix/", import.meta.url));
/** What a result depends on, beside the guard's built text. */
const SOURCES = ["src/patching", "scripts/matrix", "test/corpus", "test/openclaw"].map((folder) => fileURLToPath(new URL(`../../${folder}`, import.meta.url)));

/** Keeps results by release, under the state of the repository they were made with. */
export class Store {
  readonly #folder: string;

  constructor(state = stateOfSources()) {
    this.#folder = join(FOLDER, state);
    mkdirSync(this.#folder, { recursive: true });
  }

  /** A kept result, or undefined. */
  get<Result>(release: string, part: string): Result | undefined {
    const path = this.#path(release, part);
    return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Result) : undefined;
  }

  /** Keeps a result; a process that dies meanwhile leaves none. */
  put(release: string, part: string, result: unknown): void {
    const path = this.#path(release, part);
    writeFileSync(`${path}.part`, JSON.stringify(result));
    renameSync(`${path}.part`, path);
  }

  #path(release: string, part: string): string {
    return join(this.#folder, `${release}.${part}.json`);
  }
}

function stateOfSources(): string {
  const files = SOURCES.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  return sha256([builtGuard(), ...files.toSorted().map((file) => sha256(readFileSync(file)))].join("\n")).slice(0, 16);
}
