/** The folder that a source checkout gets: the built guard, its types, its licences, and what it is. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { dirname, relative } from "node:path/posix";
import { fileURLToPath } from "node:url";
import { GUARD_EXPORTS } from "../base/guard-file.ts";
import { patchError } from "../base/errors.ts";
import { sha256 } from "../base/hash.ts";
import { withUnixLines } from "../base/text.ts";
import { PATCH_SET } from "../points/index.ts";

/**
 * Path of the folder in the checkout. Not below src, whose linters and formatters would take the guard for code to
 * mend.
 */
export const VENDOR_FOLDER = "vendor/openclaw-integrity";
/** Says which files the folder has, and what they were when they were written. */
export const MANIFEST = `${VENDOR_FOLDER}/manifest.json`;
const GUARD = `${VENDOR_FOLDER}/guard.mjs`;

/** A file to write, its path relative to the checkout. */
export interface VendoredFile {
  readonly file: string;
  readonly text: string;
}

/** The files of the folder without the manifest, which names them. */
const NAMES = ["guard.mjs", "guard.d.mts", "LICENSE", "THIRD_PARTY_NOTICES", "README.md"] as const;
/** The files of the folder. */
export const VENDORED_NAMES: readonly string[] = [...NAMES.map((name) => `${VENDOR_FOLDER}/${name}`), MANIFEST];

/** Returns the files of the folder; the manifest, which names the others, is the last one. Throws `guard-missing`. */
export function vendoredFiles(guard: string): readonly VendoredFile[] {
  const texts = { "guard.mjs": guard, "guard.d.mts": TYPES, "README.md": README };
  const files = NAMES.map((name) => ({
    file: `${VENDOR_FOLDER}/${name}`,
    text: name in texts ? texts[name as keyof typeof texts] : packaged(name),
  }));
  const manifest = {
    patchSet: PATCH_SET,
    files: Object.fromEntries(files.map(({ file, text }) => [file, sha256(text)])),
  };
  return [...files, { file: MANIFEST, text: `${JSON.stringify(manifest, null, 2)}\n` }];
}

/**
 * The manifest while the folder is written: it also tells of the files that are replaced, so that a revert after a kill
 * knows them.
 */
export function manifestMeanwhile(manifest: string, before: string | undefined): string {
  const { files: earlier } = before === undefined ? {} : parsedFiles(before);
  return `${JSON.stringify({ ...(JSON.parse(manifest) as object), earlier: earlier ?? {} }, null, 2)}\n`;
}

function parsedFiles(manifest: string): { readonly files?: object } {
  try {
    return JSON.parse(manifest) as { files?: object };
  } catch {
    return {};
  }
}

/** Returns the SHA-256 that each file may have as a manifest says; none for a text that is no manifest. */
export function manifestFiles(text: string): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  try {
    const { files, earlier } = JSON.parse(text) as { files?: unknown; earlier?: unknown };
    for (const [file, hash] of [...Object.entries(files ?? {}), ...Object.entries(earlier ?? {})]) {
      // A manifest of somebody else must not name files outside of the folder.
      if (typeof hash !== "string" || !/^vendor\/openclaw-integrity\/\w[\w.-]*$/.test(file)) continue;
      found.set(file, (found.get(file) ?? new Set()).add(hash));
    }
  } catch {
    // Nothing is known of the folder, and nothing in it is removed.
  }
  return found;
}

/**
 * Reads a file of the folder; git may have given its lines the end that Windows uses. Undefined where there is none.
 */
export function readVendored(root: string, file: string): string | undefined {
  const path = join(root, file);
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? withUnixLines(readFileSync(path, "utf8")) : undefined;
}

/** Whether a file of the folder is as it was written, by what {@link manifestFiles} returned. */
export function isWritten(root: string, file: string, written: ReturnType<typeof manifestFiles>): boolean {
  const text = readVendored(root, file);
  return text !== undefined && (written.get(file)?.has(sha256(text)) ?? false);
}

/** The import path of the guard in a source file of the checkout. */
export function vendoredImport(file: string): string {
  const path = relative(dirname(file), GUARD);
  return path.startsWith(".") ? path : `./${path}`;
}

/** Reads a file of this package, built or in the repository. */
function packaged(name: string): string {
  const places = [`../${name}`, `../../../${name}`].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  const place = places.find((path) => existsSync(path));
  if (place === undefined)
    throw patchError("guard-missing", {
      expected: `the ${name} of this package in ${places.join(" or ")}`,
      found: "no such file",
      todo: "Reinstall openclaw-integrity; nothing was changed.",
    });
  return readFileSync(place, "utf8");
}

const TYPES = `/** What the guard is told of a session. */
export interface GuardContext {
  readonly sessionId: string;
  readonly provider: string;
  readonly modelId: string;
  readonly api?: string | null;
  readonly sessionKey?: string | null;
  readonly release: string;
  readonly point: string;
}

${Object.values(GUARD_EXPORTS).join("\n")}
`;

const README = `# openclaw-integrity

\`guard.mjs\` is the built guard of openclaw-integrity: the functions that the lines call which end in
\`/* openclaw-integrity:... */\`. It keeps a damaged stored history from making a session unusable. It is generated;
change it in its own project. \`OPENCLAW_INTEGRITY=off\` in the environment switches it off.

- \`openclaw-integrity verify --source <checkout>\` checks the lines and this folder,
- \`openclaw-integrity apply --source <checkout>\` writes both anew,
- \`openclaw-integrity revert --source <checkout>\` removes both.

Its licence is in \`LICENSE\`, those of the code in it in \`THIRD_PARTY_NOTICES\`.
`;
