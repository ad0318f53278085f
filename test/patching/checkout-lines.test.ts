import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { applyToCheckout, revertCheckout, verifyCheckout } from "../../src/patching/checkout/apply.ts";
import { explainCheckout } from "../../src/patching/checkout/explain.ts";
import { writeSeries } from "../../src/patching/checkout/series.ts";
import { newCheckout } from "./checkout-fixture.ts";
import { STUB_GUARD, hashTree } from "./fixture.ts";

const stub = { guard: STUB_GUARD };
const OXFMT = fileURLToPath(new URL("../../node_modules/oxfmt/bin/oxfmt", import.meta.url));
const SOURCES = ["src/agents/attempt.ts", "src/agents/compact.ts"];

/** Changes files of a checkout. */
function rewrite(root: string, files: readonly string[], change: (text: string) => string): void {
  for (const file of files) writeFileSync(join(root, file), change(readFileSync(join(root, file), "utf8")));
}

const toCrlf = (text: string): string => text.replaceAll(/\r?\n/g, "\r\n");

function format(root: string, settings: object): void {
  writeFileSync(join(root, ".oxfmtrc.json"), JSON.stringify(settings));
  execFileSync(process.execPath, [OXFMT, "--write", ...SOURCES], { cwd: root, stdio: "pipe" });
}

test("a formatter, such as OpenClaw's commit hook runs, may wrap our lines: they are known, and taken out whole", () => {
  for (const settings of [{ sortImports: {} }, { printWidth: 50, singleQuote: true }]) {
    const root = newCheckout();
    format(root, settings);
    const before = hashTree(root);
    applyToCheckout(root, stub);
    format(root, settings);
    const formatted = hashTree(root);
    expect(readFileSync(join(root, SOURCES[0]!), "utf8")).toMatch(
      /guardHistory\([^;]*\n[^;]*\);? \/\* openclaw-integrity:/,
    );
    expect(verifyCheckout(root, stub).state).toBe("patched");
    expect(applyToCheckout(root, stub).action).toBe("already");
    expect(hashTree(root)).toEqual(formatted);
    // Another guard is no reason to write the lines anew.
    expect(applyToCheckout(root, { guard: `${STUB_GUARD}// newer\n` }).action).toBe("updated");
    expect(hashTree(root)["src/agents/attempt.ts"]).toBe(formatted["src/agents/attempt.ts"]);
    revertCheckout(root);
    expect(hashTree(root)).toEqual(before);
  }
});

test("a wrapped line that was changed is found, and put right", () => {
  const root = newCheckout();
  format(root, {});
  const before = hashTree(root);
  applyToCheckout(root, stub);
  format(root, {});
  rewrite(root, SOURCES, (text) => text.replace(/modelId,\n/, ""));
  expect(() => verifyCheckout(root, stub)).toThrow(/changed ones/);
  applyToCheckout(root, stub);
  revertCheckout(root);
  expect(hashTree(root)).toEqual(before);
});

test("places are told as they are in the file, with our lines in it", () => {
  const root = newCheckout();
  applyToCheckout(root, stub);
  format(root, {});
  const { points } = explainCheckout(root);
  const found = points.flatMap(({ places }) => places);
  expect(found.length).toBeGreaterThan(5);
  for (const { file, line } of found)
    expect(readFileSync(join(root, file), "utf8").split("\n")[line - 1]).toMatch(
      /sanitizeSessionHistory\(|repairSessionFileIfNeeded\(|if \(limited/,
    );
  rewrite(root, SOURCES.slice(1), (text) => `${text}}}\n`);
  const last = readFileSync(join(root, SOURCES[1]!), "utf8").split("\n").length - 1;
  expect(() => verifyCheckout(root, stub)).toThrow(
    new RegExp(`Unexpected token in src/agents/compact\\.ts at line ${last}\\.`),
  );
});

test("a torn line of ours, or one without its mark, is refused with its place by every command", () => {
  const root = newCheckout();
  applyToCheckout(root, stub);
  const patched = readFileSync(join(root, SOURCES[0]!), "utf8");
  for (const torn of [
    patched.replace("await openclawIntegrity.guardHistory(", "await openclawIntegrity.guardHistory(("),
    patched.replace(" /* openclaw-integrity:attempt-history-load */", ""),
    patched.replace("await openclawIntegrity.guardHistory(", "await mine(\n    // for me\n    "),
  ]) {
    writeFileSync(join(root, SOURCES[0]!), torn);
    const before = hashTree(root);
    for (const command of [applyToCheckout, verifyCheckout, revertCheckout])
      expect(() => command(root, stub)).toThrow(/src\/agents\/attempt\.ts whole.*at line 1[35]: .*by hand/s);
    expect(hashTree(root)).toEqual(before);
  }
});

test("a line with the mark is ours, whatever name a refactoring has given the guard", () => {
  const root = newCheckout();
  const before = hashTree(root);
  applyToCheckout(root, stub);
  const patched = hashTree(root);
  const rename = (): void => rewrite(root, SOURCES, (text) => text.replaceAll("openclawIntegrity", "guard"));
  rename();
  expect(applyToCheckout(root, stub).action).toBe("updated");
  expect(hashTree(root)).toEqual(patched);
  rename();
  revertCheckout(root);
  expect(hashTree(root)).toEqual(before);
});

test("somebody else's text that has our mark is left alone, and no reason to call the patch half", () => {
  const root = newCheckout();
  const notes = 'export const MARK = "/* openclaw-integrity:";\n';
  writeFileSync(join(root, "src/agents/notes.ts"), notes);
  const before = hashTree(root);
  applyToCheckout(root, stub);
  expect(verifyCheckout(root, stub).state).toBe("patched");
  expect(readFileSync(join(root, "src/agents/notes.ts"), "utf8")).toBe(notes);
  revertCheckout(root);
  expect(hashTree(root)).toEqual(before);
});

test("sources with the line ends of Windows are patched and given back with them", () => {
  const root = newCheckout();
  rewrite(root, SOURCES, toCrlf);
  const before = hashTree(root);
  applyToCheckout(root, stub);
  expect(readFileSync(join(root, SOURCES[0]!), "utf8")).not.toMatch(/[^\r]\n/);
  expect(verifyCheckout(root, stub).state).toBe("patched");
  revertCheckout(root);
  expect(hashTree(root)).toEqual(before);
});

test("git may convert the ends of all patched lines: the patch is whole, and is taken out", () => {
  const root = newCheckout();
  rewrite(root, SOURCES, toCrlf);
  const before = hashTree(root);
  rewrite(root, SOURCES, (text) => text.replaceAll("\r\n", "\n"));
  const { files } = applyToCheckout(root, stub);
  rewrite(root, files, toCrlf);
  expect(verifyCheckout(root, stub).state).toBe("patched");
  expect(revertCheckout(root).kept).toEqual([]);
  expect(hashTree(root)).toEqual(before);
});

test("the series has the line ends of OpenClaw's repository, whatever those of the checkout are", () => {
  const [unix, windows] = [newCheckout(), newCheckout()];
  rewrite(windows, SOURCES, toCrlf);
  const [ofUnix, ofWindows] = [unix, windows].map((root) => {
    const folder = newFolder();
    return writeSeries(root, folder, stub).map((file) => diffIn(readFileSync(join(folder, file), "utf8")));
  });
  expect(ofWindows).toEqual(ofUnix);
});

/** A patch without its date. */
const diffIn = (patch: string): string => patch.slice(patch.indexOf("\n---\n"));
