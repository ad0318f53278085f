/**
 * Who is in a group, for a folder that its group may write to. With a umask of 002 (the default of some systems) every
 * folder of a user is such a one, of a group that the user is alone in; in a container it is often the group of root.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

const PATIENCE_MS = 2000;

interface Members {
  /** Of those whose own group it is, or who are named in it by a name of this machine. */
  readonly uids: ReadonlySet<number>;
  /** Those named in it whose number nobody knows here. */
  readonly strangers: number;
}

/**
 * Whether nobody is in the group but some of `uids`, or it is that of root. False where that cannot be told (not
 * Linux).
 */
export function isPrivateGroup(gid: number, uids: readonly number[]): boolean {
  if (gid === 0) return true;
  if (process.platform !== "linux") return false;
  const { uids: members, strangers } = membersOf(gid);
  return strangers === 0 && [...members].every((uid) => uids.includes(uid));
}

function membersOf(gid: number): Members {
  const users = rowsOf(read("/etc/passwd"));
  const own = users.filter((row) => Number(row[3]) === gid).map((row) => Number(row[2]));
  const named =
    (rowsOf(read("/etc/group")).find((row) => Number(row[2]) === gid) ?? asked(gid))?.[3]
      ?.split(",")
      .filter((name) => name !== "") ?? [];
  const byName = new Map(users.map((row) => [row[0], Number(row[2])]));
  return {
    uids: new Set([...own, ...named.flatMap((name) => byName.get(name) ?? [])]),
    strangers: named.filter((name) => !byName.has(name)).length,
  };
}

/**
 * What the machine knows of a group that is not in its own file: that of a directory service; of the group that a
 * container was given, nothing.
 */
function asked(gid: number): readonly string[] | undefined {
  const { status, stdout } = spawnSync("getent", ["group", String(gid)], {
    encoding: "utf8",
    timeout: PATIENCE_MS,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return status === 0 ? rowsOf(stdout)[0] : undefined;
}

function rowsOf(text: string): readonly (readonly string[])[] {
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
