/**
 * A root file system without a container engine: the system folders of this machine, with a /usr/local, /app,
 * /home/node and /tmp of its own, in namespaces of its own. Linux, as root.
 */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { findNpmCli } from "../../src/patching/find/node.ts";

/** Folders of the machine that the root has; others are not there. */
const SYSTEM = ["bin", "dev", "etc", "lib", "lib32", "lib64", "libx32", "sbin", "usr"];
const OWN = ["app", "home/node/.cache", "own/local", "proc", "root", "tmp"];

/** Who runs a command, where, and what it may reach. */
export interface RunOptions {
  readonly user: "root" | "node";
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** `registry`: the network of the machine. `none`: loopback of its own. */
  readonly network: "registry" | "none";
  /** Folders that stay writable, when all others are not; undefined: all are. */
  readonly writable?: readonly string[];
  /** Folders that are empty, in memory, and of which no file can be executed, as an engine makes them. */
  readonly tmpfs?: readonly string[];
}

/** Whether this machine lets the tests make such a root. */
export function canMakeRoots(): boolean {
  return process.platform === "linux" && spawnSync("unshare", ["-m", "-n", "-p", "--fork", "true"]).status === 0;
}

/** Makes a root in an empty folder, with the Node of this process and npm in /usr/local. */
export function makeRoot(root: string): void {
  for (const name of [...OWN, ...SYSTEM]) {
    const source = join("/", name);
    const stat = SYSTEM.includes(name) ? lstatSync(source, { throwIfNoEntry: false }) : undefined;
    if (SYSTEM.includes(name) && stat === undefined) continue;
    if (stat?.isSymbolicLink() === true) symlinkSync(readlinkSync(source), join(root, name));
    else mkdirSync(join(root, name), { recursive: true });
  }
  // The user `node` has to get in.
  chmodSync(root, 0o755);
  chmodSync(join(root, "tmp"), 0o1777);
  const local = join(root, "own", "local");
  mkdirSync(join(local, "bin"));
  cpSync(process.execPath, join(local, "bin", "node"));
  cpSync(dirname(dirname(findNpmCli())), join(local, "lib", "node_modules", "npm"), { recursive: true });
  symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(local, "bin", "npm"));
}

/** Puts an installed OpenClaw where OpenClaw's image has it: in /app, with the command in /usr/local/bin. */
export function putApp(root: string, installed: string): void {
  share(installed, join(root, "app"));
  share(dirname(installed), join(root, "node_modules"), "openclaw");
  symlinkSync("/app/openclaw.mjs", join(root, "own", "local", "bin", "openclaw"));
}

/** Hard links: what is replaced in the copy is not replaced in the original. */
function share(from: string, to: string, except?: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.name === except) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) share(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else
      try {
        linkSync(source, target);
      } catch {
        cpSync(source, target);
      }
  }
}

/** Runs a shell line in the root. Its processes end with it, and with this process. */
export function startIn(root: string, line: string, options: RunOptions): ChildProcess {
  const { user, cwd, env, network, writable, tmpfs = [] } = options;
  const mounts = SYSTEM.filter((name) => existsSync(join(root, name)) && !lstatSync(join(root, name)).isSymbolicLink());
  const script = [
    "set -eu",
    'mount --bind "$R" "$R"',
    ...mounts.map((name) => `mount --rbind /${name} "$R/${name}"`),
    'mount --bind "$R/own/local" "$R/usr/local"',
    'mount -t proc proc "$R/proc"',
    ...(network === "none" ? ["ip link set lo up"] : []),
    ...(writable ?? []).map((path) => `mount --bind "$R${path}" "$R${path}"`),
    ...tmpfs.map((path) => `mount -t tmpfs -o noexec,nosuid,nodev,mode=1777 tmpfs "$R${path}"`),
    ...(writable === undefined ? [] : ['mount -o remount,bind,ro "$R/usr/local"', 'mount -o remount,bind,ro "$R"']),
    `exec chroot ${user === "node" ? "--userspec=1000:1000 --groups=1000 " : ""}"$R" sh -c 'cd "$CWD"; unset R CWD; eval "$LINE"'`,
  ].join("\n");
  return spawn(
    "unshare",
    ["-m", ...(network === "none" ? ["-n"] : []), "-p", "--fork", "--kill-child", "sh", "-c", script],
    {
      env: {
        PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        ...env,
        R: root,
        CWD: cwd,
        LINE: line,
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
}

/** Runs a shell line to its end. Returns its exit code and what it printed. */
export function runIn(root: string, line: string, options: RunOptions): Promise<{ code: number | null; text: string }> {
  return new Promise((resolve) => {
    const child = startIn(root, line, options);
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (part: Buffer) => (text += part.toString()));
    child.on("close", (code) => resolve({ code, text }));
  });
}
