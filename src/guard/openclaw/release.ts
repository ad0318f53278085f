/**
 * True for a release of OpenClaw's before another one, `2026_02_26` for 2026.2.26. One that is not known is taken for a
 * later one.
 */
export function isBefore(release: string | undefined, other: number): boolean {
  const [year = 0, month = 0, day = 0] = (release ?? "").split(".").map((part) => Number.parseInt(part, 10));
  return year > 0 && (year * 100 + month) * 100 + day < other;
}
