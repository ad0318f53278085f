/** Reads which OpenClaw is in a folder. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { patchError } from "../base/errors.ts";
import { manifestIn } from "./package.ts";
import { type KnownRelease, knownRelease } from "../base/releases.ts";

/** An OpenClaw on disk. */
export interface Installation {
  readonly root: string;
  readonly release: string;
  /** The recorded facts of this release; undefined for one that is newer than this patch set. */
  readonly known: KnownRelease | undefined;
}

/** Reads which release is in `root`. Throws `openclaw-missing`. */
export function readInstallation(root: string): Installation {
  const found = manifestIn(root);
  if (found?.name !== "openclaw" || found.version === "" || !existsSync(join(root, "dist"))) {
    throw patchError("openclaw-missing", {
      expected: `OpenClaw (a package.json named "openclaw" with a version, and a dist folder) in ${root}`,
      found:
        found === undefined
          ? "no readable package.json"
          : `package "${found.name}", version "${found.version}", ` +
            `dist ${existsSync(join(root, "dist")) ? "there" : "missing"}`,
      todo: "Reinstall OpenClaw or name its folder with --path.",
    });
  }
  return { root, release: found.version, known: knownRelease(found.version) };
}
