import { GUARD_EXPORTS } from "../../src/patching/base/guard-file.ts";
import { appendFileSync, chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { reachable, runAsNobody } from "../../harness/nobody.ts";
import { apply, revert } from "../../src/patching/apply.ts";
import { PatchError } from "../../src/patching/base/errors.ts";
import { project, rename, STUB_GUARD, hashTree } from "./fixture.ts";

const options = { guard: STUB_GUARD };

/** Runs the work and returns its refusal; throws when it was not refused, or when anything in the folder changed. */
function refused(folder: string, work: () => unknown): PatchError {
  const before = hashTree(folder);
  try {
    work();
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    if (isDeepStrictEqual(hashTree(folder), before)) return error;
    throw new Error(`refused (${error.code}), but files were changed`, { cause: error });
  }
  throw new Error("it was not refused");
}

test("a release that nobody has looked at, with code that does not fit", async () => {
  const { root, files } = await project("2026.9.6");
  rename(root, "2026.12.1");
  const file = join(root, files[0] ?? "");
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replaceAll("activeSession.agent.state.messages = limited", "activeSession.keep(limited)"));
  const { code, message } = refused(root, () => apply(root, options));
  expect(code).toBe("point-mismatch");
  expect(message).toMatch(
    /expected 1 to 12 copies of the patch point attempt-history-load in OpenClaw 2026\.12\.1; found 0: a call of limitHistoryTurns .* in dist\/.* at line \d+\. It depends on: .*nothing was changed/,
  );
});

test("an OpenClaw without its dist", async () => {
  const { root } = await project("2026.9.6");
  rmSync(join(root, "dist"), { recursive: true });
  expect(refused(root, () => apply(root, options))).toMatchObject({ code: "openclaw-missing" });
});

test("a modified file", async () => {
  const { root, files } = await project("2026.9.6");
  appendFileSync(join(root, files[1] ?? ""), "\n// a change of the user's own\n");
  const { code, message } = refused(root, () => apply(root, options));
  expect(code).toBe("openclaw-modified");
  expect(message).toContain(`expected ${files[1]} as published with OpenClaw 2026.9.6 (sha256 `);
});

test("a missing file", async () => {
  const { root, files } = await project("2026.9.6");
  rmSync(join(root, files[2] ?? ""));
  expect(refused(root, () => apply(root, options))).toMatchObject({ code: "openclaw-modified" });
});

test("one more copy of the pipeline than the release has", async () => {
  const { root, files } = await project("2026.9.6");
  cpSync(join(root, files[1] ?? ""), join(root, "dist", "another.mjs"));
  const { code, message } = refused(root, () => apply(root, options));
  expect(code).toBe("openclaw-modified");
  expect(message).toContain("more of them in dist/another.mjs");
});

test("a patched file that was changed afterwards, by apply and by revert", async () => {
  const { root, files } = await project("2026.9.6");
  apply(root, options);
  appendFileSync(join(root, files[0] ?? ""), "// a change\n");
  expect(refused(root, () => apply(root, options))).toMatchObject({ code: "openclaw-modified" });
  expect(refused(root, () => revert(root))).toMatchObject({ code: "openclaw-modified" });
});

test("a guard that lacks what the inserted lines call", async () => {
  const { root } = await project("2026.9.6");
  const { code, message } = refused(root, () => apply(root, { guard: "export function guardSession() {}\n" }));
  expect(code).toBe("guard-missing");
  expect(message).toContain(
    `one without ${Object.keys(GUARD_EXPORTS)
      .filter((name) => name !== "guardSession")
      .join(", ")}`,
  );
});

test("a folder that may not be written", async () => {
  const { folder, root } = await project("2026.9.6");
  const script = join(folder, "try.ts");
  const source = reachable(join(import.meta.dirname, "../../src/patching/apply.ts"));
  writeFileSync(
    script,
    `import { apply } from ${JSON.stringify(source)};
try { apply(${JSON.stringify(root)}, ${JSON.stringify(options)}); console.log("applied"); } catch (error) { console.log(error.code, error.message); }\n`,
  );
  for (const path of [join(root, "dist"), root]) chmodSync(path, 0o555);
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, "home"));
  const before = hashTree(root);
  const { stdout } = runAsNobody([script]);
  for (const path of [join(root, "dist"), root]) chmodSync(path, 0o755);
  expect(stdout).toMatch(/^not-writable expected to write into .*Nothing was changed/);
  expect(hashTree(root)).toEqual(before);
});
