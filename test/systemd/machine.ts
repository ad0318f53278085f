/** A systemd with a user manager, booted in namespaces of its own. Needs Linux, root and systemd-nspawn. */
import { execFile, spawn, spawnSync, type ExecFileException } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const BOOT = fileURLToPath(new URL("boot.sh", import.meta.url));
const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "");
const TOOLS = ["systemd-nspawn", "unshare", "nsenter"];
const BOOT_SECONDS = 60;
/** What a test process has in its environment, and a shell of the machine's user has not. */
const OF_THE_TEST =
  /^(?:OPENCLAW_|VITEST|TEST|TINYPOOL|NODE_(?:ENV|OPTIONS|COMPILE_CACHE|V8_COVERAGE)$|INVOCATION_ID$|SYSTEMD_)/;

/** Home of its user, root of the container; the machine's own is not written to. */
export const HOME = "/root";

export interface Machine {
  /** Folder that has the same path inside and outside, and may be written from both. */
  readonly shared: string;
  /** Runs a command inside; rejects when it fails. */
  run(command: string, args: readonly string[], env?: Record<string, string>): Promise<string>;
  close(): Promise<void>;
}

/** Why no systemd can be booted here; undefined where it can be tried. */
export function whyNot(): string | undefined {
  if (process.platform !== "linux") return "it needs Linux";
  if (process.getuid?.() !== 0) return "it needs root";
  const missing = TOOLS.filter((tool) => spawnSync(tool, ["--version"]).error !== undefined);
  if (missing.length > 0) return `${missing.join(", ")} missing (Debian: systemd-container, dbus-user-session)`;
  return readFileSync("/proc/mounts", "utf8").includes(" cgroup2 ") ? undefined : "no cgroup2 is mounted";
}

/** Boots it, and waits for the user manager. */
export async function bootMachine(): Promise<Machine> {
  // Not in the system's temporary folder, which a boot empties and has mounted anew.
  mkdirSync(join(REPOSITORY, ".cache"), { recursive: true });
  const folder = mkdtempSync(join(REPOSITORY, ".cache", "systemd-"));
  const shared = join(folder, "shared");
  const lines: string[] = [];
  const boot = spawn(BOOT, [folder, REPOSITORY], { stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [boot.stdout, boot.stderr]) stream.on("data", (text) => void lines.push(String(text)));
  const ended = new Promise<void>((resolve) => boot.once("exit", () => resolve()));
  const kill = (): void => void boot.kill("SIGKILL");
  process.once("exit", kill);
  const users = Object.fromEntries(Object.entries(process.env).filter(([name]) => !OF_THE_TEST.test(name)));
  const inside = async (args: readonly string[], env: Record<string, string> = {}): Promise<string> => {
    const leader = systemdUnder(boot.pid ?? 0);
    if (leader === undefined) throw new Error(`systemd does not run; it printed:\n${lines.join("")}`);
    const own = { XDG_RUNTIME_DIR: "/run/user/0", HOME, ...env };
    const running = promisify(execFile)(
      "nsenter",
      [`--target=${leader}`, "--mount", "--pid", "--uts", "--ipc", "--cgroup", "--", "env", "--chdir=/", ...args],
      { env: { ...users, ...own }, maxBuffer: 2 ** 26, timeout: 1_200_000 },
    );
    const { stdout, stderr } = await running.catch(
      (error: ExecFileException & { stdout?: string; stderr?: string }) => {
        const how = error.signal ? `ended by ${error.signal}` : `ended with ${String(error.code)}`;
        throw new Error(`${args.join(" ")} ${how}: ${error.stdout ?? ""}\n${error.stderr ?? ""}`, { cause: error });
      },
    );
    return stdout + stderr;
  };
  const close = async (): Promise<void> => {
    kill();
    process.off("exit", kill);
    await ended;
    await sleep(500);
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    const groups = / (\S+) cgroup2 /.exec(readFileSync("/proc/mounts", "utf8"))?.[1] ?? "";
    const group = join(groups, `openclaw-integrity-${boot.pid}`);
    spawnSync("find", [group, "-depth", "-type", "d", "-exec", "rmdir", "{}", ";"]);
  };
  const end = Date.now() + BOOT_SECONDS * 1000;
  for (;;) {
    try {
      await inside(["systemctl", "--user", "is-system-running"]);
      return { shared, run: (command, args, env) => inside([command, ...args], env), close };
    } catch (error) {
      if (boot.exitCode === null && Date.now() < end) await sleep(300);
      else {
        await close();
        throw new Error(`no systemd within ${BOOT_SECONDS} s; it printed:\n${lines.join("")}`, { cause: error });
      }
    }
  }
}

/** The first process named systemd below another. */
function systemdUnder(pid: number): number | undefined {
  const open = [pid];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const at = `/proc/${next}`;
    try {
      if (readFileSync(`${at}/comm`, "utf8").trim() === "systemd") return next;
      open.push(...readFileSync(`${at}/task/${next}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number));
    } catch {
      // It has ended.
    }
  }
  return undefined;
}
