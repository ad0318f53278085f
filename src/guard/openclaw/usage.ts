/** What an answer cost, as OpenClaw stores it: an answer that cost nothing, or of which it is not known. */
export function noUsage(): Record<string, unknown> {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  return { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost };
}
