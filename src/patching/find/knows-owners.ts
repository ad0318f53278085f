/**
 * Whether a release accepts `commands.ownerAllowFrom`: since 2026.2.3. In earlier releases the list makes a
 * configuration invalid, and the gateway does not start. True for a version that cannot be parsed.
 */
export function knowsOwners(release: string): boolean {
  const [year = 0, month = 0, patch = 0] = release.split(/[.-]/).map(Number);
  return !(year > 0) || year > 2026 || (year === 2026 && (month > 2 || (month === 2 && patch >= 3)));
}
