/**
 * Where a file is written when links are resolved, and whether another user could have put them there or could take the
 * place of a folder on the way. The links and folders of whoever runs this program and of root are trusted, and what a
 * user has to themselves leads to what is theirs.
 */
import { lstatSync, readlinkSync, realpathSync, statfsSync, type Stats } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, parse, resolve, sep } from "node:path";
import { unsafePath } from "./errors.ts";
import { isPrivateGroup } from "./private-group.ts";

/** Set to `allow` by those whose folders cannot have other modes (a mount that only one container sees). */
const SWITCH = "OPENCLAW_INTEGRITY_SHARED_FOLDERS";

/** As many links as Linux follows on one path. */
const MOST_LINKS = 40;
const [STICKY, BY_GROUP, BY_ALL] = [0o1000, 0o020, 0o002];

/**
 * File systems that say one mode of all files, whatever it is worth: FAT, exFAT, CIFS, SMB 2, 9P (WSL, virtual
 * machines), FUSE.
 */
const WITHOUT_MODES = new Set([0x4d44, 0x2011bab0, 0xff534d42, 0xfe534d42, 0x01021997, 0x65735546]);

let isUnattended = false;

/**
 * For a program that nobody sits before, such as a gateway: folders that others may write to are written to as well,
 * because a refusal would leave a session broken and be read by nobody. What could lead elsewhere, a link, is not
 * followed there.
 */
export function writeUnattended(): void {
  isUnattended = true;
}

export interface PlaceOptions {
  /**
   * A folder that is not looked above, besides the user's home: what lies higher is the affair of whoever has chosen
   * it.
   */
  readonly below?: string | undefined;
  /** `allow`: also into a folder that other users may write to, where no link is followed. `refuse` when left out. */
  readonly shared?: "allow" | "refuse" | undefined;
  /**
   * `replace`: a link in the file's own place is replaced, whosever it is, and not followed: for files whose names are
   * ours alone. `follow` when left out.
   */
  readonly last?: "follow" | "replace" | undefined;
}

/** Where a file really lies, or would. */
export interface Place {
  /** The folder, with no link on the way to it. */
  readonly folder: string;
  readonly folderStat: Stats;
  readonly name: string;
  readonly path: string;
  /** The file that is there: no link. */
  readonly present: Stats | undefined;
}

interface Link {
  readonly path: string;
  readonly owner: number;
}

/**
 * Resolves a path that is going to be written. Throws an {@link UnsafePathError} for a link of somebody else on the way
 * or at its end, and for a folder that other users may write to (`/tmp` and the like are none: there nobody can take
 * the place of another's file); and what the file system throws.
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

/** The folder with no link on the way to it; takes down those that only their owner's own things may lie behind. */
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
    // As the system goes: `..` behind a link leads up from where the link leads to.
    names.unshift(...target.slice(root.length).split(sep));
  }
  return real;
}

/** Where a link leads. Throws an {@link UnsafePathError} unless it is known whose it is. */
function targetOf(link: string, { uid }: Stats, links: Link[]): string {
  if (links.length >= MOST_LINKS)
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

/** What a user has linked within what is theirs may lead to what is theirs, and nowhere else. */
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
 * Throws for a folder that others may write to, or one above it: whoever may could put a link in its place at any
 * moment.
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
 * Who else could take away what lies in a folder; undefined when nobody could, or the user says that nobody is there.
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

/** Whether the file system of a file or folder keeps who may read and write what. */
export function hasModes(path: string): boolean {
  return !WITHOUT_MODES.has(statfsSync(path).type);
}

function isTrusted(uid: number): boolean {
  return uid === 0 || uid === process.geteuid?.();
}

/** Elsewhere a file says neither whose it is nor who may write to it. */
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
