/**
 * What the tools of recorded work take of every request: how many they are, and the most tokens (o200k) of their names,
 * descriptions and schemas together. A test counts them.
 */
export const TOOLS_COST = { tools: 6, tokens: 700 } as const;
