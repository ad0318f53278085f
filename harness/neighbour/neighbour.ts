/**
 * A folder that all users of the machine share, as /tmp is, with what another user has planted in it. Only root can make
 * files of another user: tests are skipped where {@link hasNeighbours} is false.
 */
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** The other user: neither root nor nobody, who runs the commands. */
export const NEIGHBOUR = 65_533;

/** Whether this process can play several users. */
export const hasNeighbours = process.getuid?.() === 0;

/** Makes a shared folder, in which nobody can replace another user's file. The test removes it. */
export function makeShared(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "shared-")));
  chmodSync(folder, 0o1777);
  return folder;
}

/** Gives a file or a folder, with all that is in it, to a user; links are not followed. */
export function giveAll(path: string, user: number): void {
  lchownSync(path, user, user);
  for (const entry of readdirSync(path, { withFileTypes: true, recursive: true }))
    lchownSync(join(entry.parentPath, entry.name), user, user);
}

/** Makes a folder of a user in an existing one. */
export function makeFolderFor(user: number, path: string): string {
  mkdirSync(path);
  chownSync(path, user, user);
  return path;
}

/** Writes a file of the neighbour's, with the folders that are missing above it. */
export function plant(file: string, text: string): void {
  for (const folder of missingAbove(file)) makeFolderFor(NEIGHBOUR, folder);
  writeFileSync(file, text, { mode: 0o755 });
  chownSync(file, NEIGHBOUR, NEIGHBOUR);
}

function missingAbove(file: string): readonly string[] {
  const folder = dirname(file);
  return existsSync(folder) ? [] : [...missingAbove(folder), folder];
}
