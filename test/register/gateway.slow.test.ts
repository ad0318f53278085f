import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { ensureRelease } from "../../harness/openclaw/ensure-release.ts";
import { registerEnvironment } from "../../harness/openclaw/register.ts";
import { newFolder } from "../../harness/temporary.ts";
import { plan } from "../../src/patching/plan.ts";
import { smallDiskRefusal } from "../journal/small-disk.ts";
import { registered } from "./gateway-cases.ts";

// A gateway of 2026.9.6: gateway.heavy.test.ts. What its threads load: threads.test.ts.
registered("2026.2.3");

test.skipIf(smallDiskRefusal() !== undefined)("a read-only OpenClaw is patched as any other", async () => {
  const { stock } = await ensureRelease("2026.9.6");
  const script = fileURLToPath(new URL("load-patched.ts", import.meta.url));
  const shell = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && exec "$0" "$2" "$1" "$3"';
  const files = plan(stock).files.map(({ file }) => file);
  const unshare = ["--mount", ...(process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"])];
  const { stdout, stderr } = spawnSync(
    "unshare",
    [...unshare, "bash", "-c", shell, process.execPath, stock, script, JSON.stringify(files)],
    { encoding: "utf8", env: { ...process.env, ...registerEnvironment(), OPENCLAW_STATE_DIR: newFolder() } },
  );
  expect({ stderr, ran: JSON.parse(stdout || "null") as unknown }).toEqual({
    stderr: "",
    ran: { writing: "EROFS", loaded: files.length, here: { release: "2026.9.6" }, guard: "function" },
  });
});
