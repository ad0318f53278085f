/** What a fork, or a build of somebody's own, has in the places of the patch other than the published OpenClaw. */
import { sha256 } from "../base/hash.ts";
import { knownReleases, type KnownRelease } from "../base/releases.ts";

/** A file with patch points that is not the published one. */
export interface ForkedFile {
  readonly file: string;
  /**
   * `changed`: other content; `missing`: the published file is not there, or has no patch point; `added`: another file.
   */
  readonly difference: "changed" | "missing" | "added";
  /** SHA-256 of the published file, and of the one that is there without inserted lines. */
  readonly published?: string;
  readonly found?: string;
}

/** An OpenClaw that is not as published, and that somebody wants patched as it is. */
export interface Fork {
  /**
   * The published release it is compared with: that of its version, or of the beginning of its version, if there is
   * one.
   */
  readonly of: string | undefined;
  readonly files: readonly ForkedFile[];
}

/** A file that can have patch points, and whether one was found in it. */
export interface SeenFile {
  readonly file: string;
  /** The content without inserted lines. */
  readonly original: string;
  readonly hasPoint: boolean;
}

/**
 * Returns the release that a version was made from: the published one of this version, or of its beginning, as in
 * 2026.9.6-acme.1. Undefined where no such release is recorded.
 */
export function findOrigin(version: string): KnownRelease | undefined {
  return knownReleases().find(
    ({ release }) =>
      version === release || (version.startsWith(release) && /^[^\d.]/.test(version.slice(release.length))),
  );
}

/** Compares the files with patch points with those of the release that they were made from. */
export function compareWith(known: KnownRelease | undefined, seen: readonly SeenFile[]): Fork {
  const published = new Map(Object.entries(known?.files ?? {}));
  const files: ForkedFile[] = seen
    .filter(({ file, hasPoint }) => hasPoint || published.has(file))
    .flatMap(({ file, original }) => {
      const found = sha256(original);
      const hash = published.get(file);
      if (hash === found) return [];
      return [
        hash === undefined
          ? { file, difference: "added" as const, found }
          : { file, difference: "changed" as const, published: hash, found },
      ];
    });
  for (const [file, hash] of published)
    if (!seen.some((one) => one.file === file)) files.push({ file, difference: "missing", published: hash });
  return { of: known?.release, files };
}
