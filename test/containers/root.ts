/**
 * Images and containers without a container engine: an image is layers of files, the lowest a fresh Debian by
 * debootstrap, and a container is an overlay on them with a layer of its own, in namespaces of its own. Linux, as root.
 */
import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { newFolder } from "../../harness/temporary.ts";
import { findNpmCli } from "../../harness/npm.ts";

/** What the processes of the machine reach the network with. */
const NETWORK = ["/etc/hosts", "/etc/resolv.conf", "/etc/ssl/certs/ca-certificates.crt"];

/** The folders of an image, the upper first. */
export type Image = readonly string[];

/** An image with a layer of its own, which stays from one start to the next, as a container's does. */
export interface Container {
  readonly image: Image;
  readonly layer: string;
  /** Where it is mounted, while something runs in it. */
  readonly place: string;
  /** What the overlay needs for itself. */
  readonly work: string;
}

/** Who runs a command, where, and what it may reach. */
export interface RunOptions {
  readonly user: "root" | "node";
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** `machine`: the network of the machine. `none`: loopback of its own. */
  readonly network: "machine" | "none";
  /** Nothing but the volumes and what is in memory can be written to. */
  readonly isReadOnly?: boolean;
  /** Folders of the machine, by their place in the container. */
  readonly volumes?: Readonly<Record<string, string>>;
  /** Folders that are empty, in memory, and of which no file can be executed, as an engine makes them. */
  readonly tmpfs?: readonly string[];
}

/** Whether this machine lets the tests make containers. */
export function canMakeContainers(): boolean {
  const commands = [
    ["unshare", "-m", "-n", "-p", "--fork", "true"],
    ["debootstrap", "--version"],
  ];
  return process.platform === "linux" && commands.every(([name = "", ...args]) => spawnSync(name, args).status === 0);
}

/** An image as node:24-bookworm-slim: a fresh Debian with the Node of this process, its npm, and the user `node`. */
export function makeBase(): Image {
  const folder = newFolder();
  execFileSync("debootstrap", ["--variant=minbase", "bookworm", folder], { stdio: ["ignore", "ignore", "inherit"] });
  chmodSync(folder, 0o755);
  for (const file of NETWORK) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(file, join(folder, file));
  }
  const local = join(folder, "usr", "local");
  cpSync(process.execPath, join(local, "bin", "node"));
  cpSync(dirname(dirname(findNpmCli())), join(local, "lib", "node_modules", "npm"), { recursive: true });
  symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(local, "bin", "npm"));
  execFileSync("chroot", [folder, "useradd", "--uid", "1000", "--create-home", "--shell", "/bin/bash", "node"]);
  return [folder];
}

/** An image with an installed OpenClaw where OpenClaw's image has it: in /app, with the command in /usr/local/bin. */
export function withApp(image: Image, installed: string): Image {
  const layer = newLayer();
  share(installed, join(layer, "app"));
  share(dirname(installed), join(layer, "node_modules"), "openclaw");
  mkdirSync(join(layer, "usr", "local", "bin"), { recursive: true });
  symlinkSync("/app/openclaw.mjs", join(layer, "usr", "local", "bin", "openclaw"));
  // As in OpenClaw's image.
  mkdirSync(join(layer, "home", "node", ".cache"), { recursive: true });
  for (const name of ["home/node", "home/node/.cache"]) chownSync(join(layer, name), 1000, 1000);
  return [layer, ...image];
}

/** A new container. */
export function makeContainer(image: Image): Container {
  return { image, layer: newLayer(), place: newFolder(), work: newFolder() };
}

/** The image that the container has become. */
export function toImage({ layer, image }: Container): Image {
  return [layer, ...image];
}

/** Where a file of an image or container is on the machine; undefined when it is not there. Deletions are not seen. */
export function findFile(image: Image, path: string): string | undefined {
  return image.map((layer) => join(layer, path)).find((file) => existsSync(file));
}

function newLayer(): string {
  const layer = newFolder();
  // The user `node` has to get in.
  chmodSync(layer, 0o755);
  return layer;
}

/** Hard links: nothing is written into a layer that is below another. */
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

/**
 * Runs a shell line in the container, without capabilities when the user is not root. Its processes end with it, and
 * with this process.
 */
export function startIn({ image, layer, place, work }: Container, line: string, options: RunOptions): ChildProcess {
  const { user, cwd, env, network, isReadOnly = false, volumes = {}, tmpfs = [] } = options;
  const as =
    user === "node"
      ? "setpriv --reuid=1000 --regid=1000 --clear-groups --inh-caps=-all --bounding-set=-all --no-new-privs "
      : "";
  const script = [
    "set -eu",
    `mount -t overlay overlay -o "lowerdir=${image.join(":")},upperdir=${layer},workdir=${work}" "$R"`,
    'mount --rbind /dev "$R/dev"',
    'mount -t proc proc "$R/proc"',
    ...(network === "none" ? ["ip link set lo up"] : []),
    // As an engine does.
    ...[...tmpfs, ...Object.keys(volumes)].map((path) => `mkdir -p "$R${path}"`),
    ...tmpfs.map((path) => `mount -t tmpfs -o noexec,nosuid,nodev,mode=1777 tmpfs "$R${path}"`),
    ...Object.entries(volumes).map(([path, folder]) => `mount --bind "${folder}" "$R${path}"`),
    ...(isReadOnly ? ['mount -o remount,ro "$R"'] : []),
    // This shell stays the first process: the one that becomes another user would no longer end with its parent.
    `chroot "$R" ${as}sh -c 'cd "$CWD"; unset R CWD; eval "$LINE"' || exit $?`,
  ].join("\n");
  return spawn(
    "unshare",
    ["-m", ...(network === "none" ? ["-n"] : []), "-p", "--fork", "--kill-child", "sh", "-c", script],
    {
      env: {
        PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        ...env,
        R: place,
        CWD: cwd,
        LINE: line,
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
}

/** Runs a shell line to its end. Returns its exit code and what it printed. */
export function runIn(
  container: Container,
  line: string,
  options: RunOptions,
): Promise<{ code: number | null; text: string }> {
  return new Promise((resolve) => {
    const child = startIn(container, line, options);
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (part: Buffer) => (text += part.toString()));
    child.on("close", (code) => resolve({ code, text }));
  });
}
