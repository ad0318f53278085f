/** Judges the findings in a release: each patch point fits, is not needed, is left out, or stops the whole patch. */
import type { Insertion } from "../source/insertion.ts";
import type { Finding } from "./locate.ts";
import type { PatchPoint } from "../source/point.ts";
import { PATCH_POINTS } from "../points/index.ts";
import type { KnownRelease } from "../base/releases.ts";

/** The verdict on one patch point in one release. */
export interface Verdict {
  readonly point: PatchPoint;
  /** Required number of copies, as text. */
  readonly expected: string;
  /** Number of copies that fit. */
  readonly found: number;
  readonly outcome: "fits" | "not-needed" | "left-out" | "refused";
  /** Why it is left out or refused. */
  readonly reason?: string;
  readonly findings: readonly Finding[];
}

/** Judges the findings of a whole release. `known` are the recorded facts of a known release. */
export function judge(findings: readonly Finding[], known: KnownRelease | undefined): readonly Verdict[] {
  return PATCH_POINTS.map((point) =>
    judgePoint(
      point,
      findings.filter((finding) => finding.point === point),
      known,
    ),
  );
}

/**
 * Returns the verdict that stops the patch; undefined when none does. A place that does not fit refuses all points that
 * could lie there: of these, the point that has too few copies without the place is the one that is meant.
 */
export function refusedIn(verdicts: readonly Verdict[]): Verdict | undefined {
  const refused = verdicts.filter(({ outcome }) => outcome === "refused");
  return refused.find(({ point, found }) => found < point.copies.min) ?? refused[0];
}

/** The insertions of all fitting points in one file. */
export function listInsertions(verdicts: readonly Verdict[], file: string): readonly Insertion[] {
  return verdicts.flatMap(({ outcome, findings }) =>
    outcome === "fits"
      ? findings.flatMap((finding) =>
          finding.file === file && finding.insertion !== undefined ? [finding.insertion] : [],
        )
      : [],
  );
}

function judgePoint(point: PatchPoint, findings: readonly Finding[], known: KnownRelease | undefined): Verdict {
  // A static import belongs to its point and does not count as a copy.
  const found = findings.filter(({ insertion }) => insertion !== undefined && insertion.where !== "top").length;
  const { min, max } = known === undefined ? point.copies : exactly(known.points[point.id] ?? 0);
  const expected = min === max ? String(min) : `${min} to ${max}`;
  const base = { point, expected, found, findings };
  const mismatch = findings.find((finding) => finding.mismatch !== undefined);
  const problem =
    mismatch !== undefined
      ? `${mismatch.mismatch ?? ""} in ${mismatch.file} at line ${mismatch.line}`
      : found < min || found > max
        ? `${found} copies where ${expected} must be`
        : undefined;
  if (problem === undefined) return { ...base, outcome: found === 0 ? "not-needed" : "fits" };
  // In a known release, zero recorded copies means that the mismatch was seen when the release was recorded.
  const isRecorded = known !== undefined && mismatch !== undefined && found === 0 && max === 0;
  const canGo = !point.essential && (known === undefined || isRecorded);
  return { ...base, outcome: canGo ? "left-out" : "refused", reason: problem };
}

function exactly(copies: number): PatchPoint["copies"] {
  return { min: copies, max: copies };
}
