/** What is known of OpenClaw's stable releases: where each comes from and the files that are touched. */
import data from "../../../releases/releases.json" with { type: "json" };

/** A release that the patch set was checked against, as `npm run matrix` recorded it. */
export interface KnownRelease {
  readonly release: string;
  /** npm's integrity of the published tarball. */
  readonly integrity: string;
  /** The Node range of its package.json. */
  readonly node: string;
  /** SHA-256 of every published file a patch point lies in, by its path in the package. */
  readonly files: Readonly<Record<string, string>>;
  /** How often it has each patch point. */
  readonly points: Readonly<Record<string, number>>;
}

/** The two releases that every claim of this repository is tested on. */
export type Release = "2026.2.3" | "2026.9.6";

/** A base release: a known one with what its installation needs. */
export interface ReleaseFacts extends KnownRelease {
  readonly release: Release;
  /** Dependencies that cannot be fetched as published, by what they are replaced with. */
  readonly overrides: Readonly<Record<string, string>>;
}

const KNOWN: ReadonlyMap<string, KnownRelease> = new Map(
  Object.entries(data.releases as Readonly<Record<string, Omit<KnownRelease, "release">>>).map(([release, facts]) => [
    release,
    { release, ...facts },
  ]),
);

/** Dependencies of the releases up to 2026.3 that are fetched from git or are gone from the registry. */
export const EARLY_OVERRIDES = { libsignal: "npm:libsignal@6.0.0", cssomnom: "npm:cssom@0.5.0" } as const;

export const RELEASES: readonly ReleaseFacts[] = [base("2026.9.6", {}), base("2026.2.3", EARLY_OVERRIDES)];

/** The release that is installed and patched when nothing else is asked for. */
export const LATEST: Release = "2026.9.6";

/** Every release in releases/releases.json, oldest first. */
export function knownReleases(): readonly KnownRelease[] {
  return [...KNOWN.values()];
}

/** What was recorded of a release, or undefined for one the patch set has never seen. */
export function knownRelease(release: string): KnownRelease | undefined {
  return KNOWN.get(release);
}

/** The facts of a base release, or undefined for any other. */
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
