/** False when the guard is turned off at run time: `OPENCLAW_INTEGRITY=off` (also `0` and `false`). */
export function isEnabled(): boolean {
  const value = process.env.OPENCLAW_INTEGRITY;
  return value === undefined || !/^(off|0|false|no)$/i.test(value);
}
