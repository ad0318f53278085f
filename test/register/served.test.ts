/** The patch as lines, against what `apply` would write, on both base releases. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { apply } from "../../src/patching/apply.ts";
import { plan } from "../../src/patching/plan.ts";
import { planServed } from "../../src/register/engine.ts";
import { parseServed, patchedText } from "../../src/register/served.ts";
import { BASE_RELEASES } from "../../harness/openclaw/releases.ts";
import type { Release } from "../../src/patching/base/releases.ts";
import { project, STUB_GUARD } from "../patching/fixture.ts";

for (const release of BASE_RELEASES as Release[]) {
  test(`Node gets the bytes that apply would write into OpenClaw ${release}, before apply and after it`, async () => {
    const { root } = await project(release);
    const planned = plan(root, { guard: STUB_GUARD });
    const served = planServed(root, STUB_GUARD);
    const texts = (): (string | undefined)[] =>
      served.files.map((file) => patchedText(file, readFileSync(join(root, file.file))));
    expect(served.files.length).toBeGreaterThan(0);
    expect(served.files.map(({ file }) => file)).toEqual(planned.files.map(({ file }) => file));
    expect(texts()).toEqual(planned.files.map(({ patched }) => patched));
    apply(root, { guard: STUB_GUARD });
    expect(texts()).toEqual(planned.files.map(({ patched }) => patched));
    const again = planServed(root, STUB_GUARD);
    expect(again.files.map((file) => patchedText(file, readFileSync(join(root, file.file))))).toEqual(texts());
  });
}

test("a file that was changed since the patch was planned is not served", async () => {
  const { root } = await project("2026.9.6");
  const [file] = planServed(root, STUB_GUARD).files;
  const path = join(root, file!.file);
  writeFileSync(path, `${readFileSync(path, "utf8")}\n`);
  expect(patchedText(file!, readFileSync(path))).toBeUndefined();
});

test("lines of a cache that do not give the planned text are not served", async () => {
  const { root } = await project("2026.9.6");
  const served = planServed(root, STUB_GUARD);
  const file = served.files[0]!;
  const disk = readFileSync(join(root, file.file));
  const [[before, line], ...others] = file.lines as [[number, string]];
  const changed = [
    { ...file, lines: others },
    { ...file, lines: [[before + 1, line] as const, ...others] },
    { ...file, lines: [[before, `import "node:fs"; ${line}`] as const, ...others] },
    { ...file, lines: [[Number.MAX_SAFE_INTEGER, line] as const, ...others] },
  ];
  for (const one of changed) expect(patchedText(one, disk)).toBeUndefined();
});

test("what is no patch is none", async () => {
  const { root } = await project("2026.9.6");
  const served = planServed(root, STUB_GUARD);
  expect(parseServed(JSON.parse(JSON.stringify(served)))).toEqual(served);
  for (const value of [null, 7, [], {}, { ...served, files: {} }, { ...served, files: [{}] }, { ...served, root: 1 }])
    expect(parseServed(value)).toBeUndefined();
});
