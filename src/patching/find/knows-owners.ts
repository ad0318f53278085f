/**
 * Whether a release takes `commands.ownerAllowFrom`: since 2026.2.3; before that a configuration that has the list is
 * invalid, and the gateway does not start. A release that cannot be told is none of the first.
 */
export function knowsOwners(release: string): boolean {
  const [year = 0, month = 0, patch = 0] = release.split(/[.-]/).map(Number);
  return !(year > 0) || year > 2026 || (year === 2026 && (month > 2 || (month === 2 && patch >= 3)));
}
