/** Copies a folder in a way that shares the bytes of its files. */
import { constants, copyFileSync, linkSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from "node:fs";
import { isAbsolute, join } from "node:path";

type Share = (from: string, to: string) => void;

const reflink: Share = (from, to) => copyFileSync(from, to, constants.COPYFILE_FICLONE_FORCE);
const copy: Share = (from, to) => copyFileSync(from, to, constants.COPYFILE_EXCL);
// From the best to the one that always works. A hard link shares the file itself, so neither copy may be written in
// place.
const WAYS: readonly Share[] = [reflink, linkSync, copy];

/**
 * Copies `from` to `to`, which must not exist. A file is cloned where the file system can (copy on write), else hard
 * linked, else copied. Symbolic links stay as they are and must be relative.
 */
export function shareTree(from: string, to: string): void {
  shareFolder(from, to, { way: 0 });
}

function shareFolder(from: string, to: string, chosen: { way: number }): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) shareFolder(source, target, chosen);
    else if (entry.isSymbolicLink()) shareLink(source, target);
    else if (entry.isFile()) shareFile(source, target, chosen);
  }
}

function shareLink(source: string, target: string): void {
  const to = readlinkSync(source);
  if (isAbsolute(to))
    throw new Error(`${source} points to ${to}: an absolute link would lead the copy back to the original`);
  symlinkSync(to, target);
}

/** A way that has failed is not tried again: it fails for the whole file system. */
function shareFile(source: string, target: string, chosen: { way: number }): void {
  for (; ; chosen.way += 1) {
    try {
      WAYS[chosen.way]?.(source, target);
      return;
    } catch (error) {
      if (chosen.way >= WAYS.length - 1) throw error;
    }
  }
}
