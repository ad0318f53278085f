/**
 * Results of finished releases, so that a run that was stopped goes on where it was. Good only for the same engine,
 * guard and corpus.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { builtGuard } from "../../src/patching/write/built-guard.ts";
import { sha256 } from "../../src/patching/base/hash.ts";

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));
const FOLDER = join(REPOSITORY, ".cache", "matrix");
/** What a result depends on, beside the guard's built text. */
const SOURCES = {
  engine: ["src/patching", "harness/corpus", "harness/arbitrary", "harness/providers"],
  real: ["src/patching", "harness/corpus", "harness/openclaw", "harness/providers"],
} as const;

/** Keeps results by release, under the state of the repository they were made with. */
export class Store {
  readonly #folder: string;
  readonly #part: string;

  /** `engine` results do not depend on how OpenClaw is driven; `part` tells runs of another extent apart. */
  constructor(kind: keyof typeof SOURCES, part: string) {
    this.#part = part;
    this.#folder = join(FOLDER, hashState(SOURCES[kind]));
    mkdirSync(this.#folder, { recursive: true });
  }

  /** A kept result, or undefined. */
  get<Result>(release: string): Result | undefined {
    const path = this.#path(release);
    return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Result) : undefined;
  }

  /** Keeps a result; a process that dies meanwhile leaves none. */
  put(release: string, result: unknown): void {
    const path = this.#path(release);
    writeFileSync(`${path}.part`, JSON.stringify(result));
    renameSync(`${path}.part`, path);
  }

  #path(release: string): string {
    return join(this.#folder, `${release}.${this.#part}.json`);
  }
}

function hashState(folders: readonly string[]): string {
  const files = folders.flatMap((folder) =>
    readdirSync(join(REPOSITORY, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  return sha256([builtGuard(), ...files.toSorted().map((file) => sha256(readFileSync(file)))].join("\n")).slice(0, 16);
}
