/** What `status` says of the next start, while a gateway runs patched from memory or a shell would start one so. */
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { registerEnvironment } from "../../harness/openclaw/register.ts";
import { newFolder } from "../../harness/temporary.ts";
import { cli, projectWith, userEnvironment } from "../cli/fixture.ts";

test("a gateway that was started by run says nothing of the next start: exit code 3, and JSON that says so", async () => {
  const { folder, root } = await projectWith("2026.9.6");
  const home = newFolder();
  const running = join(home, ".openclaw", "integrity", "running");
  mkdirSync(running, { recursive: true });
  // This process stands for the gateway.
  const record = { root: realpathSync(root), release: "2026.9.6", patchSet: "5", pid: process.pid, since: Date.now() };
  writeFileSync(join(running, `${process.pid}.json`), JSON.stringify(record));
  const env = userEnvironment(home);
  const { status, stdout } = cli(["status"], folder, env);
  expect(status).toBe(3);
  expect(stdout).toMatch(
    /^OpenClaw 2026\.9\.6: one gateway runs patched in memory; a start without `\S* ?openclaw-integrity run` is not patched\./,
  );
  const started = {
    ok: false,
    installations: [{ way: "register", startsPatched: false, register: { isInShell: false } }],
  };
  expect(cli(["status", "--json"], folder, env).data).toMatchObject(started);
  expect(cli(["status", "--json"], folder, { ...env, ...registerEnvironment() })).toMatchObject({
    status: 0,
    data: { ok: true, installations: [{ way: "register", startsPatched: true }] },
  });
});
