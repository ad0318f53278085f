import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const BUILT = join(REPOSITORY, "dist", "guard.mjs");

describe("the built guard", () => {
  it("is one file that imports nothing but Node's own modules", () => {
    const text = readFileSync(BUILT, "utf8");
    const imports = [...text.matchAll(/^(?:import|export)[^"'\n]*from ["']([^"']+)["']/gm)].map(([, from]) => from);
    expect(imports.filter((from) => !from!.startsWith("node:"))).toEqual([]);
    expect(text).not.toMatch(/\brequire\(/);
    // It loads OpenClaw's own diagnostics, beside it, when there is something to tell, and has the adapters of an early
    // release, which are loaded already.
    expect(text.match(/\bimport\((?!").*/g)).toEqual([
      expect.stringContaining("plugin-sdk/diagnostic-runtime.js"),
      "import(PACKAGE);",
    ]);
  });

  it("says above its code what it is, in which version and under which terms, because no other file lies beside its copies", () => {
    const text = readFileSync(BUILT, "utf8");
    const { version } = JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8")) as {
      readonly version: string;
    };
    const header = text.slice(0, text.indexOf("*/"));
    expect(header).toMatch(/^\/\*!\n \* openclaw-integrity /);
    expect(header).toContain(` ${version}: `);
    expect(header).toContain("It contains no code of other packages.");
    for (const line of readFileSync(join(REPOSITORY, "LICENSE"), "utf8").trim().split("\n"))
      expect(header).toContain(` * ${line}`.trimEnd());
  });

  it("keeps the reasons of its source and leaves the docstrings there, so that a person can read it", () => {
    const text = readFileSync(BUILT, "utf8");
    expect(text.includes("/**")).toBe(false);
    const reasons = text.match(/^\s*\/\/ (?!src\/).+$/gm) ?? [];
    expect(reasons.length).toBeGreaterThan(100);
    expect(reasons.filter((line) => line.includes("oxlint-"))).toEqual([]);
  });

  it("does nothing when it is merely loaded, alone in a folder", () => {
    const folder = newFolder();
    copyFileSync(BUILT, join(folder, "guard.mjs"));
    const url = pathToFileURL(join(folder, "guard.mjs")).href;
    const script = `const before = Object.keys(globalThis).length; const guard = await import(${JSON.stringify(url)}); console.log(JSON.stringify([Object.keys(guard).toSorted(), Object.keys(globalThis).length - before]));`;
    const [names, added] = JSON.parse(
      execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" }),
    ) as [string[], number];
    expect(names).toEqual(
      expect.arrayContaining([
        "guardHistory",
        "guardSession",
        "loadTranscript",
        "repairSessionFile",
        "whenIndexed",
        "whenReadable",
      ]),
    );
    expect(added).toBe(0);
  });
});
