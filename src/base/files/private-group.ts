/**
 * Finds out who is in a group, for folders that their group may write to. With a umask of 002 (the default of some
 * systems) each folder of a user is writable by a group of which the user is the only member; in a container that group
 * is often root's.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

const TIMEOUT_MS = 2000;

interface Members {
  /** Users with this primary group, and users whom the group lists under a name that this machine knows. */
  readonly uids: ReadonlySet<number>;
  /** How many members have a name without a known uid. */
  readonly strangers: number;
}

/** `admin` of macOS, to which Homebrew's folders belong: its members may become root. */
const MACOS_ADMIN = 80;

/**
 * Whether a group is root's, or has no members but `uids`. False where that is unknown (not Linux), except for the
 * administrators of macOS.
 */
export function isPrivateGroup(gid: number, uids: readonly number[]): boolean {
  if (gid === 0 || (process.platform === "darwin" && gid === MACOS_ADMIN)) return true;
  if (process.platform !== "linux") return false;
  const { uids: members, strangers } = readMembers(gid);
  return strangers === 0 && [...members].every((uid) => uids.includes(uid));
}

function readMembers(gid: number): Members {
  const users = splitRows(read("/etc/passwd"));
  const byPrimaryGroup = users.filter((row) => Number(row[3]) === gid).map((row) => Number(row[2]));
  const named =
    (splitRows(read("/etc/group")).find((row) => Number(row[2]) === gid) ?? rowFromDirectory(gid))?.[3]
      ?.split(",")
      .filter((name) => name !== "") ?? [];
  const byName = new Map(users.map((row) => [row[0], Number(row[2])]));
  return {
    uids: new Set([...byPrimaryGroup, ...named.flatMap((name) => byName.get(name) ?? [])]),
    strangers: named.filter((name) => !byName.has(name)).length,
  };
}

/**
 * The row of a group that is not in /etc/group: found for one of a directory service; undefined for the group id that a
 * container was started with.
 */
function rowFromDirectory(gid: number): readonly string[] | undefined {
  const { status, stdout } = spawnSync("getent", ["group", String(gid)], {
    encoding: "utf8",
    timeout: TIMEOUT_MS,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return status === 0 ? splitRows(stdout)[0] : undefined;
}

function splitRows(text: string): readonly (readonly string[])[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split(":"));
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
