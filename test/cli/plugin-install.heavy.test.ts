/** The plugin's installation into real releases, by one command, and back. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MAIN } from "../../harness/command.ts";
import { newFolder } from "../../harness/temporary.ts";
import { parseJson5 } from "../../src/cli/plugin/config-text.ts";
import { openGateway, type Gateway } from "../../harness/gateway/index.ts";
import { BASE_RELEASES } from "../../harness/openclaw/releases.ts";
import { hashTree } from "../patching/fixture.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { chosenReleases } from "./chosen-releases.ts";
import { userEnvironment } from "./fixture.ts";
import { patience } from "../../harness/patience.ts";

const PLUGIN = fileURLToPath(new URL("../../dist/plugin", import.meta.url));
const KEY = "agent:main:main";
const LETTERBOX = fileURLToPath(new URL("../../harness/gateway/letterbox", import.meta.url));
// OpenClaw's command line takes its time to start, several times over.
const SLOW = 400_000;
const installed = chosenReleases(BASE_RELEASES);

interface Run {
  readonly status: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly stderr: string;
}

describe.each(installed)("openclaw-integrity plugin with OpenClaw $release", ({ release, root }) => {
  const openclaw = join(root, "node_modules", "openclaw");
  const isFirst = release === "2026.2.3";
  const plugin = (stateDir: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Run> =>
    new Promise((done) => {
      const options = {
        cwd: newFolder(),
        env: { ...userEnvironment(newFolder()), OPENCLAW_STATE_DIR: stateDir, ...env },
        encoding: "utf8",
      } as const;
      // Not waited for: a gateway of the same test has to be served meanwhile.
      const child = execFile(
        process.execPath,
        [MAIN, "plugin", ...args, "--path", openclaw, "--json"],
        options,
        (_, stdout, stderr) => {
          done({
            status: child.exitCode ?? -1,
            data: stdout === "" ? {} : (JSON.parse(stdout) as Run["data"]),
            stderr,
          });
        },
      );
    });
  const newConfig = (text: string): { readonly stateDir: string; readonly file: string } => {
    const stateDir = newFolder();
    const file = join(stateDir, "openclaw.json");
    writeFileSync(file, text, { mode: 0o600 });
    return { stateDir, file };
  };

  test(
    "a person's config keeps its comments and its other plugins, and is after uninstall what it was",
    async () => {
      // A plugin of the user's own beside ours.
      const text = `{
  // Written by hand.
  gateway: { mode: "local" }, // here
  plugins: {
    allow: ["letterbox"], // nothing else
    load: { paths: [${JSON.stringify(LETTERBOX)}] },
    entries: { "letterbox": { enabled: true } },
    slots: { memory: "none" },
  },
}
`;
      const { stateDir, file } = newConfig(text);
      const folder = isFirst ? join(stateDir, "integrity", "clawos-l0") : PLUGIN;
      const before = hashTree(stateDir);

      const dry = await plugin(stateDir, ["install", "--dry-run"]);
      expect(dry).toMatchObject({ status: 0, data: { action: "would-install" } });
      expect(hashTree(stateDir), "--dry-run").toEqual(before);

      const entry = "plugins.entries.clawos-l0";
      const changes = [
        { key: "plugins.load.paths", do: "add", item: folder, file },
        { key: `${entry}.enabled`, do: "set", after: true, file },
        ...(isFirst ? [] : [{ key: `${entry}.hooks.allowConversationAccess`, do: "set", after: true, file }]),
        { key: "plugins.allow", do: "add", item: "clawos-l0", file },
      ];
      expect(dry.data["changes"]).toEqual(changes);
      const done = await plugin(stateDir, ["install"]);
      expect(done).toMatchObject({
        status: 0,
        data: { action: "installed", way: isFirst ? "copy" : "link", loadedFrom: folder, diagnostics: [], changes },
      });
      const installedText = readFileSync(file, "utf8");
      for (const words of ["// Written by hand.", "// here", "// nothing else"]) expect(installedText).toContain(words);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(statSync(join(stateDir, "integrity", "plugin.json")).mode & 0o777).toBe(0o600);

      expect(await plugin(stateDir, ["install"])).toMatchObject({
        status: 0,
        data: { action: "already", changes: [] },
      });
      expect(readFileSync(file, "utf8")).toBe(installedText);

      writeFileSync(
        file,
        installedText
          .replace("// here", '// here\n  tools: { allow: ["read"] },')
          .replace('"enabled": true', '"enabled": true, "config": { "logLevel": "info" }'),
      );
      writeFileSync(join(stateDir, "integrity", "kept.bak"), "an archive");
      expect(await plugin(stateDir, ["uninstall"])).toMatchObject({ status: 0, data: { action: "uninstalled" } });
      expect(readFileSync(file, "utf8")).toBe(text.replace("// here", '// here\n  tools: { allow: ["read"] },'));
      expect(readFileSync(join(stateDir, "integrity", "kept.bak"), "utf8")).toBe("an archive");
      expect([folder, join(stateDir, "integrity", "plugin.json")].map((path) => existsSync(path))).toEqual([
        !isFirst,
        false,
      ]);
      expect(await plugin(stateDir, ["uninstall"])).toMatchObject({ status: 0, data: { action: "already" } });
    },
    SLOW,
  );

  // OpenClaw's own "no" to a config, and what is refused before it is asked, do not differ between releases: the faster
  // one shows them.
  test.runIf(isFirst)(
    "a config that OpenClaw refuses is left as it is, and nothing is left behind",
    async () => {
      // One plugin only: with all of them the first release compiles each, for minutes.
      const { stateDir, file } = newConfig(
        '{ gateway: { mode: "local", nonsense: 1 }, plugins: { allow: ["letterbox"], slots: { memory: "none" } } }\n',
      );
      const before = readFileSync(file, "utf8");
      expect(await plugin(stateDir, ["install", "--copy"])).toMatchObject({
        status: 1,
        data: { ok: false, code: "openclaw-refused", message: expect.stringMatching(/nonsense/) },
      });
      expect(readFileSync(file, "utf8")).toBe(before);
      expect(["plugin.json", "clawos-l0"].filter((name) => existsSync(join(stateDir, "integrity", name)))).toEqual([]);
    },
    SLOW,
  );

  test.runIf(isFirst).each<readonly [string, string, string, NodeJS.ProcessEnv]>([
    ["it is no JSON5", "{ gateway: ", "config-unreadable", {}],
    [
      "a part of it is in a file that is not there",
      '{ plugins: { $include: "./gone.json5" } }',
      "config-unreadable",
      {},
    ],
    ["plugins are turned off", "{ plugins: { enabled: false } }", "plugins-off", {}],
    ["the plugin is denied", '{ plugins: { deny: ["clawos-l0"] } }', "plugin-denied", {}],
    ["Nix writes it", "{}", "config-read-only", { OPENCLAW_NIX_MODE: "1" }],
  ])("refused without a change, because of the config: %s", async (_, text, code, env) => {
    const { stateDir } = newConfig(text);
    const before = hashTree(stateDir);
    expect(await plugin(stateDir, ["install"], env)).toMatchObject({
      status: 1,
      data: { code, message: expect.stringMatching(/^expected .*; found .*/) },
    });
    expect(hashTree(stateDir)).toEqual(before);
  });

  describe("while a gateway runs", () => {
    let provider: StrictProvider;
    let gateway: Gateway;
    beforeAll(async () => {
      provider = await startProvider();
      const scopes = ["operator.read", "operator.write", "operator.admin"];
      // With `meta`, as a config has it that OpenClaw has written: then its own command is used where it keeps a
      // record, which it misses in a plugin that no list allows.
      const settings: Record<string, object> = isFirst
        ? { plugins: { enabled: true, slots: { memory: "none" } } }
        : {
            plugins: { allow: [] },
            meta: {
              lastTouchedVersion: release,
              migrations: { modelPolicyAllowlist: true, utilityModelSeparation: true },
            },
          };
      gateway = await openGateway({ root, release, providerUrl: provider.url, scopes, settings });
      await gateway.start();
    });
    afterAll(async () => {
      await gateway?.close();
      await provider?.close();
    });

    test(
      "it loads the plugin and answers /l0-status; without it, it answers no more, and its config is what it was",
      async () => {
        const config = (): unknown => parseJson5(readFileSync(join(gateway.stateDir, "openclaw.json"), "utf8"));
        const before = config();
        // That release does not tell the plugin what a client of the gateway may do, so that it answers none.
        const answer = isFirst
          ? "does not report to a plugin what a client of the gateway may do"
          : "Session integrity (clawos-l0)";
        const status = async (): Promise<string> => (await gateway.send(KEY, "/l0-status")).finalText ?? "";
        expect(await plugin(gateway.stateDir, ["install"])).toMatchObject({
          status: 0,
          data: { action: "installed", diagnostics: [] },
        });
        // The first release restarts for it, which the test's client does not outlive.
        if (isFirst) await gateway.restart();
        await expect.poll(status, { timeout: patience(60_000), interval: 1000 }).toContain(answer);
        expect(gateway.log()).not.toContain("can't verify where this plugin came from");
        expect(await plugin(gateway.stateDir, ["status"])).toMatchObject({
          status: 0,
          data: { loaded: true, way: isFirst ? "copy" : "link", outdated: false, diagnostics: [] },
        });
        expect(await plugin(gateway.stateDir, ["uninstall"])).toMatchObject({
          status: 0,
          data: { action: "uninstalled", warnings: [] },
        });
        expect(config()).toEqual(before);
        if (isFirst) await gateway.restart();
        await expect.poll(status, { timeout: patience(60_000), interval: 1000 }).not.toContain(answer);
        expect(config()).toEqual(before);
      },
      SLOW,
    );
  });
});
