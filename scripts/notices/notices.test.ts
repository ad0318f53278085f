/** That THIRD_PARTY_NOTICES names what is in the files that are shipped, all of it, and goes along with them. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "acorn";
import { beforeEach, describe, expect, it } from "vitest";
import { BUNDLED } from "../../harness/bundled.ts";
import { newFolder } from "../../harness/temporary.ts";
import { findNpmCli } from "../../harness/npm.ts";
import { readLicence } from "./licence.ts";
import { differences, packageFolders, recordedContents, scannedContents } from "./modules.ts";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const notices = readFileSync(join(REPOSITORY, "THIRD_PARTY_NOTICES"), "utf8");

describe("the contents of the bundles", () => {
  it("are what the bundler says they are, and the guard has nothing of others", () => {
    const contents = scannedContents();
    expect(differences(recordedContents(), contents)).toEqual([]);
    expect(contents.get("dist/guard.mjs")).toEqual([]);
    const ofPlugin = [...contents]
      .filter(([file]) => file.startsWith("dist/plugin/"))
      .flatMap(([, packages]) => packages);
    for (const name of ["kysely", "pg", "typebox", "canonicalize"]) expect(ofPlugin).toContain(`node_modules/${name}`);
    for (const name of ["ajv", "zod", "@modelcontextprotocol/sdk"])
      expect(contents.get("dist/continuity-mcp.mjs")).toContain(`node_modules/${name}`);
  });

  // Neither by what the bundler says nor by what it writes above the code, but by the code.
  it("are what the lines and the texts in them tell: of packages that are named, and of no other that could be there", () => {
    // Packages that were bundled themselves have these helpers too.
    const helpers = new Set(readLongLines(join(REPOSITORY, "dist", "rolldown-runtime.mjs")));
    const bundled = new Set(
      filesIn(join(REPOSITORY, "dist"))
        .flatMap(readPieces)
        .filter((piece) => !helpers.has(piece)),
    );
    const lock = (
      JSON.parse(readFileSync(join(REPOSITORY, "package-lock.json"), "utf8")) as {
        packages: Record<string, { dev?: boolean; optional?: boolean; dependencies?: Record<string, string> }>;
      }
    ).packages;
    const reached = new Set([
      "node_modules/@modelcontextprotocol/sdk",
      "node_modules/zod",
      ...BUNDLED.map((name) => `node_modules/${name}`),
      ...Object.keys(lock).filter(
        (folder) =>
          folder.startsWith("node_modules/") && lock[folder]!.dev !== true && existsSync(join(REPOSITORY, folder)),
      ),
    ]);
    for (const folder of reached)
      for (const name of Object.keys(lock[folder]?.dependencies ?? {}))
        if (existsSync(join(REPOSITORY, "node_modules", name))) reached.add(`node_modules/${name}`);
    const lines = new Map(
      [...reached].map((folder) => [folder, new Set(filesIn(join(REPOSITORY, folder)).flatMap(readPieces))]),
    );
    const owners = new Map<string, number>();
    for (const set of lines.values()) for (const line of set) owners.set(line, (owners.get(line) ?? 0) + 1);
    const found = [...lines]
      .filter(([, set]) => [...set].filter((line) => owners.get(line) === 1 && bundled.has(line)).length > 2)
      .map(([folder]) => folder);
    const named = [...new Set([...scannedContents().values()].flat())].filter(
      (folder) => folder !== "node_modules/rolldown",
    );
    expect(reached.size).toBeGreaterThan(80);
    expect(found.filter((folder) => !named.includes(folder))).toEqual([]);
    // Of the others there is too little to be told by lines and texts of some length.
    expect(found.length).toBeGreaterThan(named.length / 2);
  });

  it("are told by packages, also of one within another and of the bundler's own helpers", () => {
    expect(
      packageFolders([
        "node_modules/@a/b/x.js",
        "../node_modules/c/node_modules/d/e.js",
        "/node_modules/f/g.js",
        "src/index.ts",
        "\0rolldown/runtime.js",
      ]),
    ).toEqual(["node_modules/@a/b", "node_modules/c/node_modules/d", "node_modules/f", "node_modules/rolldown"]);
    expect(
      differences(
        new Map([
          ["a", ["x"]],
          ["b", []],
          ["gone", ["x"]],
        ]),
        new Map([
          ["a", []],
          ["b", []],
          ["old", ["y"]],
        ]),
      ),
    ).toEqual([
      "a: the bundler says that it contains x, and it contains nothing of others",
      "gone is not there; the bundler said that it had written it",
      "old contains y, and is not of this build: remove dist and build again",
    ]);
  });
});

describe("the notices", () => {
  it("are up to date, have the terms of each package, and are shipped with the package and with the plugin", () => {
    const run = spawnSync(process.execPath, [join(REPOSITORY, "scripts", "notices", "main.ts"), "--check"], {
      encoding: "utf8",
    });
    expect([run.status, run.stderr]).toEqual([0, ""]);
    for (const words of [
      "Apache License",
      "Copyright (c) 2014 Brian M. Carlson",
      "Copyright 2014-2021 Christopher Brown",
      "Sami Koskimäki",
      "Anthropic, PBC",
    ])
      expect(notices).toContain(words);
    const [packed] = JSON.parse(
      execFileSync(process.execPath, [findNpmCli(), "pack", "--ignore-scripts", "--dry-run", "--json"], {
        cwd: REPOSITORY,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      }),
    ) as [{ files: { path: string }[] }];
    const shipped = packed.files.map(({ path }) => path);
    expect(shipped).toEqual(expect.arrayContaining(["THIRD_PARTY_NOTICES", "dist/plugin/THIRD_PARTY_NOTICES"]));
    expect(shipped.filter((path) => path.includes("modules") || path.startsWith(".cache"))).toEqual([]);
  });
});

describe("the licence of a package", () => {
  let folder: string;
  beforeEach(() => {
    folder = newFolder();
  });
  const pack = (license: unknown, files: Readonly<Record<string, string>> = {}): (() => unknown) => {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "a", version: "1.0.0", license }));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return () => readLicence(folder);
  };

  it("is read with all texts that have to go along", () => {
    expect(pack("Apache-2.0", { LICENSE: "terms\r\n", "NOTICE.txt": "notice", "licensed.js": "no" })()).toEqual({
      name: "a",
      version: "1.0.0",
      licence: "Apache-2.0",
      texts: ["terms", "notice"],
    });
  });

  it("that stands in the README is found there; only the MIT licence's own words are added to a copyright", () => {
    expect(
      pack("ISC", { "README.md": "# a\n\n## License\n\nCopyright B\n\nPermission is hereby granted\n\n## More\n" })(),
    ).toMatchObject({ texts: ["Copyright B\n\nPermission is hereby granted"] });
    expect(pack("MIT", { "README.md": "# a\n## Licence\nCopyright B. MIT.\n" })()).toMatchObject({
      texts: [expect.stringMatching(/^Copyright B\. MIT\.\n\nPermission is hereby granted[^]*WARRANTY OF ANY KIND/)],
    });
    expect(pack("BSD-3-Clause", { "README.md": "# a\n## License\nCopyright B. BSD.\n" })).toThrow(
      /expected the text of the licence BSD-3-Clause of a 1\.0\.0; found neither a file nor a section/,
    );
  });

  it("that is missing, unknown or of a kind that nobody has looked at is an error that says what to do", () => {
    for (const license of [undefined, "SEE LICENSE IN LICENSE", "GPL-3.0-only", { type: "MIT" }])
      expect(pack(license, { LICENSE: "terms" })).toThrow(
        /expected a 1\.0\.0, which is part of a bundle, to have one of the licences MIT, .*; found .*\. Look whether/,
      );
    rmSync(join(folder, "LICENSE"));
    expect(pack("MIT")).toThrow(/found neither a file nor a section of its README/);
    mkdirSync(join(folder, "empty"));
    writeFileSync(join(folder, "empty", "package.json"), "{}");
    expect(() => readLicence(join(folder, "empty"))).toThrow(/expected a name and a version/);
  });
});

const LONG = 45;
const LONG_TEXT = 24;

function readLongLines(file: string): string[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line) => (line.trim().length >= LONG && /[;{},)]$/.test(line.trim()) ? [line.trim()] : []));
}

/** What a package can be known by: whole lines, and the texts in its code, which a minified file has as well. */
function readPieces(file: string): string[] {
  return [...readLongLines(file), ...readTexts(readFileSync(file, "utf8"))];
}

function readTexts(code: string): string[] {
  for (const sourceType of ["module", "script"] as const) {
    const texts: string[] = [];
    const onToken = ({ type, value }: { type: { label: string }; value?: unknown }): void => {
      if ((type.label === "string" || type.label === "template") && String(value).length >= LONG_TEXT)
        texts.push(`text ${String(value)}`);
    };
    try {
      parse(code, {
        ecmaVersion: "latest",
        sourceType,
        allowHashBang: true,
        allowReturnOutsideFunction: true,
        onToken,
      });
      return texts;
    } catch {
      // Of the other kind.
    }
  }
  return [];
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() &&
        /\.[cm]?js$/.test(entry.name) &&
        !entry.parentPath.slice(folder.length).includes("node_modules"),
    )
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => statSync(file).size < 2 << 20);
}
