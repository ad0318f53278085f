/** False when the guard is turned off at run time: `OPENCLAW_INTEGRITY=off` (also `0` and `false`). */
export function isEnabled(env: NodeJS.ProcessEnv = process.env): boolean {
  const value = env.OPENCLAW_INTEGRITY;
  return value === undefined || !/^(off|0|false|no)$/i.test(value);
}
