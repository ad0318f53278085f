/**
 * Resolves the links on the way to a file and checks that no other user could have planted one of them, or could
 * replace a folder on the way. Links and folders of root and of the user of this process are trusted. Links of another
 * user are followed only within that user's own folders and to that user's own files.
 */
import { lstatSync, readlinkSync, realpathSync, statfsSync, type Stats } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, parse, resolve, sep } from "node:path";
import { unsafePath } from "./errors.ts";
import { isPrivateGroup } from "./private-group.ts";

/**
 * Environment variable; `allow` is for folders whose modes cannot be changed (a mount that only one container sees).
 */
const SWITCH = "OPENCLAW_INTEGRITY_SHARED_FOLDERS";

/** The number of links that Linux follows on one path. */
const MAX_LINKS = 40;
const [STICKY, BY_GROUP, BY_ALL] = [0o1000, 0o020, 0o002];

/**
 * File systems that report one mode for all files, whatever the rights are: FAT, exFAT, CIFS, SMB 2, 9P (WSL, virtual
 * machines), FUSE.
 */
const WITHOUT_MODES = new Set([0x4d44, 0x2011bab0, 0xff534d42, 0xfe534d42, 0x01021997, 0x65735546]);

let isUnattended = false;

/**
 * For a program that runs unattended, such as a gateway: also writes into folders that others may write to, because a
 * refusal would leave a session broken and nobody would read it. Links in such folders are still not followed.
 */
export function writeUnattended(): void {
  isUnattended = true;
}

export interface PlaceOptions {
  /**
   * Folders above this one, and above the user's home, are not checked: who may write there was decided by whoever
   * chose the location.
   */
  readonly below?: string | undefined;
  /** `allow`: also write into a folder that other users may write to, but follow no link there. Default: `refuse`. */
  readonly shared?: "allow" | "refuse" | undefined;
  /**
   * `replace`: a link at the file's own path is replaced, whoever owns it, and not followed; for file names that only
   * openclaw-integrity uses. Default: `follow`.
   */
  readonly last?: "follow" | "replace" | undefined;
}

/** The resolved location of a file, which need not exist. */
export interface Place {
  /** The folder's path with all links resolved. */
  readonly folder: string;
  readonly folderStat: Stats;
  readonly name: string;
  readonly path: string;
  /** The existing file; undefined when there is none, or a link that is to be replaced. */
  readonly present: Stats | undefined;
}

interface Link {
  readonly path: string;
  readonly owner: number;
}

/**
 * Resolves a path that is going to be written. Throws an {@link UnsafePathError} for a link of another user on the way
 * or at its end, and for a folder that other users may write to (not for sticky ones such as `/tmp`, where nobody can
 * replace another user's file); and what the file system throws.
 */
export function placeOf(file: string, { below, shared = "refuse", last = "follow" }: PlaceOptions = {}): Place {
  const links: Link[] = [];
  let path = resolve(file);
  for (;;) {
    const folder = followed(dirname(path), links);
    path = join(folder, basename(path));
    const present = lstatSync(path, { throwIfNoEntry: false });
    if (!present?.isSymbolicLink() || last === "replace") {
      const folderStat = lstatSync(folder);
      assertOwn(links, folder, folderStat);
      if (shared === "refuse" && !isUnattended) assertNotShared(folder, below, file);
      return {
        folder,
        folderStat,
        name: basename(path),
        path,
        present: present?.isSymbolicLink() ? undefined : present,
      };
    }
    const target = targetOf(path, present, links);
    path = isAbsolute(target) ? target : `${folder}${sep}${target}`;
  }
}

/** Resolves the links on the way to a folder and adds each to `links`. */
function followed(path: string, links: Link[]): string {
  let real = parse(path).root;
  const names = path.slice(real.length).split(sep);
  while (names.length > 0) {
    const name = names.shift()!;
    if (name === "" || name === ".") continue;
    const next = name === ".." ? dirname(real) : join(real, name);
    const stat = lstatSync(next);
    if (!stat.isSymbolicLink()) {
      real = next;
      continue;
    }
    const target = targetOf(next, stat, links);
    const { root } = parse(target);
    if (root !== "") real = root;
    // As in the kernel: `..` after a link goes up from the link's target.
    names.unshift(...target.slice(root.length).split(sep));
  }
  return real;
}

