/** INTEGRITY-MANIFEST.json: what a distribution changed of the published package, file by file. */
import type { FileFacts } from "../../harness/tree.ts";

/** Its name in the package. */
export const MANIFEST_FILE = "INTEGRITY-MANIFEST.json";

/** Why a file is not as published. */
export interface Cause {
  readonly purpose: string;
  /** The patch points in it, one entry for each copy. */
  readonly points: readonly string[];
}

/** One file that is not as published. */
export interface ManifestFile extends Cause {
  readonly file: string;
  readonly change: "changed" | "added";
  /** `before` is null for an added file. */
  readonly sha256: { readonly before: string | null; readonly after: string };
  readonly size: number;
}

/** What is the same for all files. */
export interface ManifestHead {
  readonly name: "openclaw";
  readonly release: string;
  /** The number of this distribution of the release. */
  readonly number: number;
  readonly patchSet: string;
  /** npm's integrity of the published tarball. */
  readonly upstream: { readonly package: string; readonly integrity: string };
  /** How often each patch point is in place. */
  readonly points: Readonly<Record<string, number>>;
}

/** The whole manifest; it does not list itself. */
export interface Manifest extends ManifestHead {
  readonly files: readonly ManifestFile[];
}

type Tree = ReadonlyMap<string, FileFacts>;

/**
 * Compares the package as published with what was made of it, so that no change can be left out. Throws when a file
 * differs for no known cause, when one that should differ does not, and when one is missing.
 */
export function buildManifest(
  head: ManifestHead,
  published: Tree,
  made: Tree,
  causes: ReadonlyMap<string, Cause>,
): Manifest {
  const missing = [...published.keys()].filter((file) => !made.has(file));
  const differing = [...made].filter(([file, facts]) => published.get(file)?.sha256 !== facts.sha256);
  const unexplained = differing.map(([file]) => file).filter((file) => !causes.has(file));
  const unchanged = [...causes.keys()].filter((file) => !differing.some(([other]) => other === file));
  for (const [what, files] of Object.entries({ missing, "changed for no known cause": unexplained, unchanged })) {
    if (files.length > 0)
      throw new Error(
        `expected the distribution to differ from the published package where it says so; found ${what}: ${files.join(", ")}`,
      );
  }
  const files = differing.map(([file, { sha256, size }]): ManifestFile => {
    const before = published.get(file)?.sha256 ?? null;
    const { purpose, points } = causes.get(file) as Cause;
    return {
      file,
      change: before === null ? "added" : "changed",
      purpose,
      points,
      sha256: { before, after: sha256 },
      size,
    };
  });
  return { ...head, files };
}
