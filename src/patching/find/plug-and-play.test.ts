import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import { findInstallations } from "./openclaw.ts";

let folder = "";
let marker = "";
beforeEach(() => {
  folder = newFolder();
  marker = join(newFolder(), "ran");
});

type Dependencies = readonly (readonly [string, string | readonly [string, string] | null])[];

const packageData = (packageLocation: string, packageDependencies: Dependencies, more: object = {}): object => ({
  packageLocation,
  packageDependencies,
  linkType: "SOFT",
  ...more,
});
const UNPLUGGED = ".yarn/unplugged/openclaw/node_modules/openclaw";
/** A project of Yarn's whose workspace `one` has OpenClaw, and `alias` under another name. */
const data = (top: Dependencies = [], more: Readonly<Record<string, unknown>> = {}): object => ({
  enableTopLevelFallback: true,
  fallbackExclusionList: [["one", ["workspace:one"]]],
  fallbackPool: [],
  packageRegistryData: [
    [null, [[null, packageData("./", top)]]],
    ["top", [["workspace:.", packageData("./", top)]]],
    ["one", [["workspace:one", packageData("./one/", [["openclaw", "npm:1"]])]]],
    ["alias", [["workspace:alias", packageData("./alias/", [["openclaw", ["fork", "npm:2"]]])]]],
    ["peer", [["workspace:peer", packageData("./peer/", [["openclaw", "virtual:1"]])]]],
    ["none", [["workspace:none", packageData("./none/", [["openclaw", null]])]]],
    ["hidden", [["workspace:hidden", packageData("./one/hidden/", [], { discardFromLookup: true })]]],
    [
      "openclaw",
      [
        ["npm:1", packageData(`./${UNPLUGGED}/`, [])],
        ["virtual:1", packageData(`./.yarn/__virtual__/openclaw-virtual-1/1/${UNPLUGGED}/`, [])],
      ],
    ],
    ["fork", [["npm:2", packageData("./fork/", [])]]],
  ],
  ...more,
});

const running = (): string => `require("node:fs").writeFileSync(${JSON.stringify(marker)}, "");`;
/** How Yarn writes a text as a literal. */
const literal = (value: object): string =>
  `'${JSON.stringify(value, null, 2)
    .replaceAll("\\", "\\\\")
    .replaceAll("'", String.raw`\'`)
    .replaceAll("\n", "\\\n")}'`;
const yarn4 = (value: object): string => `"use strict";\n\nconst RAW_RUNTIME_STATE =\n${literal(value)};\n${running()}`;
const yarn3 = (value: object): string =>
  `function $$SETUP_STATE(hydrateRuntimeState, basePath) {\n  return hydrateRuntimeState(JSON.parse(${literal(value)}), {basePath: basePath || __dirname});\n}\n${running()}`;

function write(manifest: string, beside?: object): void {
  for (const name of ["one/src", "alias", "peer", "none", "fork/dist", `${UNPLUGGED}/dist`])
    mkdirSync(join(folder, name), { recursive: true });
  for (const name of ["fork", UNPLUGGED])
    writeFileSync(join(folder, name, "package.json"), '{"name":"openclaw","version":"2026.9.6"}');
  writeFileSync(join(folder, ".pnp.cjs"), manifest);
  if (beside !== undefined) writeFileSync(join(folder, ".pnp.data.json"), JSON.stringify(beside));
}

const rootIn = (name: string): string | undefined => {
  try {
    return findInstallations({ path: join(folder, name) })[0]?.root.slice(folder.length + 1);
  } catch (error) {
    return error instanceof Error && error.message.includes("no OpenClaw in") ? undefined : String(error);
  }
};

describe("a manifest of Yarn's in a folder above is no program of this command's", () => {
  test.each<readonly [string, (value: object) => readonly [string, object?]]>([
    ["Yarn 4", (value) => [yarn4(value)]],
    ["Yarn 3", (value) => [yarn3(value)]],
    ["Yarn without inlining", (value) => [running(), value]],
  ])("%s: it is read and not run, and names the OpenClaw that code of a workspace would import", (_, written) => {
    const [manifest, beside] = written(data());
    write(manifest, beside);
    expect(Object.fromEntries(["", "one/src", "alias", "peer", "none"].map((name) => [name, rootIn(name)]))).toEqual({
      "": undefined,
      "one/src": UNPLUGGED,
      alias: "fork",
      peer: UNPLUGGED,
      none: undefined,
    });
    expect(existsSync(marker)).toBe(false);
    execFileSync(process.execPath, [join(folder, ".pnp.cjs")]);
    expect(existsSync(marker)).toBe(true);
  });

  test.each<readonly [string, string]>([
    ["without data", running()],
    ["with a torn literal", "const RAW_RUNTIME_STATE =\n'{"],
    ["with an expression in place of the literal", "const RAW_RUNTIME_STATE =\nrequire('fs')"],
    ["with other data", yarn4({ packageRegistryData: {} })],
    ["with deep data", `const RAW_RUNTIME_STATE =\n'${"[".repeat(1_000_000)}'`],
  ])("%s it is refused in words, because nobody knows what it hides", (_, manifest) => {
    write(manifest);
    expect(rootIn("one")).toMatch(/expected the data of Yarn Plug'n'Play in .*\.pnp\.cjs.*; found .*yarn install/);
    expect(existsSync(marker)).toBe(false);
  });
});

test("a package falls back on what the project depends on unless Yarn excludes it, as its code does", () => {
  const one = { fallbackExclusionList: [] };
  const top: Dependencies = [["openclaw", "npm:1"]];
  write(yarn4(data(top)));
  expect([rootIn(""), rootIn("none")]).toEqual([UNPLUGGED, UNPLUGGED]);
  write(yarn4(data(top, { fallbackExclusionList: [["none", ["workspace:none"]]] })));
  expect(rootIn("none")).toBeUndefined();
  write(yarn4(data(top, { ...one, enableTopLevelFallback: false })));
  expect(rootIn("none")).toBeUndefined();
  write(yarn4(data([], { ...one, fallbackPool: [["openclaw", "npm:1"]] })));
  expect([rootIn("none"), rootIn("fork")]).toEqual([UNPLUGGED, "fork"]);
});

test("an OpenClaw in an archive is refused as such, also behind a virtual path", () => {
  const value = JSON.parse(
    JSON.stringify(data()).replaceAll(UNPLUGGED, ".yarn/cache/openclaw.zip/node_modules/openclaw"),
  ) as object;
  write(yarn4(value));
  for (const name of ["one", "peer"])
    expect(rootIn(name)).toMatch(
      /expected OpenClaw as files in a folder; .*\.yarn[\\/]cache[\\/]openclaw\.zip[\\/]node_modules.*yarn unplug/,
    );
});
