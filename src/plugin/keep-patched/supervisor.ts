/** What starts the gateway again when its process ends. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";

/** Whether something starts the gateway again, and what; otherwise why that is not certain. */
export type Supervision =
  | { readonly by: "systemd" | "launchd" | "external" }
  | { readonly by: undefined; readonly reason: string };

/** What is asked, replaced by tests. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  readonly pid: number;
  /** Content of /proc/self/cgroup. */
  readonly cgroup: () => string;
  /** Output of systemctl. */
  readonly systemctl: (args: readonly string[]) => Promise<string>;
  /** Runs systemd-notify. */
  readonly notify: (args: readonly string[]) => Promise<unknown>;
}

const TIMEOUT_MS = 10_000;
/** Variables by which OpenClaw takes itself for a service of systemd, from 2026.2.26 to 2026.9.6. */
const SYSTEMD = ["OPENCLAW_SYSTEMD_UNIT", "INVOCATION_ID", "SYSTEMD_EXEC_PID", "JOURNAL_STREAM"];

/**
 * Returns the supervisor under which OpenClaw's own restart ends this process and a new one is started. OpenClaw
 * relies on variables that a terminal inherits too; here systemd itself must name this process as the service's, and
 * start it again after every end. Without a supervisor OpenClaw restarts inside of the process, with the loaded code.
 */
export async function detectSupervision(given: Partial<Surroundings> = {}): Promise<Supervision> {
  const { env, platform, ...rest } = { ...here(), ...given };
  const has = (name: string): boolean => (env[name] ?? "").trim() !== "";
  if (/^(?:1|true|yes|on)$/i.test(env.OPENCLAW_NO_RESPAWN ?? ""))
    return none("with OPENCLAW_NO_RESPAWN OpenClaw restarts inside of its process, which keeps the old code");
  if (env.OPENCLAW_SUPERVISOR_MODE?.trim() === "external") return { by: "external" };
  if (platform === "darwin")
    return has("OPENCLAW_LAUNCHD_LABEL") ? { by: "launchd" } : none("no service of OpenClaw's runs this gateway");
  if (platform !== "linux" || !SYSTEMD.some(has))
    return none("this gateway was not started by a service manager that OpenClaw knows");
  return detectSystemd(rest);
}

async function detectSystemd(around: Pick<Surroundings, "pid" | "cgroup" | "systemctl">): Promise<Supervision> {
  try {
    const { unit, values } = await askSystemd(around, ["Restart", "MainPID"]);
    if (unit === undefined) return none("it runs in no service of systemd");
    if (values.get("MainPID") !== String(around.pid)) return none(`it is not the main process of ${unit}`);
    const restart = values.get("Restart") ?? "unknown";
    return restart === "always" || restart === "on-success"
      ? { by: "systemd" }
      : none(`${unit} has Restart=${restart}, so systemd would not start it again after an orderly end`);
  } catch (error) {
    return none(
      `systemd could not be asked (${error instanceof Error ? error.message.split("\n")[0] : String(error)})`,
    );
  }
}

/**
 * Asks systemd for properties of the service that this process is of; no unit where there is none. Rejects with what
 * systemctl says.
 */
export async function askSystemd(
  { cgroup, systemctl }: Pick<Surroundings, "cgroup" | "systemctl">,
  properties: readonly string[],
): Promise<{ readonly unit?: string; readonly values: ReadonlyMap<string, string> }> {
  const line = cgroup().trim().split("\n").at(-1) ?? "";
  const unit = line.slice(line.lastIndexOf("/") + 1);
  if (!unit.endsWith(".service") || /^user@\d+\.service$/.test(unit)) return { values: new Map() };
  const scope = line.includes("/user.slice/") ? ["--user"] : [];
  const shown = await systemctl([...scope, "show", `--property=${properties.join(",")}`, unit]);
  return { unit, values: new Map(shown.split("\n").map((text) => text.trim().split("=", 2) as [string, string])) };
}

function none(reason: string): Supervision {
  return { by: undefined, reason };
}

async function run(command: string, args: readonly string[]): Promise<string> {
  return (await promisify(execFile)(command, [...args], { timeout: TIMEOUT_MS })).stdout;
}

/** The surroundings of this process. */
export function here(): Surroundings {
  return {
    env: process.env,
    platform: process.platform,
    pid: process.pid,
    cgroup: () => readFileSync("/proc/self/cgroup", "utf8"),
    systemctl: (args) => run("systemctl", args),
    notify: (args) => run("systemd-notify", args),
  };
}
