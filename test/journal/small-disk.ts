import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * `unshare` gives the process mounts of its own; without root it also takes a user namespace, which some systems
 * forbid.
 */
const UNSHARE = ["--mount", ...(process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"])];

/** Whether this system lets a process have a disk of its own; why not, where it does not. */
export function smallDiskRefusal(): string | undefined {
  const tried = spawnSync("unshare", [...UNSHARE, "mount", "-t", "tmpfs", "tmpfs", "/mnt"], { encoding: "utf8" });
  return tried.status === 0 ? undefined : (tried.error?.message ?? tried.stderr.trim());
}

/**
 * Runs a TypeScript file with a disk of `kilobytes` mounted on its first argument, which nobody else sees and which
 * goes with it. Its standard output is taken as JSON. Throws with its standard error when it fails.
 */
export function runOnSmallDisk(kilobytes: number, file: string, ...args: readonly string[]): unknown {
  const mountPoint = mkdtempSync(join(tmpdir(), "small-disk-"));
  try {
    const shell = `mount -t tmpfs -o size=${kilobytes}k tmpfs "$1" && exec "$0" "$2" "$1" "\${@:3}"`;
    const ran = spawnSync("unshare", [...UNSHARE, "bash", "-c", shell, process.execPath, mountPoint, file, ...args], {
      encoding: "utf8",
      env: { ...process.env, NODE_OPTIONS: "--no-warnings" },
      maxBuffer: 2 ** 26,
    });
    if (ran.status !== 0) throw new Error(`${file} ended with ${ran.signal ?? ran.status}: ${ran.stderr}`);
    return JSON.parse(ran.stdout) as unknown;
  } finally {
    rmSync(mountPoint, { recursive: true, force: true });
  }
}
