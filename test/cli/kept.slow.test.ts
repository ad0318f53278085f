/** What the command line and the automatic application of the plugin know of each other. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { registerEnvironment } from "../../harness/openclaw/register.ts";
import { newFolder } from "../../harness/temporary.ts";
import { type Kept, findKept, recordKept } from "../../src/patching/write/kept-record.ts";
import { cli, projectWith, userEnvironment, type Run } from "./fixture.ts";

it("a revert keeps the plugin from applying the patch again, until apply is run; status says why it is not patched", async () => {
  const { folder, root } = await projectWith("2026.9.6");
  const home = newFolder();
  const env = userEnvironment(home);
  const run = (command: string): Run => cli([command], folder, env);
  const entry: Kept = {
    root,
    release: "2026.9.6",
    guard: "",
    step: "failed",
    reason: "no answer",
    at: "2026-11-23T00:00:00Z",
  };
  recordKept(entry, env);
  expect(run("status").stdout).toContain("the plugin reverted the patch at 2026-11-23T00:00:00Z: no answer");
  expect(run("apply").status).toBe(0);
  expect(findKept(root, "2026.9.6", env)).toBeUndefined();
  expect(run("revert").status).toBe(0);
  expect(findKept(root, "2026.9.6", env)?.step).toBe("reverted");
  const leaves = "the plugin leaves it so: you reverted the patch";
  expect(run("status").stdout, "no plugin is there").not.toContain(leaves);
  const config = join(home, ".openclaw", "openclaw.json");
  const settings = (more: object): string => JSON.stringify({ plugins: { entries: { "clawos-l0": more } } });
  writeFileSync(config, settings({ enabled: true }));
  expect(run("status").stdout, "it does not keep the patch").not.toContain(leaves);
  writeFileSync(config, settings({ enabled: true, config: { keepPatched: { enabled: true } } }));
  expect(run("status").stdout).toContain(leaves);
  const hook = { ...env, ...registerEnvironment() };
  expect(cli(["status"], folder, hook).stdout, "it is patched in memory").not.toContain(leaves);
  expect(run("apply").status).toBe(0);
  expect(findKept(root, "2026.9.6", env)).toBeUndefined();
});

it("a revert of what was never patched leaves no record behind", async () => {
  const { folder, root } = await projectWith("2026.9.6");
  const env = userEnvironment(newFolder());
  expect(cli(["revert"], folder, env).status).toBe(0);
  expect(findKept(root, "2026.9.6", env)).toBeUndefined();
});
