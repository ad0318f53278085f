import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { apply, revert, status } from "../../src/patching/apply.ts";
import { explain } from "../../src/patching/explain.ts";
import { project, rename, STUB_GUARD, hashTree } from "./fixture.ts";

const options = { guard: STUB_GUARD };

describe("a release of tomorrow", () => {
  test("is patched when its code fits, says that nobody has looked at it, and is given back byte for byte", async () => {
    const { root } = await project("2026.9.6");
    rename(root, "2026.12.1");
    const before = hashTree(root);
    expect(apply(root, options)).toMatchObject({ action: "applied", known: false, leftOut: [], release: "2026.12.1" });
    expect(status(root, options).state).toBe("patched");
    revert(root);
    expect(hashTree(root)).toEqual(before);
  });

  test("is patched without a point that is not essential, and says which and why", async () => {
    const { root, files } = await project("2026.9.6");
    rename(root, "2026.12.1");
    const file = join(root, files.find((name) => name.includes("session-manager")) ?? "");
    writeFileSync(
      file,
      readFileSync(file, "utf8").replace("function prepareSessionTranscriptHydration(", "function prepareOther("),
    );
    const report = apply(root, options);
    expect(report.leftOut).toEqual([
      {
        point: "session-index",
        reason: expect.stringContaining("readInOwner outside of prepareSessionTranscriptHydration in dist/"),
      },
    ]);
    expect(report.points).toMatchObject({ "attempt-history-gate": 1, "session-load": 2, "session-index": 0 });
  });
});

describe("explain", () => {
  test("tells of every point where it is found, in which source file, and what it is for", async () => {
    const { root } = await project("2026.9.6");
    const explanation = explain(root);
    expect(explanation).toMatchObject({ outcome: "fits", known: true, release: "2026.9.6" });
    const gate = explanation.points.find(({ id }) => id === "attempt-history-gate");
    expect(gate).toMatchObject({ expected: "1", found: 1, outcome: "fits" });
    expect(gate?.places).toEqual([
      {
        file: expect.stringMatching(/^dist\/builtin-openclaw-/),
        line: expect.any(Number),
        region: expect.stringMatching(/^src\/agents\//),
      },
    ]);
  });

  test("tells why a release is refused, and where", async () => {
    const { root, files } = await project("2026.9.6");
    rename(root, "2026.12.1");
    const file = join(root, files.find((name) => name.includes("compact")) ?? "");
    writeFileSync(file, readFileSync(file, "utf8").replaceAll("sanitizeSessionHistory(", "cleanHistory("));
    const explanation = explain(root);
    expect(explanation).toMatchObject({
      outcome: "refused",
      known: false,
      todo: expect.stringMatching(
        /may support this release; .*compaction-history-load.* do not fit the code at the places below/,
      ),
    });
    const point = explanation.points.find(({ id }) => id === "compaction-history-load");
    expect(point).toMatchObject({
      outcome: "refused",
      reason: expect.stringMatching(/0 calls of sanitizeSessionHistory.* in dist\/compact-/),
    });
    expect(point?.places[0]?.line).toBeGreaterThan(1);
  });

  test("a modified known release is refused for that, and installing anew is what to do", async () => {
    const { root, files } = await project("2026.9.6");
    writeFileSync(join(root, files[0] ?? ""), `${readFileSync(join(root, files[0] ?? ""), "utf8")}\n`);
    expect(explain(root)).toMatchObject({
      outcome: "refused",
      reason: expect.stringContaining("as published"),
      todo: expect.stringMatching(/^Reinstall this release/),
    });
  });

  test("of a patched OpenClaw is the same but for its outcome", async () => {
    const { root } = await project("2026.9.6");
    const stock = explain(root);
    apply(root);
    expect(explain(root)).toEqual({ ...stock, outcome: "patched" });
  });
});
