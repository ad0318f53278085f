/** Reads a source checkout of OpenClaw: its version, and the TypeScript files that can contain a patch point. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isThere } from "../../base/is-there.ts";
import { patchError } from "../base/errors.ts";
import { decodeText } from "../base/text.ts";
import { MARK } from "../base/marks.ts";
import { assertNotForeign } from "../find/foreign.ts";
import { type Manifest, manifestIn } from "../find/package.ts";
import { NEEDLES } from "../points/index.ts";
import { partOurs, type Parted } from "./own-lines.ts";

/** A source file of the checkout. */
export interface SourceFile extends Parted {
  /** Path in the checkout, with slashes. */
  readonly file: string;
  /** The text on the disk. */
  readonly text: string;
}

/** A source checkout. */
export interface Checkout {
  readonly root: string;
  readonly release: string;
  /** The files with the code of a patch point, or with our lines. */
  readonly sources: readonly SourceFile[];
}

const ENDINGS: ReadonlySet<string> = new Set(["ts", "mts", "cts"]);
/** What stands before the ending of a declaration or a test. */
const NO_CODE: ReadonlySet<string> = new Set(["d", "test", "spec", "e2e", "live"]);
const SKIPPED: ReadonlySet<string> = new Set(["node_modules", "dist", "vendor", "test", "tests", "__tests__"]);

/**
 * Reads the checkout in `root`. Throws `openclaw-missing` for a folder that is none, `openclaw-foreign` for one of
 * another user, `outcome-invalid` for a file that is not UTF-8, and `openclaw-modified` for a torn statement of ours.
 */
export function readCheckout(root: string): Checkout {
  const found = manifestIn(root);
  if (found?.name !== "openclaw" || found.version === "" || !existsSync(join(root, "src", "agents")))
    throw patchError("openclaw-missing", {
      expected:
        `the sources of OpenClaw (a package.json named "openclaw" with a version, ` +
        `and a folder src/agents) in ${root}`,
      found: foundIn(found),
      todo: "Name the folder of a git checkout or of an unpacked source archive. An installed OpenClaw takes --path.",
    });
  for (const path of ["package.json", "src"]) assertNotForeign(join(root, path), root);
  const packages = join(root, "packages");
  const folders = ["src", ...(isThere(packages) ? readdirSync(packages).map((name) => `packages/${name}/src`) : [])];
  const sources = folders.flatMap((folder) => [...filesIn(root, folder)]).flatMap((file) => read(root, file) ?? []);
  return { root, release: found.version, sources };
}

function foundIn(found: Manifest | undefined): string {
  if (found === undefined) return "no readable package.json";
  if (found.name !== "openclaw") return `package "${found.name}"`;
  return `package "openclaw" without ${found.version === "" ? "a version" : "src/agents, as it is installed from npm"}`;
}

function read(root: string, file: string): SourceFile | undefined {
  const bytes = readFileSync(join(root, file));
  if (![...NEEDLES, MARK].some((needle) => bytes.includes(needle))) return undefined;
  const text = decodeText(bytes, file);
  return { file, text, ...partOurs(file, text) };
}

function isSource(name: string): boolean {
  const parts = name.split(".").slice(1);
  const before = parts.slice(0, -1);
  return ENDINGS.has(parts.at(-1) ?? "") && !before.some((part) => NO_CODE.has(part) || part.startsWith("test-"));
}

function* filesIn(root: string, folder: string): Generator<string> {
  const todo = [folder];
  for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
    if (!isThere(join(root, at))) continue;
    for (const entry of readdirSync(join(root, at), { withFileTypes: true })) {
      const path = `${at}/${entry.name}`;
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) todo.push(path);
      else if (entry.isFile() && isSource(entry.name)) yield path;
    }
  }
}
