/** What releases of OpenClaw's are named: `2026.2.3`, also with a suffix, `2026.2.3-beta.1`. */

/**
 * Whether a release is older than `limit`, which is written `2026_02_26` for 2026.2.26. False for a release that is
 * missing or cannot be read: it is taken for a newer one.
 */
export function isBefore(release: string | undefined, limit: number): boolean {
  const [year = 0, month = 0, day = 0] = (release ?? "").split(".").map((part) => Number.parseInt(part, 10));
  return year > 0 && (year * 100 + month) * 100 + day < limit;
}

/**
 * Whether a release accepts `commands.ownerAllowFrom`. In earlier ones the list makes a configuration invalid, and the
 * gateway does not start.
 */
export function acceptsOwnerAllowFrom(release: string): boolean {
  return !isBefore(release, 2026_02_03);
}
