import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { applyToCheckout, checkoutStatus, revertCheckout, verifyCheckout } from "../../src/patching/checkout/apply.ts";
import { explainCheckout } from "../../src/patching/checkout/explain.ts";
import { writeSeries } from "../../src/patching/checkout/series.ts";
import { MARK } from "../../src/patching/base/marks.ts";
import { committed, git, newCheckout } from "./checkout-fixture.ts";
import { STUB_GUARD, hashTree } from "./fixture.ts";

const stub = { guard: STUB_GUARD };
const TSC = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));

const sources = (root: string): Record<string, string> =>
  Object.fromEntries(Object.entries(hashTree(root)).filter(([file]) => !file.startsWith(".git/")));

test("sources get one line at each point and the guard in a folder, and are given back byte for byte", () => {
  const root = newCheckout();
  const before = hashTree(root);
  expect(explainCheckout(root)).toMatchObject({ outcome: "fits", release: "2026.4.1" });
  const report = applyToCheckout(root, stub);
  expect(report).toMatchObject({ action: "applied", state: "patched", release: "2026.4.1" });
  expect(report.points).toMatchObject({
    "session-load": 2,
    "attempt-history-load": 1,
    "attempt-history-gate": 1,
    "compaction-history-load": 1,
    "compaction-history-gate": 1,
  });
  const attempt = readFileSync(join(root, "src/agents/attempt.ts"), "utf8");
  const lines = attempt.split("\n").filter((line) => line.includes(MARK));
  expect(lines.map((line) => line.trim().replace(/\(.*/, ""))).toEqual([
    'import * as openclawIntegrity from "../../vendor/openclaw-integrity/guard.mjs"; /* openclaw-integrity:import */',
    "await openclawIntegrity.repairSessionFile",
    "await openclawIntegrity.guardHistory",
    "openclawIntegrity.guardSession",
  ]);
  expect(verifyCheckout(root, stub).state).toBe("patched");
  const patched = hashTree(root);
  expect(applyToCheckout(root, stub).action).toBe("already");
  expect(hashTree(root)).toEqual(patched);
  expect(explainCheckout(root).outcome).toBe("patched");
  revertCheckout(root);
  expect(hashTree(root)).toEqual(before);
  expect(existsSync(join(root, "vendor"))).toBe(false);
  expect(revertCheckout(root)).toEqual({ files: [], kept: [] });
});

test("the patched sources are right for TypeScript's strictest settings: a fork must go on building", () => {
  const root = newCheckout();
  applyToCheckout(root, stub);
  const settings = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2024", "--skipLibCheck", "false"];
  execFileSync(process.execPath, [TSC, ...settings, "--types", "", "src/agents/attempt.ts", "src/agents/compact.ts"], {
    cwd: root,
    stdio: "pipe",
  });
});

test("the series for git am gives the same sources, each commit parses, and the checkout is not changed", () => {
  const root = newCheckout();
  const before = hashTree(root);
  const folder = join(newFolder(), "patches");
  const files = writeSeries(root, folder, stub);
  expect(hashTree(root)).toEqual(before);
  expect(files).toHaveLength(4);
  expect(files[0]).toMatch(/^0001-vendor-add-the-guard/);
  for (const file of files) expect(readFileSync(join(folder, file), "utf8")).toMatch(/^From 0{40} /);
  committed(root);
  git(root, "am", "--quiet", ...files.map((file) => join(folder, file)));
  expect(git(root, "log", "--format=%s").trim().split("\n")).toHaveLength(5);
  const bySeries = sources(root);
  expect(verifyCheckout(root, stub).state).toBe("patched");
  const other = newCheckout();
  applyToCheckout(other, stub);
  expect(bySeries).toEqual(hashTree(other));
  expect(() => writeSeries(root, folder, stub)).toThrow(/expected an empty folder/);
});

test("a checkout with changes that are not committed is refused unless that is allowed; our own lines are none", () => {
  const root = committed(newCheckout());
  applyToCheckout(root, stub);
  // Another version of the guard, over lines that are not committed.
  expect(applyToCheckout(root, { guard: `${STUB_GUARD}// newer\n` }).action).toBe("updated");
  revertCheckout(root);
  appendFileSync(join(root, "src/agents/history.ts"), "// mine\n");
  const before = sources(root);
  expect(() => applyToCheckout(root, stub)).toThrow(/not committed.*src\/agents\/history\.ts.*--dirty/);
  expect(sources(root)).toEqual(before);
  expect(applyToCheckout(root, { ...stub, dirty: true }).action).toBe("applied");
  revertCheckout(root);
  expect(sources(root)).toEqual(before);
});

test("where OpenClaw's own lists leave the folder out of a commit and an image, that is said until they do not", () => {
  const root = newCheckout();
  writeFileSync(join(root, ".gitignore"), "vendor/\n");
  writeFileSync(join(root, ".dockerignore"), "dist\nvendor/\n!vendor/a2ui/\n");
  committed(root);
  expect(applyToCheckout(root, stub).ignoredBy).toEqual(["git", "docker"]);
  git(root, "add", "--force", "vendor/openclaw-integrity");
  appendFileSync(join(root, ".dockerignore"), "!vendor/openclaw-integrity/\n");
  expect(verifyCheckout(root, stub).ignoredBy).toEqual([]);
  expect(applyToCheckout(newCheckout(), stub).ignoredBy).toEqual([]);
});

test("a repository that git does not read is refused like a dirty one: a change may be there", () => {
  const root = newCheckout();
  writeFileSync(join(root, ".git"), "gitdir: /nowhere\n");
  const before = sources(root);
  expect(() => applyToCheckout(root, stub)).toThrow(/git to tell.*--dirty/s);
  expect(sources(root)).toEqual(before);
  expect(applyToCheckout(root, { ...stub, dirty: true }).action).toBe("applied");
});

test("what somebody changes in patched sources stays, and is no reason to leave our lines in", () => {
  const root = newCheckout();
  applyToCheckout(root, stub);
  const file = join(root, "src/agents/attempt.ts");
  writeFileSync(file, readFileSync(file, "utf8").replace("return limited.length", "// mine\n  return limited.length"));
  appendFileSync(join(root, "vendor/openclaw-integrity/README.md"), "mine\n");
  writeFileSync(join(root, "vendor/openclaw-integrity/notes.txt"), "mine\n");
  expect(verifyCheckoutCode(root)).toBe("half-patched");
  const { kept } = revertCheckout(root);
  expect(kept).toEqual(["vendor/openclaw-integrity/README.md"]);
  const text = readFileSync(file, "utf8");
  expect(text).toContain("// mine");
  expect(text).not.toContain(MARK);
  expect(readFileSync(join(root, "vendor/openclaw-integrity/notes.txt"), "utf8")).toBe("mine\n");
});

test("a line that was removed or changed, or a missing file, is found by verify and put right by apply", () => {
  const root = newCheckout();
  applyToCheckout(root, stub);
  const patched = hashTree(root);
  const file = join(root, "src/agents/compact.ts");
  const whole = readFileSync(file, "utf8");
  for (const change of [
    whole.replace(/^.*guardSession.*\n/m, ""),
    whole.replace("await openclawIntegrity.guardHistory", "openclawIntegrity.guardHistory"),
  ]) {
    writeFileSync(file, change);
    expect(verifyCheckoutCode(root)).toBe("half-patched");
    applyToCheckout(root, stub);
    expect(hashTree(root)).toEqual(patched);
  }
});

test("a manifest that names files outside of its folder removes none of them", () => {
  const root = newCheckout();
  mkdirSync(join(root, "vendor/openclaw-integrity"), { recursive: true });
  writeFileSync(
    join(root, "vendor/openclaw-integrity/manifest.json"),
    JSON.stringify({ files: { "package.json": "0", "vendor/openclaw-integrity/../../package.json": "0" } }),
  );
  const before = hashTree(root)["package.json"];
  revertCheckout(root);
  expect(hashTree(root)["package.json"]).toBe(before);
});

test("without a manifest, or with one that a merge has torn, revert tells what of the folder stays", () => {
  for (const manifest of [undefined, "<<<<<<< ours\n"]) {
    const root = newCheckout();
    applyToCheckout(root, stub);
    const path = join(root, "vendor/openclaw-integrity/manifest.json");
    if (manifest === undefined) rmSync(path);
    else writeFileSync(path, manifest);
    const { kept } = revertCheckout(root);
    expect(kept).toContain("vendor/openclaw-integrity/guard.mjs");
    expect(kept.includes("vendor/openclaw-integrity/manifest.json")).toBe(manifest !== undefined);
    expect(readFileSync(join(root, "src/agents/attempt.ts"), "utf8")).not.toContain(MARK);
  }
});

test("a source that an editor or git writes meanwhile is not overwritten with what was read before", () => {
  const root = newCheckout();
  const file = join(root, "src/agents/attempt.ts");
  const whole = readFileSync(file, "utf8");
  const options = {
    ...stub,
    // Asked for when everything is read, and nothing written.
    get dirty() {
      writeFileSync(file, `${whole}// mine\n`);
      return true;
    },
  };
  expect(() => applyToCheckout(root, options)).toThrow(/found another src\/agents\/attempt\.ts\. An editor/);
  expect(readFileSync(file, "utf8")).toBe(`${whole}// mine\n`);
  expect(existsSync(join(root, "vendor"))).toBe(false);
});

test("a file of the folder that somebody has changed, or had there before, is not overwritten unless that is allowed", () => {
  for (const isPatched of [true, false]) {
    const root = newCheckout();
    if (isPatched) applyToCheckout(root, stub);
    const file = join(root, "vendor/openclaw-integrity/README.md");
    mkdirSync(join(root, "vendor/openclaw-integrity"), { recursive: true });
    writeFileSync(file, "mine\n");
    expect(() => applyToCheckout(root, stub)).toThrow(
      /found a change: vendor\/openclaw-integrity\/README\.md\..*--dirty/,
    );
    expect(readFileSync(file, "utf8")).toBe("mine\n");
    applyToCheckout(root, { ...stub, dirty: true });
    expect(verifyCheckout(root, stub).state).toBe("patched");
  }
});

test("nothing is written through a folder that is a symbolic link out of the checkout", () => {
  const root = newCheckout();
  const elsewhere = newFolder();
  symlinkSync(elsewhere, join(root, "vendor"));
  expect(() => applyToCheckout(root, stub)).toThrow(/vendor to be a folder of the checkout; found a symbolic link to/);
  expect(readdirSync(elsewhere)).toEqual([]);
  expect(revertCheckout(root)).toEqual({ files: [], kept: [] });
  // A folder above the checkout is outside of it too.
  rmSync(join(root, "vendor"));
  symlinkSync("..", join(root, "vendor"));
  expect(() => applyToCheckout(root, stub)).toThrow(/vendor to be a folder of the checkout; found a symbolic link to/);
});

test("a source that is not UTF-8 could not be given back, and is refused with the line", () => {
  const root = newCheckout();
  const file = join(root, "src/agents/attempt.ts");
  appendFileSync(file, Buffer.from([0x2f, 0x2f, 0xe9, 0x0a]));
  const before = hashTree(root);
  expect(() => applyToCheckout(root, stub)).toThrow(/src\/agents\/attempt\.ts in UTF-8.*other bytes at line 32\./);
  expect(hashTree(root)).toEqual(before);
});

test("sources whose statement is another one are refused with the place; an installed OpenClaw is no checkout", () => {
  const root = newCheckout();
  const file = join(root, "src/agents/compact.ts");
  writeFileSync(file, readFileSync(file, "utf8").replace("messages: session.messages", "messages: session.all"));
  const before = hashTree(root);
  expect(() => applyToCheckout(root, stub)).toThrow(/patch point compaction-history-load in/);
  expect(() => applyToCheckout(root, stub)).toThrow(/sanitizeSessionHistory.* in src\/agents\/compact\.ts at line 18/);
  expect(explainCheckout(root)).toMatchObject({ outcome: "refused", reason: expect.stringContaining("compact.ts") });
  expect(hashTree(root)).toEqual(before);
  writeFileSync(join(root, "src/agents/attempt.ts"), "// one\nexport const limitHistoryTurns( = 1;\n");
  expect(() => checkoutStatus(root, stub)).toThrow(/no TypeScript that can be parsed.* at line 2\./);
  const installed = newFolder();
  writeFileSync(join(installed, "package.json"), '{ "name": "openclaw", "version": "1" }');
  expect(() => applyToCheckout(installed, stub)).toThrow(/takes --path/);
  writeFileSync(join(root, "package.json"), '{ "name": "openclaw" }');
  expect(() => applyToCheckout(root, stub)).toThrow(/with a version.* found package "openclaw" without a version/);
});

function verifyCheckoutCode(root: string): string {
  try {
    return verifyCheckout(root, stub).state;
  } catch (error) {
    return (error as { code: string }).code;
  }
}
