import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { apply, revert, status, verify } from "../../src/patching/apply.ts";
import { parseModule } from "../../src/patching/source/ast.ts";
import { ensureRelease } from "../../harness/openclaw/ensure-release.ts";
import { plan } from "../../src/patching/plan.ts";
import { PATCH_POINTS } from "../../src/patching/points/index.ts";
import { knownRelease, RELEASES } from "../../src/patching/base/releases.ts";
import { project, STUB_GUARD, hashTree } from "./fixture.ts";

const options = { guard: STUB_GUARD };

describe.each(RELEASES.map(({ release }) => release))("OpenClaw %s", (release) => {
  test("every copy of the pipeline in the whole release gets its lines, and each patched file parses", async () => {
    const { stock } = await ensureRelease(release);
    const { files } = plan(stock, options);
    const placed = files.flatMap(({ points }) => points);
    expect(
      Object.fromEntries(PATCH_POINTS.map(({ id }) => [id, placed.filter((point) => point === id).length])),
    ).toEqual(Object.fromEntries(PATCH_POINTS.map(({ id }) => [id, knownRelease(release)?.points[id] ?? 0])));
    for (const { patched } of files) parseModule(patched);
    const calls = files.map(({ patched }) => patched.split(/(?<!function )\blimitHistoryTurns\(/).length - 1);
    expect(calls.reduce((sum, count) => sum + count, 0)).toBe(placed.filter((point) => point.endsWith("-gate")).length);
  });

  test("applying twice is a no-op, and taking it back gives every byte back", async () => {
    const { root } = await project(release);
    const before = hashTree(root);
    expect(apply(root, options)).toMatchObject({ action: "applied", state: "patched" });
    const after = hashTree(root);
    expect(apply(root, options)).toMatchObject({ action: "already", state: "patched" });
    expect(hashTree(root)).toEqual(after);
    expect(verify(root, options).state).toBe("patched");
    const changed = Object.keys(after).filter((file) => after[file] !== before[file]);
    expect(revert(root).toSorted()).toEqual(changed);
    expect(hashTree(root)).toEqual(before);
    expect(revert(root)).toEqual([]);
  });
});

describe("a patch that was interrupted or has grown old", () => {
  test("is completed when every file is ours or the published one", async () => {
    const { root, files } = await project("2026.9.6");
    const original = readFileSync(join(root, files[0] ?? ""));
    apply(root, options);
    const whole = hashTree(root);
    writeFileSync(join(root, files[0] ?? ""), original);
    expect(status(root, options).state).toBe("half-patched");
    expect(() => verify(root, options)).toThrow(expect.objectContaining({ code: "half-patched" }));
    expect(apply(root, options).action).toBe("completed");
    expect(hashTree(root)).toEqual(whole);
  });

  test("gets its guard back when something deleted it", async () => {
    const { root } = await project("2026.9.6");
    apply(root, options);
    rmSync(join(root, "dist/openclaw-integrity.mjs"));
    expect(() => verify(root, options)).toThrow(expect.objectContaining({ code: "half-patched" }));
    expect(apply(root, options).action).toBe("completed");
  });

  test("is replaced when the guard or the patch set is another", async () => {
    const { root, files } = await project("2026.9.6");
    apply(root, options);
    expect(apply(root, { guard: `${STUB_GUARD}// next\n` }).action).toBe("updated");
    const file = join(root, files[0] ?? "");
    const older = readFileSync(file, "utf8").replace(/"patchSet":"\d+"/, '"patchSet":"0"');
    rmSync(file);
    writeFileSync(file, older);
    expect(status(root, { guard: `${STUB_GUARD}// next\n` }).state).toBe("outdated");
    expect(apply(root, options).action).toBe("updated");
    expect(verify(root, options).state).toBe("patched");
  });
});

test("a file that another installation shares by hard link keeps its bytes there", async () => {
  const { folder, root, files } = await project("2026.9.6");
  mkdirSync(join(folder, "stock"));
  files.forEach((file, index) => linkSync(join(root, file), join(folder, "stock", String(index))));
  const before = hashTree(join(folder, "stock"));
  apply(root, options);
  expect(hashTree(join(folder, "stock"))).toEqual(before);
});

test("the patched chunks of 2026.9.6 import the guard from where it is put", async () => {
  const { root, files } = await project("2026.9.6");
  apply(root, options);
  for (const file of files) expect(readFileSync(join(root, file), "utf8")).toContain('"./openclaw-integrity.mjs"');
  expect(readFileSync(join(root, "dist/openclaw-integrity.mjs"), "utf8")).toBe(STUB_GUARD);
});
