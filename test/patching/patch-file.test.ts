import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { sha256 } from "../../src/patching/base/hash.ts";
import { patchFileName, patchFileText } from "../../src/patching/patch-file.ts";
import { plan } from "../../src/patching/plan.ts";
import { RELEASES } from "../../src/patching/base/releases.ts";
import { project, removeProjects, STUB_GUARD } from "./fixture.ts";

afterAll(removeProjects);
const patchPackage = fileURLToPath(import.meta.resolve("patch-package/index.js"));

test.each(RELEASES.map(({ release }) => release))(
  "patch-package and the engine give the same bytes: %s",
  async (release) => {
    const { folder, root } = await project(release);
    const planned = plan(root, { guard: STUB_GUARD });
    const text = patchFileText(planned);
    mkdirSync(join(folder, "patches"));
    writeFileSync(join(folder, "patches", patchFileName(release)), text);
    const manifest = { name: "user", version: "1.0.0", dependencies: { openclaw: release } };
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
    writeFileSync(
      join(folder, "package-lock.json"),
      JSON.stringify({ name: "user", lockfileVersion: 3, packages: {} }),
    );
    execFileSync(process.execPath, [patchPackage, "--error-on-fail"], { cwd: folder, stdio: "pipe" });
    for (const { file, patched } of planned.files) expect(sha256(readFileSync(join(root, file)))).toBe(sha256(patched));
    expect(readFileSync(join(root, planned.guard.file), "utf8")).toBe(STUB_GUARD);
    // No more of OpenClaw's text than one line on either side of an inserted line.
    const [added, kept] = ["+", " "].map((sign) => text.split("\n").filter((line) => line.startsWith(sign)).length);
    expect(kept).toBeLessThanOrEqual(2 * (added ?? 0));
  },
);
