/**
 * An OpenClaw whose package, or whose dist, is a symbolic link: what is changed is named by where it is, and nothing
 * outside of the package unasked.
 */
import {
  chmodSync,
  chownSync,
  cpSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { apply, revert, verify } from "../../src/patching/apply.ts";
import { cli, newProject, smallPackage, userEnvironment } from "../cli/fixture.ts";
import { hashTree } from "./fixture.ts";

/** A package whose dist is a link to a folder outside of it. */
async function linked(): Promise<{ readonly root: string; readonly dist: string }> {
  const root = await smallPackage("2026.9.6");
  const dist = join(newFolder(), "checkout", "dist");
  cpSync(join(root, "dist"), dist, { recursive: true });
  renameSync(join(root, "dist"), join(root, "dist.was"));
  symlinkSync(dist, join(root, "dist"));
  return { root, dist };
}

test("a dist that leads out of the package: apply and revert refuse with where it leads, and change nothing; status and verify name it", async () => {
  const { root, dist } = await linked();
  const before = [hashTree(dist), hashTree(root)];
  const env = userEnvironment(newFolder());
  const { status, stderr } = cli(["apply", "--path", root], "/", env);
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: `openclaw-integrity: refused (openclaw-linked): expected ${join(root, "dist")} to be a folder of the package; found a symbolic link to ${dist}, whose files would be changed. When that is what you want, add --follow-links, or name the OpenClaw that the folder belongs to with --path. Nothing was changed.\n`,
  });
  expect(cli(["status", "--path", root], "/", env)).toMatchObject({
    status: 3,
    stdout: expect.stringContaining(`its dist is a link: the files are those in ${dist}`),
  });
  expect([hashTree(dist), hashTree(root)]).toEqual(before);

  const applied = cli(["apply", "--path", root, "--follow-links"], "/", env);
  expect(applied).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(
      new RegExp(
        `^OpenClaw 2026\\.9\\.6 in ${root}: patched .*\\n {2}its dist is a link: the files are those in ${dist}\\n`,
      ),
    ),
  });
  expect(readdirSync(dist)).toContain("openclaw-integrity.mjs");
  // Nothing is left of the work, in neither folder.
  expect(
    [...readdirSync(root), ...readdirSync(dist), ...readdirSync(join(dist, ".."))].filter((name) =>
      name.includes("stage"),
    ),
  ).toEqual([]);
  expect(cli(["apply", "--path", root, "--json"], "/", env)).toMatchObject({
    status: 0,
    data: { action: "already", linkedDist: dist },
  });
  expect(verify(root).state).toBe("patched");
  expect(() => revert(root)).toThrow(expect.objectContaining({ code: "openclaw-linked" }));
  expect(cli(["revert", "--path", root, "--follow-links"], "/", env).status).toBe(0);
  expect([hashTree(dist), hashTree(root)]).toEqual(before);
  // Nothing is to be taken back: nothing to refuse.
  expect(revert(root)).toEqual([]);
});

test("a dist that is a link within the package is the package's own", async () => {
  const root = await smallPackage("2026.9.6");
  mkdirSync(join(root, "build"));
  renameSync(join(root, "dist"), join(root, "build", "dist"));
  symlinkSync(join("build", "dist"), join(root, "dist"));
  expect(apply(root).action).toBe("applied");
  expect(verify(root).linkedDist).toBeUndefined();
});

test("a linked package (npm link) is named by where it is, with the link that led there", async () => {
  const root = await smallPackage("2026.9.6");
  const folder = newProject();
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules", "openclaw"));
  const { status, stdout } = cli(["apply"], folder, userEnvironment(newFolder()));
  expect(status).toBe(0);
  expect(stdout).toContain(`OpenClaw 2026.9.6 in ${root}: patched`);
  expect(stdout).toContain(`\n  ${join(folder, "node_modules", "openclaw")} is a link to it\n`);
});

test("a link in the place of the folder that files are staged in, or of the file that is added, leads nowhere", async () => {
  const root = await smallPackage("2026.9.6");
  const elsewhere = newFolder();
  writeFileSync(join(elsewhere, "pid"), "1");
  writeFileSync(join(elsewhere, "file"), "mine");
  symlinkSync(elsewhere, join(root, ".openclaw-integrity-stage"));
  symlinkSync(join(elsewhere, "file"), join(root, "dist", "openclaw-integrity.mjs"));
  // A living process has it, as far as can be told.
  expect(() => apply(root)).toThrow(expect.objectContaining({ code: "busy" }));
  writeFileSync(join(elsewhere, "pid"), String(2 ** 22 + 1));
  expect(["applied", "completed"]).toContain(apply(root).action);
  expect([readdirSync(elsewhere).toSorted(), readFileSync(join(elsewhere, "file"), "utf8")]).toEqual([
    ["file", "pid"],
    "mine",
  ]);
  expect(verify(root).state).toBe("patched");
});

test.runIf(process.getuid?.() === 0)(
  "what root patches stays its owner's, as in a folder of node's that sudo patches",
  async () => {
    const root = await smallPackage("2026.9.6");
    const chown = (path: string): void => {
      lchownSync(path, 65_534, 65_534);
      if (statSync(path).isDirectory()) for (const name of readdirSync(path)) chown(join(path, name));
    };
    chown(root);
    const files = apply(root).files.map((file) => join(root, file));
    chmodSync(files[0]!, 0o755);
    expect(files.map((file) => statSync(file).uid)).toEqual(files.map(() => 65_534));
    revert(root);
    expect(statSync(files[0]!)).toMatchObject({ uid: 65_534 });
    expect(statSync(files[0]!).mode & 0o777).toBe(0o755);
    chownSync(root, 0, 0);
  },
);
