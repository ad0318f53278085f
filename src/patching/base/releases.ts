/** Facts about OpenClaw's stable releases: the tarball of each, and the files that the patch changes. */
import data from "../../../releases/releases.json" with { type: "json" };

/** A release that the patch set was checked against, as `npm run matrix` recorded it. */
export interface KnownRelease {
  readonly release: string;
  /** The integrity value of the published tarball on npm. */
  readonly integrity: string;
  /** The range of Node versions in its package.json. */
  readonly node: string;
  /** SHA-256 of each published file that contains a patch point, by its path in the package. */
  readonly files: Readonly<Record<string, string>>;
  /** Number of copies of each patch point. */
  readonly points: Readonly<Record<string, number>>;
}

/** The two releases that every claim of this repository is tested on. */
export type Release = "2026.2.3" | "2026.9.6";

/** A base release: a known release with the overrides that its installation needs. */
export interface ReleaseFacts extends KnownRelease {
  readonly release: Release;
  /** Replacements of dependencies that cannot be fetched as published. */
  readonly overrides: Readonly<Record<string, string>>;
}

const KNOWN: ReadonlyMap<string, KnownRelease> = new Map(
  Object.entries(data.releases as Readonly<Record<string, Omit<KnownRelease, "release">>>).map(([release, facts]) => [
    release,
    { release, ...facts },
  ]),
);

/** Replacements for dependencies of releases up to 2026.3 that come from git or are no longer in the registry. */
export const EARLY_OVERRIDES = { libsignal: "npm:libsignal@6.0.0", cssomnom: "npm:cssom@0.5.0" } as const;

export const RELEASES: readonly ReleaseFacts[] = [base("2026.9.6", {}), base("2026.2.3", EARLY_OVERRIDES)];

/** The release that is installed and patched by default. */
export const LATEST: Release = "2026.9.6";

/** Every release in releases/releases.json, oldest first. */
export function knownReleases(): readonly KnownRelease[] {
  return [...KNOWN.values()];
}

/** The facts of a known release; undefined for a release that is not recorded. */
export function knownRelease(release: string): KnownRelease | undefined {
  return KNOWN.get(release);
}

/** The facts of a base release; undefined for any other. */
export function releaseFacts(release: string): ReleaseFacts | undefined {
  return RELEASES.find((facts) => facts.release === release);
}

/** Whether a text names a base release. */
export function isRelease(text: string): text is Release {
  return releaseFacts(text) !== undefined;
}

function base(release: Release, overrides: Readonly<Record<string, string>>): ReleaseFacts {
  const known = KNOWN.get(release);
  if (known === undefined) throw new Error(`releases/releases.json lacks ${release}: restore it from git`);
  return { ...known, release, overrides };
}
