import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ensureRelease } from "../../harness/openclaw/ensure-release.ts";
import { newFolder } from "../../harness/temporary.ts";
import { shareTree } from "../../src/patching/write/copy-tree.ts";
import { readRecord } from "../../src/patching/write/record.ts";
import { cli, userEnvironment } from "../cli/fixture.ts";
import { rename } from "../patching/fixture.ts";

test("a patch that fits and does nothing is found by the proof, and taken back; one that works stays", async () => {
  const { stock } = await ensureRelease("2026.2.3");
  const folder = join(newFolder(), "project");
  shareTree(join(stock, "..", ".."), folder);
  const root = join(folder, "node_modules", "openclaw");
  const env = userEnvironment(newFolder());
  // Replaced, because the copy may share its bytes with the original.
  const replace = (file: string, text: string): void => {
    rmSync(join(root, file));
    writeFileSync(join(root, file), text);
  };
  replace("package.json", readFileSync(join(stock, "package.json"), "utf8"));
  rename(root, "2026.2.4");
  const start = readFileSync(join(stock, "openclaw.mjs"), "utf8");
  replace("openclaw.mjs", start.replace("\n", '\nprocess.env.OPENCLAW_INTEGRITY = "off";\n'));
  const failed = cli(["apply"], folder, env);
  expect(failed.status).toBe(1);
  expect(failed.stderr).toMatch(
    /NOT proven: \d of 6 sessions failed[\s\S]*reserved path[\s\S]*The patch was taken back/,
  );
  expect(cli(["status"], folder, env).status).toBe(3);

  replace("openclaw.mjs", start);
  const proven = cli(["apply", "--json"], folder, env);
  expect(proven).toMatchObject({ status: 0, data: { ok: true, state: "patched", proof: { verdict: "proven" } } });
  expect(readRecord(env)).toMatchObject([{ root, proof: "proven", run: { verdict: "proven", release: "2026.2.4" } }]);
  // Once is enough.
  expect(cli(["apply", "--json"], folder, env).data["proof"]).toBeUndefined();
  expect(cli(["status"], folder, env).stdout).not.toContain("not proven");
});
