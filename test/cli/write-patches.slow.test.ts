import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { project, rename } from "../patching/fixture.ts";
import { readyForPatchPackage, runPatchPackage } from "../patching/patch-package.ts";
import { newFolder } from "../../harness/temporary.ts";
import { cli, userEnvironment } from "./fixture.ts";

const GUARD = "openclaw+2026.9.6+001+guard.patch";
const CALL_SITES = "openclaw+2026.9.6+002+call-sites.patch";

test("what write-patches writes is all that patch-package needs for a whole patch, and stays the same on the patched OpenClaw", async () => {
  const { folder, root } = await project("2026.9.6");
  const env = userEnvironment(newFolder());
  readyForPatchPackage(folder, "2026.9.6", []);
  const { status, stdout, stderr } = cli(["write-patches"], folder, env);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const patches = join(folder, "patches");
  for (const name of [GUARD, CALL_SITES]) expect(stdout).toContain(`  wrote ${join(patches, name)} (`);
  expect(stdout).toContain("npm install patch-package");
  expect(readdirSync(patches).toSorted()).toEqual([GUARD, CALL_SITES]);

  runPatchPackage(folder);
  expect(cli(["verify", "--json"], folder, env)).toMatchObject({ status: 0, data: { root, state: "patched" } });
  expect(cli(["write-patches", "--json"], folder, env)).toMatchObject({
    status: 0,
    data: {
      root,
      release: "2026.9.6",
      folder: patches,
      files: [GUARD, CALL_SITES].map((name) => ({ file: join(patches, name), action: "unchanged" })),
      warnings: [],
    },
  });
});

test("patch files of ours that patch-package would apply as well are named, and nobody else's", async () => {
  const { folder } = await project("2026.9.6");
  const others = join(folder, "kept", "here");
  mkdirSync(others, { recursive: true });
  const files = {
    "openclaw+2026.9.5.patch": "+++ b/node_modules/openclaw/dist/openclaw-integrity.mjs\n",
    "openclaw+2026.9.5+002+call-sites.patch": '+/* openclaw-integrity:header {"release":"2026.9.5"} */\n',
    "openclaw+2026.9.6+003+mine.patch": "+console.log();\n",
    "other+1.0.0.patch": "+/* openclaw-integrity:header {} */\n",
    "notes.txt": "/* openclaw-integrity: */",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(others, name), text);
  const { status, data } = cli(["write-patches", "kept/here", "--json"], folder, userEnvironment(newFolder()));
  expect({ status, data }).toMatchObject({ status: 0, data: { folder: others } });
  expect((data["warnings"] as readonly string[]).toSorted()).toEqual([
    expect.stringMatching(/^openclaw\+2026\.9\.5\+002\+call-sites\.patch in .*delete it/),
    expect.stringMatching(/^openclaw\+2026\.9\.5\.patch in .*delete it/),
  ]);
  for (const [name, text] of Object.entries(files)) expect(readFileSync(join(others, name), "utf8")).toBe(text);
});

test("the files of a release that nobody has looked at come with the warning of apply", async () => {
  const { folder, root } = await project("2026.9.6");
  rename(root, "2026.9.7");
  expect(cli(["write-patches", "--json"], folder, userEnvironment(newFolder()))).toMatchObject({
    status: 0,
    data: {
      files: [{ file: expect.stringContaining("openclaw+2026.9.7+001+guard.patch") }, {}],
      warnings: [expect.stringContaining("2026.9.7 is not among the tested releases")],
    },
  });
});

test("a folder that cannot be one is a refusal that says what to do", async () => {
  const { folder } = await project("2026.9.6");
  writeFileSync(join(folder, "patches"), "a file");
  expect(cli(["write-patches"], folder, userEnvironment(newFolder()))).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(
      /refused \(not-writable\): expected to write patch files into .*patches; found a file where a folder should be \(ENOTDIR\)\. Check the path/,
    ),
  });
});
