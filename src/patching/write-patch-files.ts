/** The patch files in a folder of somebody's own repository. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder, replaceFile, UnsafePathError } from "../base/files/index.ts";
import { patchError } from "./base/errors.ts";
import { GUARD_FILE } from "./base/guard-file.ts";
import { MARK } from "./base/marks.ts";
import type { PatchFile } from "./patch-file.ts";
import { refusedByDisk } from "../base/file-trouble.ts";

/** A patch file on disk. */
export interface WrittenFile {
  readonly file: string;
  readonly lines: number;
  readonly action: "written" | "unchanged";
}

/**
 * Puts the files into `folder`, which is made when it is not there, each in one step. Throws `not-writable`, or
 * `unsafe-path` where another user's link leads elsewhere.
 */
export function writePatchFiles(folder: string, files: readonly PatchFile[]): readonly WrittenFile[] {
  try {
    makeFolder(folder, 0o755);
    return files.map(({ name, text }) => {
      const file = join(folder, name);
      const isThere = existsSync(file) && readFileSync(file, "utf8") === text;
      // It is the user's own repository, which a group may share.
      if (!isThere) replaceFile(file, text, { mode: 0o644, shared: "allow" });
      return { file, lines: text.split("\n").length - 1, action: isThere ? "unchanged" : "written" };
    });
  } catch (error) {
    if (error instanceof UnsafePathError) throw error;
    throw patchError(
      "not-writable",
      refusedByDisk(error, {
        expected: `to write patch files into ${folder}`,
        asOwner: "Name a folder that can be written to.",
        ending: "Then run it again.",
      }),
    );
  }
}

/**
 * The names of other patch files of this project in `folder`, as of another release. patch-package would apply them as
 * well, and fail.
 */
export function olderPatchFiles(folder: string, files: readonly PatchFile[]): readonly string[] {
  const names = readdirSync(folder).filter((name) => /^openclaw\+.*\.patch$/.test(name));
  return names.filter(
    (name) => !files.some((file) => file.name === name) && isOurs(readFileSync(join(folder, name), "utf8")),
  );
}

function isOurs(text: string): boolean {
  return text.includes(MARK) || text.includes(`/openclaw/${GUARD_FILE}`);
}
