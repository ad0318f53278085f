import { matches, readWildcard, type Wildcard, type Work } from "./wildcard.ts";

/** The longest .gitignore that is read, and the most that one capture reads of all of them, in bytes. */
export const MAX_IGNORE_BYTES = 256 * 1024;
export const MAX_ALL_IGNORE_BYTES = 4 * 1024 * 1024;
/** Lines beyond these are not read, nor is what is longer. */
const MAX_RULES = 2000;
const MAX_LINE = 1024;

/** Any number of folders. */
const FOLDERS = "**";

interface Rule {
  readonly isNegated: boolean;
  readonly isForFolders: boolean;
  /** The parts of a path below the file's folder; one part is a name in any depth unless `isAnchored`. */
  readonly parts: readonly (Wildcard | typeof FOLDERS)[];
  readonly isAnchored: boolean;
}

/** The rules of one .gitignore and of those in the folders above it. */
export class IgnoreRules {
  readonly #rules: readonly Rule[];
  readonly #above: IgnoreRules | undefined;
  readonly #depth: number;

  /** `text` are the latin1 characters of the file's bytes, `depth` is the number of folders above it. */
  constructor(text: string, depth: number, above?: IgnoreRules) {
    this.#rules = readRules(text).toReversed();
    this.#depth = depth;
    this.#above = above;
  }

  /**
   * Whether git would ignore the file or folder with these names on its path, as far as the rules say. A folder that is
   * ignored is ignored with all that is in it, which the caller knows. When `work` is used up, nothing is ignored.
   */
  ignores(path: readonly string[], isFolder: boolean, work: Work): boolean {
    // As in git, the last line of the nearest file decides.
    for (let file: IgnoreRules | undefined = this as IgnoreRules; file !== undefined; file = file.#above)
      for (const rule of file.#rules) {
        if (work.left <= 0) return false;
        if ((isFolder || !rule.isForFolders) && isMatch(rule, path, file.#depth, work)) return !rule.isNegated;
      }
    return false;
  }
}

function readRules(text: string): Rule[] {
  const rules: Rule[] = [];
  for (const line of text.replace(/^\u00ef\u00bb\u00bf/, "").split("\n")) {
    if (rules.length === MAX_RULES) break;
    const rule = line.length > MAX_LINE ? undefined : readRule(line);
    if (rule !== undefined) rules.push(rule);
  }
  return rules;
}

function readRule(line: string): Rule | undefined {
  let pattern = withoutEnd(line.endsWith("\r") ? line.slice(0, -1) : line);
  if (pattern === "" || pattern.startsWith("#")) return undefined;
  const isNegated = pattern.startsWith("!");
  if (isNegated) pattern = pattern.slice(1);
  const isForFolders = pattern.endsWith("/");
  if (isForFolders) pattern = pattern.slice(0, -1);
  const isAnchored = pattern.includes("/");
  if (pattern.startsWith("/")) pattern = pattern.slice(1);
  const parts: (Wildcard | typeof FOLDERS)[] = [];
  for (const text of pattern.split("/")) {
    const part = isAnchored && /^\*{2,}$/.test(text) ? FOLDERS : readWildcard(text);
    if (part === undefined || text === "") return undefined;
    if (part !== FOLDERS || parts.at(-1) !== FOLDERS) parts.push(part);
  }
  return { isNegated, isForFolders, parts, isAnchored };
}

/** Blanks at the end count only behind a backslash. */
function withoutEnd(line: string): string {
  let end = line.length;
  while (line[end - 1] === " ") end--;
  let slashes = 0;
  while (line[end - 1 - slashes] === "\\") slashes++;
  return line.slice(0, slashes % 2 === 1 && end < line.length ? end + 1 : end);
}

function isMatch({ parts, isAnchored }: Rule, path: readonly string[], depth: number, work: Work): boolean {
  if (!isAnchored) return matches(parts[0] as Wildcard, path.at(-1)!, work);
  // As within a name, only the last "**" is tried again.
  let [part, at, folders, from] = [0, depth, -1, depth];
  while (at < path.length) {
    work.left--;
    const wanted = parts[part];
    if (wanted === FOLDERS) {
      // At the end it stands for everything below, and not for the folder itself.
      if (part === parts.length - 1) return true;
      folders = part++;
      from = at;
    } else if (wanted !== undefined && matches(wanted, path[at]!, work)) {
      part++;
      at++;
    } else if (folders >= 0) {
      part = folders + 1;
      at = ++from;
    } else return false;
  }
  return part === parts.length;
}
