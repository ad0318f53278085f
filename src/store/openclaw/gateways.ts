/** The gateways of OpenClaw that run on this machine, by its list of processes. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { readBirth, readProcessStart } from "../../base/processes.ts";
import { readJsonObject } from "../../base/read-json-object.ts";
import { stateDirectory } from "../state-directory.ts";
import { isGateway } from "./gateway-argv.ts";

/** A gateway of this user that runs; for root one of any user. */
export interface RunningGateway {
  readonly pid: number;
  /** When the process began, in milliseconds since 1970; undefined where the system does not tell. */
  readonly since: number | undefined;
  /** The environment it was started with; undefined where the system does not tell. */
  readonly env: NodeJS.ProcessEnv | undefined;
  /** Where it keeps its sessions, by that environment. */
  readonly stateDirectory: string | undefined;
}

/** The name that OpenClaw gives to the process of its gateway, in place of the command line. */
const TITLE = "openclaw-gateway";
/** The name of all its commands, which some releases leave to the gateway (2026.4.29): a lock of OpenClaw's tells it. */
const ANY_TITLE = "openclaw";
const PS_TIMEOUT_MS = 5000;
const MAX_OUTPUT = 50_000_000;

/**
 * Returns the gateways that run, those that have run longest first; undefined where the system has no list of
 * processes. In a container these are the processes of the container. Never throws, writes nothing.
 */
export function findGateways(): readonly RunningGateway[] | undefined {
  const found = fromProc() ?? fromPs();
  return found?.toSorted((a, b) => (a.since ?? 0) - (b.since ?? 0) || a.pid - b.pid);
}

/** Linux, where nothing but the file system is needed. */
function fromProc(): RunningGateway[] | undefined {
  const user = process.getuid?.();
  try {
    const names = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    if (names.length === 0) return undefined;
    return names.flatMap((name) => {
      const words = read(`/proc/${name}/cmdline`)?.split("\0") ?? [];
      const isNamed = isGatewayCommand(words);
      if (!isNamed && words[0]?.trim() !== ANY_TITLE) return [];
      const owner = ownerAt(`/proc/${name}`);
      if (user !== 0 && owner !== user) return [];
      const pid = Number(name);
      const env = readEnvironment(read(`/proc/${name}/environ`));
      if (!isNamed && !hasGatewayLock(pid, owner, env?.["TMPDIR"])) return [];
      return [{ pid, since: readProcessStart(pid), env, stateDirectory: env && stateDirectory(env) }];
    });
  } catch {
    return undefined;
  }
}

/** Every other system. */
function fromPs(): RunningGateway[] | undefined {
  try {
    const options = { encoding: "utf8", timeout: PS_TIMEOUT_MS, maxBuffer: MAX_OUTPUT, stdio: "pipe" } as const;
    const whose = process.getuid?.() === 0 ? ["-A"] : ["-x"];
    const listed = execFileSync("ps", [...whose, "-o", "pid=,etime=,command="], options);
    return listed.split("\n").flatMap((line) => readPsLine(line) ?? []);
  } catch {
    return undefined;
  }
}

/** Reads a line of `ps -o pid=,etime=,command=`; undefined for a process that is no gateway. */
export function readPsLine(line: string, now = Date.now()): RunningGateway | undefined {
  const [pid = "", elapsed = "", ...command] = line.split(" ").filter((word) => word !== "");
  if (!/^\d+$/.test(pid) || !/^[\d:-]+$/.test(elapsed) || !isGatewayCommand(command)) return undefined;
  const [seconds = 0, minutes = 0, hours = 0, days = 0] = elapsed.split(/[:-]/).toReversed().map(Number);
  const ran = ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
  return { pid: Number(pid), since: now - ran * 1000, env: undefined, stateDirectory: undefined };
}

/** Whether this is the command line of a gateway, before and after OpenClaw has put its title in the place of that. */
function isGatewayCommand(words: readonly string[]): boolean {
  const [first = "", second = ""] = words;
  if (first.trim() === TITLE) return true;
  return /(?:^|[\\/])node(?:\.exe)?$/.test(first) && /openclaw/.test(second) && isGateway(words.filter(Boolean));
}

/** Whether a process has the lock that a gateway takes for its config, in a folder of its own user's. */
function hasGatewayLock(pid: number, owner: number | undefined, temporary = "/tmp"): boolean {
  const folder = join(temporary, `openclaw-${owner}`);
  return ownLocks(folder, owner)
    .filter((name) => /^gateway\.[\da-f]{8}\.lock$/.test(name))
    .some((name) => {
      const lock = readJsonObject(join(folder, name));
      const { pid: locked, startTime } = lock ?? {};
      return locked === pid && (startTime === undefined || String(startTime) === readBirth(pid));
    });
}

function ownLocks(folder: string, owner: number | undefined): readonly string[] {
  try {
    return ownerAt(folder) === owner ? readdirSync(folder) : [];
  } catch {
    return [];
  }
}

function readEnvironment(text: string | undefined): NodeJS.ProcessEnv | undefined {
  if (text === undefined || text === "") return undefined;
  return Object.fromEntries(
    text.split("\0").flatMap((line) => {
      const at = line.indexOf("=");
      return at > 0 ? [[line.slice(0, at), line.slice(at + 1)]] : [];
    }),
  );
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // Ended, or another user's.
    return undefined;
  }
}

function ownerAt(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.uid;
}
