/** What `plugin` does with a record and a config that somebody else could have written or linked. */
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { ConfigDraft } from "../../src/cli/plugin/config-file.ts";
import { cli, smallPackage, userEnvironment } from "./fixture.ts";

test("a record that names another folder as the plugin's copy does not have that folder removed", async () => {
  const [stateDir, mine] = [newFolder(), newFolder()];
  writeFileSync(join(mine, "work"), "mine");
  mkdirSync(join(stateDir, "integrity"));
  const configFile = join(stateDir, "openclaw.json");
  writeFileSync(configFile, "{}\n");
  writeFileSync(
    join(stateDir, "integrity", "plugin.json"),
    JSON.stringify({
      version: 1,
      configFile,
      isNewConfig: false,
      way: "copy",
      folder: mine,
      isRecorded: false,
      steps: [],
      made: [],
      had: [],
    }),
  );
  const root = await smallPackage("2026.2.3");
  const { status, data } = cli(["plugin", "uninstall", "--path", root, "--yes", "--json"], "/", {
    ...userEnvironment(newFolder()),
    OPENCLAW_STATE_DIR: stateDir,
  });
  expect({ status, data }).toMatchObject({
    status: 0,
    data: { action: "uninstalled", warnings: [expect.stringContaining(`${mine} was not removed`)] },
  });
  expect([existsSync(join(mine, "work")), existsSync(join(stateDir, "integrity", "plugin.json"))]).toEqual([
    true,
    false,
  ]);
});

test("a config that is the user's own link (kept with other settings) stays one, and what is behind it is changed", () => {
  const [stateDir, settings] = [newFolder(), newFolder()];
  writeFileSync(join(settings, "openclaw.json"), "{ plugins: {} }\n", { mode: 0o640 });
  symlinkSync(join(settings, "openclaw.json"), join(stateDir, "openclaw.json"));
  const draft = new ConfigDraft(join(stateDir, "openclaw.json"));
  draft.set(draft.spot(["plugins", "enabled"]), true);
  draft.save();
  expect([
    lstatSync(join(stateDir, "openclaw.json")).isSymbolicLink(),
    readFileSync(join(settings, "openclaw.json"), "utf8"),
  ]).toEqual([true, expect.stringContaining("enabled")]);
  expect(lstatSync(join(settings, "openclaw.json")).mode & 0o777).toBe(0o640);
  draft.restore();
  expect(readFileSync(join(settings, "openclaw.json"), "utf8")).toBe("{ plugins: {} }\n");
});
