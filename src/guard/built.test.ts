import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";

const BUILT = fileURLToPath(new URL("../../dist/guard.mjs", import.meta.url));

describe("the built guard", () => {
  it("is one file that imports nothing but Node's own modules", () => {
    const text = readFileSync(BUILT, "utf8");
    const imports = [...text.matchAll(/^(?:import|export)[^"'\n]*from ["']([^"']+)["']/gm)].map(([, from]) => from);
    expect(imports.filter((from) => !from!.startsWith("node:"))).toEqual([]);
    expect(text).not.toMatch(/\brequire\(/);
    // The one thing it loads is OpenClaw's own diagnostics, beside it, when there is something to tell.
    expect(text.match(/\bimport\((?!").*/g)).toEqual([expect.stringContaining("plugin-sdk/diagnostic-runtime.js")]);
  });

  it("does nothing when it is merely loaded, alone in a folder", () => {
    const folder = mkdtempSync(join(tmpdir(), "integrity-guard-"));
    try {
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
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
