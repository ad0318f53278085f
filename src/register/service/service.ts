/** Puts the hook into the service by which the gateway is started, takes it out again, and says where it is. */
import { existsSync, readFileSync, rmdirSync, rmSync, statSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { makeFolder, replaceFile, UnsafePathError } from "../../base/files/index.ts";
import { shellWord } from "../../base/commands/shell-word.ts";
import { registerError } from "../errors.ts";
import { hookIn, findHook, isGone, withHook } from "../node-options.ts";
import { plistArguments, plistWith, plistWithout } from "./launchd-plist.ts";
import { dropInPath, laterDropIns, type ServiceFile, listServices, readTexts } from "./places.ts";
import { dropIn, escapeSpecifiers, readUnit, unescapeSpecifiers } from "./systemd-unit.ts";
import { refusedByDisk } from "../../base/file-trouble.ts";

/** What was done to a service. */
export interface ServiceChange {
  readonly name: string;
  /** The file that was written or removed. */
  readonly file: string;
  readonly action: "installed" | "removed" | "already";
  /** The commands that make the running system use it. */
  readonly next: readonly string[];
}

/** A service that loads the hook. */
export interface HookedService {
  readonly name: string;
  readonly file: string;
  readonly hook: string;
  /** The hook's file is gone: the gateway cannot start. */
  readonly isGone: boolean;
  /** The words of the command that starts the gateway. */
  readonly command: readonly string[];
}

/**
 * Puts the hook into a service; a no-op when it is there. Options of Node that the service sets are kept. Throws
 * `service-unfit`, where the service does not start Node in a way that takes the hook, and `not-writable`.
 */
export function installService(service: ServiceFile, hook: string): ServiceChange {
  return service.manager === "systemd" ? intoUnit(service, hook) : intoPlist(service, hook);
}

/** Takes the hook out of a service: its files are as before, byte for byte. A no-op when it is not there. */
export function removeService({ manager, name, path }: ServiceFile): ServiceChange {
  if (manager === "systemd") {
    const file = dropInPath(path);
    const isThere = existsSync(file);
    if (isThere) writing(file, () => removeDropIn(file));
    return { name, file, action: isThere ? "removed" : "already", next: restartCommands(manager, name, path) };
  }
  const without = plistWithout(readFileSync(path, "utf8"));
  if (without !== undefined) write(path, without);
  return {
    name,
    file: path,
    action: without === undefined ? "already" : "removed",
    next: restartCommands(manager, name, path),
  };
}

/** Whether `service install` has put the hook into a service. Throws what the file system throws. */
export function isHooked({ manager, path }: ServiceFile): boolean {
  return manager === "systemd" ? existsSync(dropInPath(path)) : plistWithout(readFileSync(path, "utf8")) !== undefined;
}

/** The services of this user that load the hook. Never throws. */
export function hookedServices(env: NodeJS.ProcessEnv = process.env): readonly HookedService[] {
  return listServices(env).flatMap((service) => {
    try {
      return hooked(service) ?? [];
    } catch {
      // A service that cannot be read tells nothing.
      return [];
    }
  });
}

function hooked({ manager, name, path }: ServiceFile): HookedService | undefined {
  if (manager === "launchd") {
    const command = plistArguments(readFileSync(path, "utf8"));
    const hook = findHook(command);
    return hook === undefined ? undefined : { name, file: path, hook, isGone: isGone(hook), command };
  }
  const file = dropInPath(path);
  const own = existsSync(file) ? [readFileSync(file, "utf8")] : [];
  const { nodeOptions, command } = readUnit([...readTexts(path), ...own]);
  const hook = hookIn(unescapeSpecifiers(nodeOptions ?? "")) ?? findHook(command);
  return hook === undefined
    ? undefined
    : { name, file: own.length > 0 ? file : path, hook, isGone: isGone(hook), command };
}

function intoUnit({ manager, name, path }: ServiceFile, hook: string): ServiceChange {
  const { nodeOptions, files } = readUnit(readTexts(path));
  const overriding = files.find((file) => setsNodeOptions(file));
  const later = laterDropIns(path);
  if (overriding !== undefined || later.length > 0) {
    throw registerError("service-unfit", {
      expected: `a drop-in to have the last word on NODE_OPTIONS in ${name}`,
      found:
        overriding === undefined
          ? `drop-ins behind it: ${later.join(", ")}`
          : `${overriding}, which sets NODE_OPTIONS too and overrides every drop-in`,
      todo: `Add this to NODE_OPTIONS there: --import=${hook}. Nothing was changed.`,
    });
  }
  const file = dropInPath(path);
  const text = dropIn(withHook(nodeOptions, escapeSpecifiers(hook)));
  const isThere = existsSync(file) && readFileSync(file, "utf8") === text;
  if (!isThere) {
    writing(file, () => makeFolder(dirname(file), 0o755));
    write(file, text);
  }
  return { name, file, action: isThere ? "already" : "installed", next: restartCommands(manager, name, path) };
}

function intoPlist({ manager, name, path }: ServiceFile, hook: string): ServiceChange {
  const text = readFileSync(path, "utf8");
  if (findHook(plistArguments(text)) === hook)
    return { name, file: path, action: "already", next: restartCommands(manager, name, path) };
  // An older one, of another place, is replaced.
  const made = plistWith(plistWithout(text) ?? text, hook);
  if (made === undefined) {
    throw registerError("service-unfit", {
      expected: `node among the ProgramArguments of ${path}, as "openclaw gateway install" writes them in XML`,
      found: plistArguments(text).join(" ") || "no arguments that can be read",
      todo: `Add --import=${hook} to the options of the Node that starts the gateway. Nothing was changed.`,
    });
  }
  write(path, made);
  return { name, file: path, action: "installed", next: restartCommands(manager, name, path) };
}

/**
 * Whether a file of `EnvironmentFile=` sets NODE_OPTIONS. One that cannot be read, or with % specifiers, is skipped.
 */
function setsNodeOptions(file: string): boolean {
  try {
    const lines = isAbsolute(file) ? readFileSync(unescapeSpecifiers(file), "utf8").split("\n") : [];
    return lines.some((line) => line.split("=", 1)[0]?.trim() === "NODE_OPTIONS" && line.includes("="));
  } catch {
    return false;
  }
}

function removeDropIn(file: string): void {
  rmSync(file);
  try {
    rmdirSync(dirname(file));
  } catch {
    // Other drop-ins are in it.
  }
}

function write(file: string, text: string): void {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0o644;
  writing(file, () => replaceFile(file, text, { mode: mode & 0o777 }));
}

function writing(file: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (error instanceof UnsafePathError) throw error;
    throw registerError(
      "not-writable",
      refusedByDisk(error, {
        expected: `to change ${file}`,
        asOwner: "Run it as the user to whom the service belongs.",
        ending: "Nothing was changed.",
      }),
    );
  }
}

function restartCommands(manager: ServiceFile["manager"], name: string, path: string): readonly string[] {
  if (manager === "launchd")
    return [`launchctl bootout gui/$(id -u)/${name}`, `launchctl bootstrap gui/$(id -u) ${shellWord(path)}`];
  const user = path.startsWith("/etc/") || path.startsWith("/lib/") || path.startsWith("/usr/") ? "" : "--user ";
  return [`systemctl ${user}daemon-reload`, `systemctl ${user}restart ${shellWord(name)}`];
}
