/**
 * What the engine worked out for an OpenClaw, kept in `integrity/register` of OpenClaw's state directory. Its content
 * becomes code, so a folder or file that another user owns or may write to is not read.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  type Stats,
} from "node:fs";
import { join } from "node:path";
import { describeError } from "../base/coded-error.ts";
import { makeFolder, replaceFile } from "../base/files/index.ts";
import { sha256 } from "../patching/base/hash.ts";
import { parseServed, type Served } from "./served.ts";

/** Where the cache of a state directory lies. */
export function cacheFolder(state: string): string {
  return join(state, "integrity", "register");
}

/** What identifies an entry. */
export interface CacheKey {
  readonly root: string;
  /** `identity` of the {@link HookBuild}. */
  readonly hook: string;
}

const VERSION = 1;
/** The files that change with each build of OpenClaw. */
const BUILD = ["package.json", "dist/build-info.json"];
const BY_OTHERS = 0o022;
const { O_RDONLY, O_NOFOLLOW = 0 } = constants;

/** Hash of all that decides on the patch, except the content of the patched files, which is compared at each load. */
export function hashKey({ root, hook: tool }: CacheKey): string {
  const build = BUILD.map((file) => hashFile(join(root, file)));
  const { mtimeMs, ino } = lstatSync(join(root, "dist"));
  return sha256(JSON.stringify([VERSION, root, tool, build, mtimeMs, ino]));
}

function hashFile(file: string): string | undefined {
  try {
    return sha256(readFileSync(file));
  } catch {
    return undefined;
  }
}

/**
 * An answer of the cache: the patch, or why there is none. `warning` is for the user, when others could write there.
 */
export interface Cached {
  readonly served?: Served;
  readonly warning?: string;
}

/** Reads an entry. Never throws: a missing, damaged or truncated entry is none. */
export function readCache(folder: string, { root }: CacheKey, key: string): Cached {
  try {
    const stranger = strangerIn(lstatSync(folder));
    if (stranger !== undefined) return { warning: makeWarning(folder, stranger) };
    const file = cacheFile(folder, root, key);
    const handle = openSync(file, O_RDONLY | O_NOFOLLOW);
    try {
      const other = strangerIn(fstatSync(handle));
      if (other !== undefined) return { warning: makeWarning(file, other) };
      return parseEntry(readFileSync(handle, "utf8"), root, key);
    } finally {
      closeSync(handle);
    }
  } catch {
    return {};
  }
}

function parseEntry(text: string, root: string, key: string): Cached {
  const value = JSON.parse(text) as { readonly key?: unknown; readonly sum?: unknown; readonly served?: unknown };
  // The sum finds a half-written entry that is still JSON; it proves nothing against a person.
  if (value.key !== key || value.sum !== sha256(JSON.stringify(value.served))) return {};
  const served = parseServed(value.served);
  return served?.root === root ? { served } : {};
}

/** Writes an entry and removes older ones of the same OpenClaw. Returns a warning when that cannot be done. */
export function writeCache(folder: string, { root }: CacheKey, key: string, served: Served): string | undefined {
  try {
    makeFolder(folder);
    if (strangerIn(lstatSync(folder)) !== undefined) return undefined;
    const file = cacheFile(folder, root, key);
    const entry = { key, sum: sha256(JSON.stringify(served)), served };
    replaceFile(file, `${JSON.stringify(entry)}\n`, { mode: 0o600, last: "replace" });
    removeOlder(folder, root, key);
    return undefined;
  } catch (error) {
    return (
      `what was worked out could not be stored in ${folder} (${describeError(error)}), so each start takes about ` +
      "a second longer"
    );
  }
}

function removeOlder(folder: string, root: string, key: string): void {
  const kept = entryName(root, key);
  for (const name of readdirSync(folder)) {
    if (name.startsWith(rootPrefix(root)) && name.endsWith(".json") && name !== kept)
      rmSync(join(folder, name), { force: true });
  }
}

function cacheFile(folder: string, root: string, key: string): string {
  return join(folder, entryName(root, key));
}

function entryName(root: string, key: string): string {
  return `${rootPrefix(root)}${key.slice(0, 32)}.json`;
}

function rootPrefix(root: string): string {
  return `${sha256(root).slice(0, 16)}-`;
}

/** Another user who could have written there; undefined for nobody. Windows reports neither owners nor modes. */
function strangerIn(stat: Stats): string | undefined {
  const euid = process.geteuid?.();
  if (euid === undefined) return undefined;
  if (stat.isSymbolicLink()) return "it is a symbolic link";
  if (stat.uid !== euid) return `it belongs to user ${stat.uid}, and this is user ${euid}`;
  const mode = stat.mode & 0o777;
  return (mode & BY_OTHERS) === 0 ? undefined : `others can write to it (mode ${mode.toString(8).padStart(4, "0")})`;
}

function makeWarning(path: string, why: string): string {
  return (
    `${path} is not used, because ${why}; each start takes about a second longer until it belongs to this user ` +
    "alone (chmod go-w, or remove it)"
  );
}
