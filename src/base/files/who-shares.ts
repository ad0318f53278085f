import { statfsSync, type Stats } from "node:fs";
import { isPrivateGroup } from "./private-group.ts";

/**
 * Environment variable; `allow` is for folders whose modes cannot be changed (a mount that only one container sees).
 */
export const SHARED_FOLDERS = "OPENCLAW_INTEGRITY_SHARED_FOLDERS";

const [STICKY, BY_GROUP, BY_ALL] = [0o1000, 0o020, 0o002];
/** Write permission of the group or of everybody. */
export const BY_OTHERS = BY_GROUP | BY_ALL;

/**
 * File systems that report one mode for all files, whatever the rights are: FAT, exFAT, CIFS, SMB 2, 9P (WSL, virtual
 * machines), FUSE.
 */
const WITHOUT_MODES = new Set([0x4d44, 0x2011bab0, 0xff534d42, 0xfe534d42, 0x01021997, 0x65735546]);

/**
 * Which other users could change a file, or replace what is in a folder (not in a sticky one such as `/tmp`, where
 * nobody can replace another user's file); undefined when none could, or when the environment variable allows it. A
 * group counts only where it has members other than `users`, root, the owner and this process's user.
 */
export function whoShares(path: string, { mode, uid, gid }: Stats, users: Iterable<number> = []): string | undefined {
  if (process.env[SHARED_FOLDERS] === "allow" || (mode & STICKY) !== 0 || (mode & BY_OTHERS) === 0) return undefined;
  const who =
    (mode & BY_ALL) !== 0
      ? "everybody"
      : isPrivateGroup(gid, [0, uid, process.geteuid?.() ?? 0, ...users])
        ? undefined
        : `its group (${gid})`;
  return who === undefined || !hasModes(path)
    ? undefined
    : `${who} (mode ${(mode & 0o7777).toString(8).padStart(4, "0")})`;
}

/** Whether the file system of a path stores permissions. */
export function hasModes(path: string): boolean {
  return !WITHOUT_MODES.has(statfsSync(path).type);
}

/** Windows reports neither owners nor modes. */
export function isPosix(): boolean {
  return process.geteuid !== undefined;
}
