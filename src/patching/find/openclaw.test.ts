import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import { findInstallation, findInstallations } from "./openclaw.ts";

let folder = "";
beforeEach(() => {
  folder = newFolder();
});

/** Makes a package of that name with what marks it as OpenClaw. */
function makePackage(path: string, name = "openclaw", version = "2026.9.6"): string {
  const root = join(folder, path);
  mkdirSync(join(root, "dist"), { recursive: true });
  writeFileSync(join(root, "package.json"), JSON.stringify({ name, version }));
  writeFileSync(join(root, "openclaw.mjs"), "");
  return root;
}

describe("a path means", () => {
  test("the same OpenClaw whether it is the package, a project, a folder in it, or the file that starts OpenClaw", () => {
    const root = makePackage("project/node_modules/openclaw");
    mkdirSync(join(folder, "project", "src"));
    symlinkSync(join(root, "openclaw.mjs"), join(folder, "openclaw"));
    const paths = [
      root,
      join(root, "dist"),
      join(root, "openclaw.mjs"),
      join(folder, "project"),
      join(folder, "project", "src"),
      join(folder, "openclaw"),
    ];
    for (const path of paths)
      expect({ path, ...findInstallation({ path }) }).toMatchObject({
        path,
        root,
        release: "2026.9.6",
        ways: ["path"],
      });
  });

  test("the nearest one, when a workspace has its own", () => {
    makePackage("project/node_modules/openclaw");
    const root = makePackage("project/packages/one/node_modules/openclaw", "openclaw", "2026.2.3");
    expect(findInstallation({ path: join(folder, "project", "packages", "one") })).toMatchObject({
      root,
      release: "2026.2.3",
    });
  });

  test("the damaged one in the project and not a sound one above it", () => {
    makePackage("node_modules/openclaw");
    const root = makePackage("project/node_modules/openclaw");
    writeFileSync(join(root, "package.json"), '{"name": "openc');
    expect(findInstallations({ path: join(folder, "project") })).toMatchObject([{ root, release: "unknown" }]);
    expect(() => findInstallation({ path: root })).toThrow(expect.objectContaining({ code: "openclaw-missing" }));
  });

  test("nothing, with a reason: not there, a file of another package, a folder without OpenClaw", () => {
    const other = makePackage("other", "other");
    for (const [path, found] of [
      [join(folder, "nowhere"), "nothing there"],
      [join(other, "openclaw.mjs"), "belongs to no package named openclaw"],
      [other, "no OpenClaw in"],
    ] as const) {
      expect(() => findInstallations({ path })).toThrow(
        expect.objectContaining({ code: "openclaw-missing", message: expect.stringContaining(found) }),
      );
    }
  });
});

test("a folder behind two links is one OpenClaw, found in the place of the link", () => {
  const root = makePackage("store/v11/links/openclaw");
  mkdirSync(join(folder, "project", "node_modules"), { recursive: true });
  const place = join(folder, "project", "node_modules", "openclaw");
  symlinkSync(root, place);
  expect(findInstallations({ path: join(folder, "project") })).toEqual([
    { root, release: "2026.9.6", ways: ["path"], places: [place], shared: true },
  ]);
});

describe("no path and no OpenClaw in the project means", () => {
  const machine = (): NodeJS.ProcessEnv => {
    const root = makePackage("global/openclaw");
    mkdirSync(join(folder, "bin"));
    symlinkSync(join(root, "openclaw.mjs"), join(folder, "bin", "openclaw"));
    return { PATH: join(folder, "bin"), HOME: folder };
  };

  test("the one of the machine, or every command of the documentation is refused after a setup of a global OpenClaw", () => {
    const env = machine();
    const found = [{ root: join(folder, "global", "openclaw"), ways: ["command"] }];
    expect(findInstallations({ env })).toMatchObject(found);
    expect(findInstallations({ env: { ...env, npm_lifecycle_event: "npx" } })).toMatchObject(found);
  });

  test("none for a script of a package, and where only the project can be meant: an installation patches nothing else", () => {
    const env = machine();
    const missing = expect.objectContaining({
      code: "openclaw-missing",
      message: expect.stringMatching(/add --global/),
    });
    expect(() => findInstallations({ env: { ...env, npm_lifecycle_event: "postinstall" } })).toThrow(missing);
    expect(() => findInstallations({ env, onlyProject: true })).toThrow(missing);
  });
});
