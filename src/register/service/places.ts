/**
 * Where OpenClaw's `gateway install` puts its service files, and where ours is beside one of systemd's: the drop-in
 * that sets NODE_OPTIONS, by which the gateway loads the hook.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { registerError } from "../errors.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

/** How the gateway is started by the system. */
export type Manager = "systemd" | "launchd";

/** The service file of a gateway. */
export interface ServiceFile {
  readonly manager: Manager;
  /** The unit with its ending, or the label. */
  readonly name: string;
  readonly path: string;
}

/** Which service is meant. */
export interface ServiceOptions {
  /** OpenClaw's profile; by default the one of OPENCLAW_PROFILE. */
  readonly profile?: string | undefined;
  /** The service file itself. */
  readonly unit?: string | undefined;
}

const UNIT = /^openclaw-gateway.*\.service$/;
const PLIST = /^ai\.openclaw\..*\.plist$/;
const DROP_IN_FOLDER = ".d";
/** systemd reads drop-ins by name, and the last one decides: behind `override.conf`, which `systemctl edit` writes. */
const DROP_IN = "zz-openclaw-integrity.conf";

/** The drop-in of a unit. */
export function dropInPath(unit: string): string {
  return join(`${unit}${DROP_IN_FOLDER}`, DROP_IN);
}

/** The texts of a systemd unit and of its drop-ins, in the order in which systemd reads them, without the hook's. */
export function readTexts(unit: string): readonly string[] {
  const folder = `${unit}${DROP_IN_FOLDER}`;
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".conf")) : [];
  const others = names.filter((name) => name !== DROP_IN).toSorted((left, right) => (left < right ? -1 : 1));
  return [unit, ...others.map((name) => join(folder, name))].map((file) => readFileSync(file, "utf8"));
}

/** The names of drop-ins that systemd reads behind the one of the hook. */
export function laterDropIns(unit: string): readonly string[] {
  const folder = `${unit}${DROP_IN_FOLDER}`;
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".conf") && name > DROP_IN) : [];
}

/** The gateways' service files of this user. */
export function listServices(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): ServiceFile[] {
  const { folder, pattern, manager } = findServiceFolder(env, platform) ?? {};
  if (folder === undefined || pattern === undefined || manager === undefined || !existsSync(folder)) return [];
  return (
    readdirSync(folder)
      // The service of a node is no gateway.
      .filter((name) => pattern.test(name) && name !== "ai.openclaw.node.plist")
      .toSorted()
      .map((name) => serviceFile(manager, join(folder, name)))
  );
}

/** The service file that is meant. Throws `service-missing` or `platform-unfit`. */
export function findService(
  { profile, unit }: ServiceOptions,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): ServiceFile {
  if (unit !== undefined) return serviceAt(unit);
  const home = findServiceFolder(env, platform);
  if (home === undefined) {
    throw registerError("platform-unfit", {
      expected: "systemd (Linux) or launchd (macOS)",
      found: platform,
      todo:
        "Set NODE_OPTIONS for the gateway yourself (docs/distribution.md has the value), or patch the " +
        `files: ${ownCommand("apply")}`,
    });
  }
  const file = join(home.folder, serviceName(home.manager, profile ?? env["OPENCLAW_PROFILE"], env));
  if (existsSync(file)) return serviceFile(home.manager, file);
  const others = listServices(env, platform).map(({ name }) => name);
  throw registerError("service-missing", {
    expected: `the service file that "openclaw gateway install" writes, ${file}`,
    found: others.length === 0 ? "none" : `only ${others.join(", ")}`,
    todo:
      others.length === 0
        ? "Run openclaw gateway install first, or name the file with --unit."
        : "Name its profile with --profile, or the file with --unit.",
  });
}

function serviceAt(unit: string): ServiceFile {
  const manager = unit.endsWith(".service") ? "systemd" : unit.endsWith(".plist") ? "launchd" : undefined;
  if (manager !== undefined && existsSync(unit)) return serviceFile(manager, unit);
  throw registerError("service-missing", {
    expected: "the path of a systemd unit (.service) or of a launchd plist (.plist) after --unit",
    found: existsSync(unit) ? `${unit}, which is neither` : `no file ${unit}`,
    todo: "Name the file by which the gateway is started.",
  });
}

function serviceFile(manager: Manager, path: string): ServiceFile {
  return { manager, path, name: basename(path, ".plist") };
}

function findServiceFolder(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
): { readonly folder: string; readonly pattern: RegExp; readonly manager: Manager } | undefined {
  const home = env["HOME"] ?? homedir();
  if (platform === "linux")
    return { folder: join(home, ".config", "systemd", "user"), pattern: UNIT, manager: "systemd" };
  if (platform === "darwin")
    return { folder: join(home, "Library", "LaunchAgents"), pattern: PLIST, manager: "launchd" };
  return undefined;
}

/** The file's name by OpenClaw's rules, which are the same in all releases. */
function serviceName(manager: Manager, profile: string | undefined, env: NodeJS.ProcessEnv): string {
  const own = profile?.trim() ?? "";
  const isDefault = own === "" || own.toLowerCase() === "default";
  if (manager === "launchd")
    return `${env["OPENCLAW_LAUNCHD_LABEL"]?.trim() || `ai.openclaw.${isDefault ? "gateway" : own}`}.plist`;
  const unit = env["OPENCLAW_SYSTEMD_UNIT"]?.trim() || `openclaw-gateway${isDefault ? "" : `-${own}`}`;
  return unit.endsWith(".service") ? unit : `${unit}.service`;
}
