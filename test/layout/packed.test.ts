/** What npm publishes: a package that brings no other one, names nobody, and holds what its pages need. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "acorn";
import { expect, it } from "vitest";
import { findNpmCli } from "../../harness/npm.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Record<string, unknown>;

const packed = execFileSync(process.execPath, [findNpmCli(), "pack", "--dry-run", "--json", "--ignore-scripts"], {
  cwd: ROOT,
  encoding: "utf8",
  stdio: ["ignore", "pipe", "ignore"],
});
const contents = (JSON.parse(packed) as [{ files: { path: string; size: number }[] }])[0].files;
const files = contents.map(({ path }) => path);
const readPacked = (path: string): string => readFileSync(join(ROOT, path), "utf8");

it("installing it installs nothing else: packages that a part works with are optional peers", () => {
  const peers = Object.keys(manifest["peerDependencies"] as object);
  expect(["dependencies", "optionalDependencies", "bundleDependencies"].filter((field) => field in manifest)).toEqual(
    [],
  );
  expect(peers.toSorted()).toEqual(["@dbos-inc/dbos-sdk", "@langchain/core", "openclaw", "pg"]);
  expect(manifest["peerDependenciesMeta"]).toEqual(Object.fromEntries(peers.map((name) => [name, { optional: true }])));
});

it("no file in it imports a package: what it needs is in it", () => {
  const scripts = files.filter((path) => /\.[cm]js$/.test(path) && !path.startsWith("scripts/"));
  const types = files.filter((path) => /\.d\.[cm]ts$/.test(path));
  expect([scripts.length > 50, types.length > 8]).toEqual([true, true]);
  const named = [
    ...scripts.map((path) => [path, readImports(readPacked(path))] as const),
    ...types.map(
      (path) =>
        [path, [...readPacked(path).matchAll(/^(?! *\*).*\bfrom "([^"]+)"/gm)].map(([, from]) => from!)] as const,
    ),
  ];
  const outside = named.flatMap(([path, specifiers]) =>
    specifiers.filter((name) => !/^\.{0,2}\//.test(name) && !isBuiltin(name)).map((name) => `${path}: ${name}`),
  );
  expect(outside).toEqual([]);
});

it("the library, with its types and for both kinds of programs, has less than 2 MB, and the package less than 11", () => {
  const ofLibrary =
    /^dist\/(?:transcript|wire|fetch|ai-sdk|langchain|openai-agents|pi-agent-core|integrity|journal|observe|continuity|continuity-dbos|heal|healed-body|model-call|public|repair|repair-list|sizes|shared-[\w-]+)\.(?:d\.)?[cm][jt]s$/;
  const sum = (sizes: readonly { readonly size: number }[]): number =>
    sizes.reduce((total, { size }) => total + size, 0);
  const library = sum(contents.filter(({ path }) => ofLibrary.test(path)));
  expect(library).toBeGreaterThan(1_000_000);
  expect(library).toBeLessThan(2_000_000);
  expect(sum(contents)).toBeLessThan(11_000_000);
});

it("no patch file is in it, which write-patches makes, and no words that somebody has to replace", () => {
  expect(files.filter((path) => /^(?:patches|upstream)\/|\.(?:patch|diff)$/.test(path))).toEqual([]);
  const texts = files.filter((path) => !path.endsWith(".png"));
  expect(texts.filter((path) => /github\.com\/OWNER|"OWNER"/.test(readPacked(path)))).toEqual([]);
  expect(texts.filter((path) => /\.(?:md|json)$/.test(path) && /\bOWNER\b/.test(readPacked(path)))).toEqual([]);
});

function isBuiltin(name: string): boolean {
  return name.startsWith("node:") || builtinModules.includes(name);
}

/** The modules that a file loads when it is loaded. */
function readImports(code: string): string[] {
  const { body } = parse(code, { ecmaVersion: "latest", sourceType: "module", allowHashBang: true });
  return body.flatMap((statement) =>
    "source" in statement && statement.source ? [String(statement.source.value)] : [],
  );
}
