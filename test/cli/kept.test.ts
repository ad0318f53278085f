/** What the command line and the automatic application of the plugin know of each other. */
import { expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { type Kept, keptOf, recordKept } from "../../src/patching/write/kept-record.ts";
import { cli, projectWith, userEnvironment, type Run } from "./fixture.ts";

it("a revert keeps the plugin from applying the patch again, until apply is run; status says why it is not patched", async () => {
  const { folder, root } = await projectWith("2026.9.6");
  const env = userEnvironment(newFolder());
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
  expect(keptOf(root, "2026.9.6", env)).toBeUndefined();
  expect(run("revert").status).toBe(0);
  expect(keptOf(root, "2026.9.6", env)?.step).toBe("reverted");
  expect(run("status").stdout).toContain("the plugin leaves it so: you reverted the patch");
  expect(run("apply").status).toBe(0);
  expect(keptOf(root, "2026.9.6", env)).toBeUndefined();
});

it("a revert of what was never patched leaves no record behind", async () => {
  const { folder, root } = await projectWith("2026.9.6");
  const env = userEnvironment(newFolder());
  expect(cli(["revert"], folder, env).status).toBe(0);
  expect(keptOf(root, "2026.9.6", env)).toBeUndefined();
});