/**
 * The target of a link, which is added to `links`. Throws an {@link UnsafePathError} when another user could have
 * planted the link.
 */
function targetOf(link: string, { uid }: Stats, links: Link[]): string {
  if (links.length >= MAX_LINKS)
    throw unsafePath({
      expected: `a file behind the symbolic link ${link}`,
      found: "links that lead to each other",
      todo: "Remove them; nothing was changed.",
    });
  const target = readlinkSync(link);
  if (isPosix()) {
    const folder = dirname(link);
    const stat = lstatSync(folder);
    const who = isTrusted(uid) ? whoShares(folder, stat) : undefined;
    if (who !== undefined) throw foreignLink(link, `one that leads to ${target}, in a folder that ${who} can change`);
    if (!isTrusted(uid) && (uid !== stat.uid || (stat.mode & (BY_GROUP | BY_ALL)) !== 0))
      throw foreignLink(link, `one of user ${uid} that leads to ${target}`);
  }
  links.push({ path: link, owner: uid });
  return target;
}

/** Throws when a link of another user leads to a folder that is not that user's. */
function assertOwn(links: readonly Link[], folder: string, { uid }: Stats): void {
  if (!isPosix()) return;
  const foreign = links.find(({ owner }) => !isTrusted(owner) && owner !== uid);
  if (foreign) throw foreignLink(foreign.path, `one of user ${foreign.owner} that leads to ${folder} of user ${uid}`);
}

function foreignLink(path: string, found: string): Error {
  return unsafePath({
    expected: `${path} to be no symbolic link that another user could have put there`,
    found,
    todo: "Look what it is and who has made it, and remove it when it is not wanted. Nothing was changed.",
  });
}

/**
 * Throws when other users may write to the folder or to one above it: they could put a link in its place at any moment.
 */
function assertNotShared(folder: string, below: string | undefined, file: string): void {
  if (!isPosix()) return;
  const last = new Set([below, homedir()].flatMap((one) => (one === undefined ? [] : realFolder(one))));
  for (let at = folder; ; at = dirname(at)) {
    const who = whoShares(at, lstatSync(at));
    if (who !== undefined) {
      throw unsafePath({
        expected: `no other user to be able to change the folder ${at}, in which ${file} is replaced`,
        found: `${who} can`,
        todo: `Run chmod go-w on it and run this again; where that cannot be done and nobody else is on the machine, set ${SWITCH}=allow. Nothing was changed.`,
      });
    }
    if (last.has(at) || at === dirname(at)) return;
  }
}

/**
 * Which other users could replace a file in the folder; undefined when none could, or when the environment variable
 * allows it.
 */
function whoShares(folder: string, { mode, uid, gid }: Stats): string | undefined {
  if (process.env[SWITCH] === "allow" || (mode & STICKY) !== 0 || (mode & (BY_GROUP | BY_ALL)) === 0) return undefined;
  const who =
    (mode & BY_ALL) !== 0
      ? "everybody"
      : isPrivateGroup(gid, [0, uid, process.geteuid?.() ?? 0])
        ? undefined
        : `its group (${gid})`;
  return who === undefined || !hasModes(folder)
    ? undefined
    : `${who} (mode ${(mode & 0o7777).toString(8).padStart(4, "0")})`;
}

/** Whether the file system of a path stores permissions. */
export function hasModes(path: string): boolean {
  return !WITHOUT_MODES.has(statfsSync(path).type);
}

function isTrusted(uid: number): boolean {
  return uid === 0 || uid === process.geteuid?.();
}

/** Windows reports neither owners nor modes. */
function isPosix(): boolean {
  return process.geteuid !== undefined;
}

function realFolder(folder: string): string[] {
  try {
    return [realpathSync(folder)];
  } catch {
    return [];
  }
}
