/** The hook in the service files that OpenClaw's own builders write, on both base releases. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import { BASE_RELEASES } from "../../harness/openclaw/releases.ts";
import { ensureRelease } from "../../harness/openclaw/ensure-release.ts";
import type { Release } from "../../src/patching/base/releases.ts";
import { plistArguments } from "../../src/register/service/launchd-plist.ts";
import { findService, type ServiceOptions } from "../../src/register/service/places.ts";
import { hookedServices, installService, removeService } from "../../src/register/service/service.ts";
import { dropIn, readUnit } from "../../src/register/service/systemd-unit.ts";
import { newFolder } from "../../harness/temporary.ts";
import { hashTree } from "../patching/fixture.ts";

const BUILDER = fileURLToPath(new URL("built-service.ts", import.meta.url));
const HOOK = pathToFileURL("/opt/ein Ordner ü & 5%/node_modules/openclaw-integrity/dist/register/index.mjs").href;
const HOOK_IN_XML = HOOK.replace("&", "&amp;");
const NODE = "/usr/bin/node";

function built(root: string, builder: string, options: object): string {
  return execFileSync(process.execPath, ["--no-warnings", BUILDER, root, builder, JSON.stringify(options)], {
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
}

describe.each(BASE_RELEASES as Release[])("the service of OpenClaw %s", (release) => {
  let home: string;
  let root: string;
  beforeEach(async () => {
    root = (await ensureRelease(release)).stock;
    home = join(newFolder(), "ein Haus ü");
    mkdirSync(home);
  });

  const command = (): string[] => [NODE, join(root, "dist", "index.js"), "gateway", "--port", "18789"];

  function unit(environment: Record<string, string>, name = "openclaw-gateway"): string {
    const file = join(home, ".config", "systemd", "user", `${name}.service`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, built(root, "buildSystemdUnit", { programArguments: command(), environment }));
    return file;
  }
  const find = (options: ServiceOptions = {}): ReturnType<typeof findService> =>
    findService(options, { HOME: home }, "linux");

  test("systemd: a drop-in adds the hook behind the unit's own options, and leaves no trace when it is removed", () => {
    const file = unit({ NODE_OPTIONS: "--max-old-space-size=4096 --no-warnings", HOME: home });
    const before = hashTree(home);
    const installed = installService(find(), HOOK);
    expect(installed).toMatchObject({
      name: "openclaw-gateway.service",
      action: "installed",
      file: join(`${file}.d`, "zz-openclaw-integrity.conf"),
      next: ["systemctl --user daemon-reload", "systemctl --user restart openclaw-gateway.service"],
    });
    expect(readFileSync(installed.file, "utf8")).toContain(
      'Environment="NODE_OPTIONS=--max-old-space-size=4096 --no-warnings --import=file:///opt/ein%%20Ordner%%20%%C3%%BC%%20&%%205%%25/',
    );
    expect(installService(find(), HOOK).action).toBe("already");
    expect(hookedServices({ HOME: home })).toEqual([
      { name: "openclaw-gateway.service", file: installed.file, hook: HOOK, isGone: true, command: command() },
    ]);
    expect(removeService(find())).toMatchObject({ action: "removed" });
    expect(hashTree(home)).toEqual(before);
    expect(existsSync(`${file}.d`)).toBe(false);
    expect(removeService(find())).toMatchObject({ action: "already" });
  });

  test("launchd: Node gets one more option, and the plist is as it was when it is taken out", () => {
    const file = join(home, "Library", "LaunchAgents", "ai.openclaw.gateway.plist");
    mkdirSync(dirname(file), { recursive: true });
    const plist = built(root, "buildLaunchAgentPlist", {
      label: "ai.openclaw.gateway",
      programArguments: ["/bin/sh", "/Users/a & b/env-wrapper.sh", "/Users/a & b/gateway.env", ...command()],
      stdoutPath: "/tmp/out",
      stderrPath: "/tmp/err",
      environment: { PATH: "/usr/bin" },
    });
    writeFileSync(file, plist);
    const agent = findService({}, { HOME: home }, "darwin");
    expect(installService(agent, HOOK)).toMatchObject({
      name: "ai.openclaw.gateway",
      action: "installed",
      next: ["launchctl bootout gui/$(id -u)/ai.openclaw.gateway", `launchctl bootstrap gui/$(id -u) '${file}'`],
    });
    const made = readFileSync(file, "utf8");
    expect(plistArguments(made)).toEqual([
      ...plistArguments(plist).slice(0, 4),
      `--import=${HOOK}`,
      ...plistArguments(plist).slice(4),
    ]);
    expect(made.split("\n").filter((line) => !plist.split("\n").includes(line))).toEqual([
      `      <string>--import=${HOOK_IN_XML}</string>`,
    ]);
    expect(installService(agent, HOOK).action).toBe("already");
    const moved = HOOK.replace("opt", "usr");
    expect(installService(agent, moved).action).toBe("installed");
    expect(readFileSync(file, "utf8")).toBe(made.replace(HOOK_IN_XML, moved.replace("&", "&amp;")));
    expect(removeService(agent).action).toBe("removed");
    expect(readFileSync(file, "utf8")).toBe(plist);
  });

  test.skipIf(spawnSync("systemd-analyze", ["--version"]).status !== 0)(
    "systemd reads the drop-in without a complaint",
    () => {
      const file = unit({ NODE_OPTIONS: "--max-old-space-size=4096 --no-warnings" });
      installService(find(), HOOK);
      const { stderr } = spawnSync("systemd-analyze", ["verify", "--user", "--man=no", file], {
        encoding: "utf8",
        env: { PATH: process.env["PATH"], HOME: home, XDG_RUNTIME_DIR: home },
      });
      expect(stderr.split("\n").filter((line) => line.includes("openclaw"))).toEqual([]);
    },
  );

  test("a profile has its own unit; without one the error names those that are there", () => {
    unit({}, "openclaw-gateway-work");
    expect(find({ profile: "work" }).name).toBe("openclaw-gateway-work.service");
    expect(() => find()).toThrow(
      /openclaw-gateway\.service; found only openclaw-gateway-work\.service\. Name its profile/,
    );
  });

  test("where a later drop-in or a file of the unit decides, nothing is written", () => {
    const file = unit({});
    const env = join(home, "gateway.env");
    writeFileSync(env, "A=1\nNODE_OPTIONS=--no-warnings\n");
    mkdirSync(`${file}.d`);
    writeFileSync(join(`${file}.d`, "env.conf"), `[Service]\nEnvironmentFile=-${env}\n`);
    const before = hashTree(home);
    expect(() => installService(find(), HOOK)).toThrow(
      /gateway\.env, which sets NODE_OPTIONS too.*Add this to NODE_OPTIONS there/,
    );
    writeFileSync(env, "A=1\n");
    writeFileSync(join(`${file}.d`, "zzz.conf"), "[Service]\n");
    expect(() => installService(find(), HOOK)).toThrow(/drop-ins behind it: zzz\.conf/);
    expect(Object.keys(hashTree(home))).toHaveLength(Object.keys(before).length + 1);
  });
});

test("quotes and percent signs of the user's options stand in the drop-in as in the unit", () => {
  const { nodeOptions } = readUnit([
    String.raw`[Service]
Environment="NODE_OPTIONS=--title=\"50 %%\" C:\\a %h"
`,
  ]);
  expect(nodeOptions).toBe(String.raw`--title="50 %%" C:\a %h`);
  expect(readUnit([dropIn(nodeOptions ?? "")]).nodeOptions).toBe(nodeOptions);
});

test("what systemd makes of Environment= is read as systemd does", () => {
  const options = (...texts: string[]): string | undefined =>
    readUnit(texts.map((text) => `[Service]\n${text}\n`)).nodeOptions;
  expect(options("Environment=A=1 NODE_OPTIONS=--a B=2")).toBe("--a");
  expect(options('Environment="NODE_OPTIONS=--a --b"')).toBe("--a --b");
  expect(options("Environment='NODE_OPTIONS=--a \\'--b'")).toBe("--a '--b");
  expect(options("Environment=NODE_OPTIONS=--a \\\n  B=2", "Environment=C=3")).toBe("--a");
  expect(options("Environment=NODE_OPTIONS=--a", "# Environment=NODE_OPTIONS=--b")).toBe("--a");
  expect(options("Environment=NODE_OPTIONS=--a", "Environment=NODE_OPTIONS=")).toBe("");
  expect(options("Environment=NODE_OPTIONS=--a", "Environment=")).toBeUndefined();
  expect(options("[Unit]\nEnvironment=NODE_OPTIONS=--a")).toBeUndefined();
});
