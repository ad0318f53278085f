/**
 * OpenClaw's own lists of dist: the files in it (its postinstall deletes others) and, since 2026.9.5, their content
 * (its update carries files that differ over into the next release, and its cloud workers refuse a package with a file
 * that differs). So in a patched OpenClaw the lists name the guard and have the digests of the patched chunks. Releases
 * before 2026.4 have none.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { patchError } from "../base/errors.ts";
import { sha256 } from "../base/hash.ts";

const NAMES = "dist/postinstall-inventory.json";
const CONTENTS = "dist/postinstall-content-inventory.json";

/** A list: its text on disk, its published text and its text in a patched OpenClaw. */
export interface Inventory {
  readonly file: string;
  readonly text: string;
  readonly original: string;
  /** The published list with what is ours alone, and the published digests of all other files. */
  readonly withAdded: string;
  readonly patched: string;
}

/** A patched file of dist; `original` is undefined for the guard. */
export interface Listed {
  readonly file: string;
  readonly original: string | undefined;
  readonly patched: string;
  /** The digest in the list is of neither, and stays: a fork need not keep the list right. */
  readonly isUnlisted?: boolean;
}

interface ContentEntry {
  readonly path: string;
  readonly sha256: string;
  readonly mode: number;
  readonly size: number;
}

/** Reads the lists in `root`. Throws `outcome-invalid` for one that could not be restored byte for byte. */
export function inventories(root: string, listed: readonly Listed[]): readonly Inventory[] {
  const added = listed.filter(({ original }) => original === undefined);
  const addedNames = added.map(({ file }) => file);
  const addedEntries = added.map(({ file, patched }) => inOrder({ path: file, ...digest(patched), mode: 0o644 }));
  return [
    ...read<string>(root, NAMES, (names) => {
      const published = names.filter((name) => !addedNames.includes(name));
      return { published, patched: published, added: addedNames };
    }),
    ...read<ContentEntry>(root, CONTENTS, (entries) => ({
      published: contents(entries, listed, ({ original }) => original),
      patched: contents(entries, listed, ({ patched }) => patched),
      added: addedEntries,
    })),
  ];
}

/** The entries with the digests of the chosen texts; an entry without a text is left out. */
function contents(
  entries: readonly ContentEntry[],
  listed: readonly Listed[],
  choose: (one: Listed) => string | undefined,
): readonly ContentEntry[] {
  return entries.flatMap((entry) => {
    const one = listed.find(({ file }) => file === entry.path);
    if (one === undefined || one.isUnlisted) return [entry];
    const text = one.original === undefined ? undefined : choose(one);
    return text === undefined ? [] : [{ ...entry, ...digest(text) }];
  });
}

/** Returns the digests in OpenClaw's list of contents by file; none without a list. Throws as {@link inventories}. */
export function listedDigests(root: string): ReadonlyMap<string, string> {
  const path = join(root, CONTENTS);
  if (!existsSync(path)) return new Map();
  const { entries } = parse<ContentEntry>(CONTENTS, readFileSync(path, "utf8"));
  return new Map(entries.map((entry) => [entry.path, entry.sha256]));
}

function digest(text: string): Pick<ContentEntry, "sha256" | "size"> {
  return { sha256: sha256(text), size: Buffer.byteLength(text) };
}

/** Puts the fields in the order of OpenClaw's list. */
function inOrder({ path, sha256: hash, mode, size }: ContentEntry): ContentEntry {
  return { path, sha256: hash, mode, size };
}

/** The entries of a list: those of OpenClaw's files before and after the patch, and ours. */
interface Entries<Entry> {
  readonly published: readonly Entry[];
  readonly patched: readonly Entry[];
  readonly added: readonly Entry[];
}

function read<Entry>(
  root: string,
  file: string,
  sort: (entries: readonly Entry[]) => Entries<Entry>,
): readonly Inventory[] {
  const path = join(root, file);
  if (!existsSync(path)) return [];
  const text = readFileSync(path, "utf8");
  const { entries, write } = parse<Entry>(file, text);
  const { published, patched, added } = sort(entries);
  return [
    {
      file,
      text,
      original: write(published),
      withAdded: write([...published, ...added]),
      patched: write([...patched, ...added]),
    },
  ];
}

/** Parses a list and finds the formatting with which it can be restored byte for byte. */
function parse<Entry>(
  file: string,
  text: string,
): { readonly entries: readonly Entry[]; readonly write: (entries: readonly Entry[]) => string } {
  try {
    const entries: unknown = JSON.parse(text);
    for (const indent of [2, 0, "\t"]) {
      for (const end of ["\n", ""]) {
        const write = (list: readonly unknown[]): string => `${JSON.stringify(list, null, indent)}${end}`;
        if (Array.isArray(entries) && write(entries) === text) return { entries: entries as readonly Entry[], write };
      }
    }
  } catch {
    // Refused below.
  }
  throw patchError("outcome-invalid", {
    expected: `${file} to be a list in JSON, as OpenClaw's build writes it`,
    found: "text in another form",
    todo: "Reinstall this release of OpenClaw; nothing was changed.",
  });
}
