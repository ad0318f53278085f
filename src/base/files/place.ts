/**
 * Resolves the links on the way to a file and checks that no other user could have planted one of them, or could
 * replace a folder on the way. Links and folders of root and of the user of this process are trusted. Links of another
 * user are followed only within that user's own folders and to that user's own files.
 */
import { lstatSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, parse, resolve, sep } from "node:path";
import { unsafePath } from "./errors.ts";
import { inCircle, MAX_LINKS, stepsTo } from "./path-steps.ts";
import { BY_OTHERS, isPosix, SHARED_FOLDERS, whoShares } from "./who-shares.ts";

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
export function resolvePlace(file: string, { below, shared = "refuse", last = "follow" }: PlaceOptions = {}): Place {
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
    const target = followLink(path, present, links);
    path = isAbsolute(target) ? target : `${folder}${sep}${target}`;
  }
}

/** Resolves the links on the way to a folder and adds each to `links`. */
function followed(path: string, links: Link[]): string {
  let real = parse(path).root;
  for (const step of stepsTo(path)) {
    if (step.stat.isSymbolicLink()) followLink(step.path, step.stat, links);
    else real = step.path;
  }
  return real;
}

/**
 * The target of a link, which is added to `links`. Throws an {@link UnsafePathError} when another user could have
 * planted the link.
 */
function followLink(link: string, { uid }: Stats, links: Link[]): string {
  if (links.length >= MAX_LINKS) throw inCircle(link);
  const target = readlinkSync(link);
  if (isPosix()) {
    const folder = dirname(link);
    const stat = lstatSync(folder);
    const who = isTrusted(uid) ? whoShares(folder, stat) : undefined;
    if (who !== undefined) throw foreignLink(link, `one that leads to ${target}, in a folder that ${who} can change`);
    if (!isTrusted(uid) && (uid !== stat.uid || (stat.mode & BY_OTHERS) !== 0))
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
        todo:
          "Run chmod go-w on it and run this again; where that cannot be done and nobody else is on the machine, " +
          `set ${SHARED_FOLDERS}=allow. Nothing was changed.`,
      });
    }
    if (last.has(at) || at === dirname(at)) return;
  }
}

function isTrusted(uid: number): boolean {
  return uid === 0 || uid === process.geteuid?.();
}

function realFolder(folder: string): string[] {
  try {
    return [realpathSync(folder)];
  } catch {
    return [];
  }
}
