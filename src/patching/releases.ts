/** What is known of each base release: where it comes from, what it runs on, and the files that are touched. */
import type { Release } from "./points.ts";

/** One supported release. */
export interface ReleaseFacts {
  readonly release: Release;
  /** npm's integrity of the published tarball. */
  readonly integrity: string;
  /** The Node range of its package.json. */
  readonly node: string;
  /** Dependencies that cannot be fetched as published, by what they are replaced with. */
  readonly overrides: Readonly<Record<string, string>>;
  /** SHA-256 of every published file a patch point lies in, by its path in the package. */
  readonly files: Readonly<Record<string, string>>;
}

export const RELEASES: readonly ReleaseFacts[] = [
  {
    release: "2026.9.6",
    integrity: "sha512-Ie0kyQSCVfFqixsgVg39vevUDq01Ch5u3+7Yu5Y3qARczmdAe+lzp8bVnO9925rHiW/+CFp70zfORCyPmCH31g==",
    node: ">=24.16.0 <25 || >=26.1.0",
    overrides: {},
    files: {
      "dist/builtin-openclaw-q1hiFm14.mjs": "e4504516aef56cd293e11369e420148c5ad60c80e60128ed64bfb57fb7239e25",
      "dist/compact-lmmQAHsq.mjs": "ea05e2d13ba20eb901da20ff5157ef78eed778b94df63b721fdda352752520bc",
      "dist/session-manager-DjC09C_X.mjs": "d32aa85337df0bbb2492e2f84922475e948ce9e55f22f32326c6aa63704df574",
    },
  },
  {
    release: "2026.2.3",
    integrity: "sha512-nAYjR0sfZf85h6h9idqWvose0v4fQ+6ATk7uldNg3bQ8EzOpFrPzMCx75rGjAj9bsBFTmT9/9eMAIref+cxVIw==",
    node: ">=22.12.0",
    // Both are fetched from git or are gone from the registry.
    overrides: { libsignal: "npm:libsignal@6.0.0", cssomnom: "npm:cssom@0.5.0" },
    files: {
      "dist/extensionAPI.js": "e3ffbea4cd311e278cb0acc605904cd5bdcc102c9f6f20768eed055eee110f66",
      "dist/loader-DpqWKh1q.js": "9237e14eef7aca0e4ad2c73cadb27678edf0b41a69f252761c776597c2375e37",
      "dist/plugin-sdk/index.js": "bbfa6e9251cfa2f689ef3b059fcaf98acdafe59b599127e1273c2ea2536e0c93",
      "dist/reply-5K4M-ATj.js": "36dae98eee13e7dfc135438302a0ba653c9ed1c54b09b85d832172f2543ecaee",
    },
  },
];

/** The release that is installed and patched when nothing else is asked for. */
export const LATEST: Release = "2026.9.6";

/** The facts of a release, or undefined when the patch set is not built for it. */
export function releaseFacts(release: string): ReleaseFacts | undefined {
  return RELEASES.find((facts) => facts.release === release);
}

/** Whether a text names a release the patch set is built for. */
export function isRelease(text: string): text is Release {
  return releaseFacts(text) !== undefined;
}
