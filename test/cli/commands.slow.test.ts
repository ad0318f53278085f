import { appendFileSync, chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { MAIN } from "../../harness/command.ts";
import { reachable, runAsNobody } from "../../harness/nobody.ts";
import { newFolder } from "../../harness/temporary.ts";
import { hashTree } from "../patching/fixture.ts";
import { cli, newProject, projectWith, userEnvironment } from "./fixture.ts";

const COMMANDS = ["apply", "status", "verify", "revert", "explain", "write-patches"];

describe("exit codes and output that scripts rely on", () => {
  test("status 3, apply 0, status 0, apply again 0, verify 0, revert 0, revert again 0, verify 1", async () => {
    const { folder, root } = await projectWith("2026.9.6");
    const env = userEnvironment(newFolder());
    const steps: readonly (readonly [string, number, Record<string, unknown>])[] = [
      [
        "status",
        3,
        {
          ok: false,
          installations: [{ root, release: "2026.9.6", ways: ["project"], state: "stock", fate: "never" }],
          gone: [],
        },
      ],
      [
        "apply",
        0,
        { ok: true, root, release: "2026.9.6", action: "applied", state: "patched", ways: ["project"], warnings: [] },
      ],
      ["status", 0, { ok: true, installations: [{ root, state: "patched", fate: "patched" }] }],
      ["apply", 0, { ok: true, action: "already" }],
      ["verify", 0, { ok: true, action: "checked", state: "patched" }],
      ["explain", 0, { ok: true, root, outcome: "patched" }],
      ["revert", 0, { ok: true, root, action: "reverted" }],
      ["revert", 0, { ok: true, action: "already", files: [] }],
      ["verify", 1, { ok: false, code: "not-patched" }],
    ];
    for (const [command, status, data] of steps)
      expect({ command, ...cli([command, "--json"], folder, env) }).toMatchObject({ command, status, data });
  });

  test("quiet prints nothing unless something is wrong", async () => {
    const { folder, root } = await projectWith("2026.9.6");
    const env = userEnvironment(newFolder());
    for (const [command, status] of [
      ["status", 3],
      ["apply", 0],
      ["revert", 0],
    ] as const) {
      expect({ command, ...cli([command, "--quiet"], folder, env) }).toMatchObject({
        command,
        status,
        stdout: "",
        stderr: "",
      });
    }
    rmSync(root, { recursive: true });
    expect(cli(["apply", "--quiet"], folder, env)).toMatchObject({
      status: 1,
      stdout: "",
      stderr: expect.stringContaining("refused (openclaw-missing)"),
    });
  });

  test.each([
    ["an option that is none, without a command", ["--frobnicate"]],
    ["an unknown command", ["patch"]],
    ["an unknown option", ["apply", "--force"]],
    ["--path and --global", ["status", "--path", ".", "--global"]],
    ["--json and --quiet", ["status", "--json", "--quiet"]],
    ["an argument", ["apply", "openclaw"]],
  ])("%s is wrong usage: 2", (_, args) => {
    expect(cli(args, newFolder(), userEnvironment(newFolder())).status).toBe(2);
  });

  test("help --all names every command and exit code, and --help says that there is more", () => {
    const { status, stdout } = cli(["help", "--all"], newFolder(), userEnvironment(newFolder()));
    expect(status).toBe(0);
    expect(cli(["--help"], newFolder(), userEnvironment(newFolder()))).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("help --all"),
    });
    for (const word of [...COMMANDS, "prove", "0  ", "1  ", "2  ", "3  "]) expect(stdout).toContain(`\n  ${word}`);
  });
});

describe("refused, and nothing is changed", () => {
  test.each<readonly [string, readonly string[], (root: string) => void, RegExp]>([
    [
      "a damaged package.json",
      [],
      (root) => writeFileSync(join(root, "package.json"), '{"name": "openc'),
      /no readable package\.json.*Reinstall OpenClaw/,
    ],
    [
      "no package.json",
      [],
      (root) => rmSync(join(root, "package.json")),
      /no readable package\.json.*Reinstall OpenClaw/,
    ],
    [
      "no dist",
      COMMANDS,
      (root) => rmSync(join(root, "dist"), { recursive: true }),
      /dist missing.*Reinstall OpenClaw/,
    ],
    [
      "another package in its place",
      [],
      (root) => writeFileSync(join(root, "package.json"), '{"name": "other", "version": "1.0.0"}'),
      /package "other"/,
    ],
  ])("%s", async (_, commands, damage, words) => {
    const { folder, root } = await projectWith("2026.9.6");
    const env = userEnvironment(newFolder());
    damage(root);
    const before = hashTree(folder);
    for (const [command = "", ...place] of [["apply"], ["status", "--path", root], ...commands.map((name) => [name])]) {
      const { status, stdout, stderr } = cli([command, ...place], folder, env);
      expect({ command, place, status, text: stdout + stderr }).toMatchObject({
        command,
        status: 1,
        text: expect.stringMatching(words),
      });
      expect(stdout + stderr).toContain("(openclaw-missing)");
    }
    expect(hashTree(folder)).toEqual(before);
  });

  test("a path that is not there, and a file that is no OpenClaw", () => {
    const folder = newProject();
    const env = userEnvironment(newFolder());
    for (const [path, words] of [
      ["nowhere", "nothing there"],
      ["package.json", "belongs to no package named openclaw"],
    ] as const) {
      expect(cli(["apply", "--path", path], folder, env)).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(`refused \\(openclaw-missing\\): expected .*${join(folder, path)}.*${words}`),
      });
    }
  });

  test("a file that somebody changed: apply and status say which", async () => {
    const { folder, root } = await projectWith("2026.9.6");
    const env = userEnvironment(newFolder());
    expect(cli(["apply"], folder, env).status).toBe(0);
    const [file = ""] = Object.keys(hashTree(join(root, "dist")));
    appendFileSync(join(root, "dist", file), "\n// mine\n");
    const before = hashTree(root);
    for (const command of ["apply", "status", "verify", "revert"]) {
      const { status, stdout, stderr } = cli([command], folder, env);
      expect({ command, status, text: stdout + stderr }).toMatchObject({
        command,
        status: 1,
        text: expect.stringContaining(`dist/${file}`),
      });
    }
    expect(hashTree(root)).toEqual(before);
  });

  test("a folder that may not be written", async () => {
    const { folder, root } = await projectWith("2026.9.6");
    const home = newFolder();
    for (const path of [folder, home]) chmodSync(path, 0o755);
    for (const path of [join(root, "dist"), root]) chmodSync(path, 0o555);
    const before = hashTree(root);
    const { status, stderr } = runAsNobody([reachable(MAIN), "apply"], { cwd: folder, env: userEnvironment(home) });
    for (const path of [join(root, "dist"), root]) chmodSync(path, 0o755);
    expect({ status, stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/refused \(not-writable\): expected to write into .*Nothing was changed/),
    });
    expect(hashTree(root)).toEqual(before);
  });
});
