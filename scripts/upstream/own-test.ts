/** The test of a pull request, run on the functions of a compiled release: their sources cannot be had as a whole. */
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join, posix } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { asNode, asNodes, memberPath, parseModule, type Node } from "../../src/patching/source/ast.ts";
import { withoutOuterNpm } from "../../harness/npm.ts";
import { applyExactly, parseDiff, type FileChange } from "./diff-file.ts";

/** A test, and why it failed. */
export interface OwnResult {
  readonly name: string;
  readonly passed: boolean;
  readonly why: string;
}

/** Where a pull request's test is run. */
export interface Subject {
  /** Folder that contains `node_modules/openclaw`, a copy: the functions that the test imports are exported in it. */
  readonly root: string;
  /** The npm packages that may have them, the first that has one wins. */
  readonly packages: readonly string[];
  /** A new folder in this repository, from which `vitest` is found. */
  readonly folder: string;
}

const VITEST = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url));
/** Helpers of OpenClaw's tests that a release does not have. */
const STAND_INS = fileURLToPath(new URL("stand-ins", import.meta.url));
const IMPORT = /^import (type )?\{([^}]*)\} from "(\.[^"]+)";$/gm;
const CONFIG = `export default { test: { include: ["*.test.ts"], reporters: ["json"], outputFile: "results.json" } };\n`;
const TIME_MS = 300_000;

/**
 * Runs the new tests of the diff with each function that they import taken from the release, whatever module it is
 * compiled into. Throws when the release does not have one.
 */
export async function runOwnTest(diff: string, subject: Subject): Promise<readonly OwnResult[]> {
  const { folder } = subject;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "vitest.config.mjs"), CONFIG);
  for (const change of parseDiff(diff).filter(({ path, isNew }) => isNew && path.endsWith(".test.ts")))
    writeFileSync(join(folder, basename(change.path)), onRelease(change, subject));
  const output = await vitest(folder);
  const results = JSON.parse(readOr(join(folder, "results.json"), output)) as Results;
  return results.testResults.flatMap(({ assertionResults, message }) => {
    if (assertionResults.length === 0) throw new Error(`expected tests; found none: ${message}`);
    return assertionResults.map(({ fullName, status, failureMessages }) => ({
      name: fullName,
      passed: status === "passed",
      why: failureMessages[0]?.split("\n", 1)[0] ?? "",
    }));
  });
}

interface Results {
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** The text of a test with its relative imports replaced. */
function onRelease(change: FileChange, { root, packages, folder }: Subject): string {
  const standIns = new Set(readdirSync(STAND_INS));
  return applyExactly("", change).replace(IMPORT, (whole, type: string | undefined, list: string, from: string) => {
    if (type !== undefined) return "";
    const file = basename(from);
    if (standIns.has(file)) {
      copyFileSync(join(STAND_INS, file), join(folder, file));
      return whole.replace(from, `./${file}`);
    }
    const source = posix.join(posix.dirname(change.path), from).replace(/\.js$/, ".ts");
    const names = list.split(",").map((name) => name.trim());
    return names
      .filter((name) => name !== "")
      .map((name) => {
        const module = exported(root, packages, { name, source });
        return `import { own_${name} as ${name} } from "${pathToFileURL(module).href}";`;
      })
      .join("\n");
  });
}

/**
 * Adds an export of the function to the module that declares it, and returns the module's path. Of several it is the
 * smallest that says that the code is of this source; others are bundles of a whole program.
 */
function exported(
  root: string,
  packages: readonly string[],
  { name, source }: { readonly name: string; readonly source: string },
): string {
  const line = `export { ${name} as own_${name} };\n`;
  for (const owner of packages) {
    const dist = join(root, "node_modules", ...owner.split("/"), "dist");
    const found = readdirSync(dist)
      .filter((file) => /\.m?js$/.test(file))
      .map((file) => ({ path: join(dist, file), text: readFileSync(join(dist, file), "utf8") }))
      .filter(({ text }) => declares(text, name));
    const named = found.filter(({ text }) => text.includes(`//#region ${source}\n`));
    const [module] = (named.length > 0 ? named : found).toSorted((one, other) => one.text.length - other.text.length);
    if (module === undefined) continue;
    const { path, text } = module;
    // Replaced, never written in place: the copy shares its bytes with the release.
    if (!text.includes(`\n${line}`)) {
      writeFileSync(`${path}.next`, `${text.trimEnd()}\n${line}`);
      renameSync(`${path}.next`, path);
    }
    return path;
  }
  throw new Error(`expected ${name} to be declared in ${packages.join(" or ")}; found it nowhere.`);
}

function declares(text: string, name: string): boolean {
  if (!text.includes(` ${name}`)) return false;
  return asNodes(parseModule(text)["body"]).some(
    (node) =>
      isNamed(node, name) ||
      (node.type === "VariableDeclaration" && asNodes(node["declarations"]).some((one) => isNamed(one, name))),
  );
}

function isNamed(node: Node, name: string): boolean {
  return node["id"] != null && memberPath(asNode(node["id"])) === name;
}

async function vitest(folder: string): Promise<string> {
  return await new Promise((resolve) => {
    execFile(
      process.execPath,
      [VITEST, "run", "--root", folder, "--config", join(folder, "vitest.config.mjs")],
      { cwd: folder, timeout: TIME_MS, maxBuffer: 2 ** 26, env: environment() },
      // Exit code 1 is a test that fails; whether any ran is seen from its results.
      (_error, stdout, stderr) => resolve(`${stdout}${stderr}`),
    );
  });
}

/** Without what tells a Vitest that another one runs around it. */
function environment(): NodeJS.ProcessEnv {
  const passed = Object.entries(withoutOuterNpm(process.env)).filter(([name]) => !/^(?:VITEST|NODE_ENV$)/.test(name));
  return Object.fromEntries(passed);
}

function readOr(path: string, output: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new Error(`expected results of Vitest in ${path}; found none: ${output.slice(-2000)}`);
  }
}
