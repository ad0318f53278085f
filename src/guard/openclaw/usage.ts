/** Returns the usage, as OpenClaw stores it, of an answer that cost nothing, or whose cost is unknown. */
export function noUsage(): Record<string, unknown> {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  return { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost };
}
