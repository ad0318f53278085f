import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { newFolder } from "../../temporary.ts";
import { stageRuntimeDeps } from "./runtime-deps.ts";

let root = "";
const staged = (name: string): unknown =>
  JSON.parse(readFileSync(join(root, "stage", "node_modules", name, "package.json"), "utf8"));

function install(modules: string, name: string, version: string): void {
  mkdirSync(join(root, modules, name), { recursive: true });
  writeFileSync(join(root, modules, name, "package.json"), JSON.stringify({ name, version, main: "index.js" }));
  writeFileSync(join(root, modules, name, "index.js"), "");
}

beforeEach(() => {
  root = newFolder();
  mkdirSync(join(root, "node_modules", "openclaw", "dist"), { recursive: true });
});

test("nothing that a plugin asks for makes OpenClaw run npm in the middle of a turn", async () => {
  const deps = [
    { name: "@scope/near", version: "2.0.0" },
    { name: "ranged", version: "^1.0.0" },
    { name: "elsewhere", version: "~3.1.0" },
  ];
  // As the bundler writes that chunk, with what OpenClaw would find in its plugins.
  const chunk = `const scanBundledPluginRuntimeDeps = () => (${JSON.stringify({ deps })});
const resolveBundledRuntimeDependencyPackageInstallRoot = () => ${JSON.stringify(join(root, "stage"))};
export { scanBundledPluginRuntimeDeps as a, resolveBundledRuntimeDependencyPackageInstallRoot as c };\n`;
  writeFileSync(join(root, "node_modules", "openclaw", "dist", "bundled-runtime-deps-aaaa.js"), chunk);
  install("node_modules", "@scope/near", "1.9.0");
  install("node_modules", "ranged", "1.5.0");
  await stageRuntimeDeps(join(root, "node_modules", "openclaw", "dist"));
  expect(staged("@scope/near")).toEqual({ name: "@scope/near", version: "2.0.0", main: "index.js" });
  expect(existsSync(join(root, "stage", "node_modules", "@scope", "near", "index.js"))).toBe(true);
  expect(staged("ranged")).toMatchObject({ version: "1.5.0" });
  expect(staged("elsewhere")).toEqual({ name: "elsewhere", version: "3.1.0" });
  // The installation itself is never written to.
  expect(readFileSync(join(root, "node_modules", "@scope", "near", "package.json"), "utf8")).toContain("1.9.0");
});

test("a release that has no such staging is left alone", async () => {
  await stageRuntimeDeps(join(root, "node_modules", "openclaw", "dist"));
  expect(existsSync(join(root, "stage"))).toBe(false);
});
