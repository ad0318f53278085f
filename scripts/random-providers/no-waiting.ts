/**
 * Loaded into OpenClaw's process: 2026.9.6 waits up to 30 seconds before it asks a provider that is down again, which no
 * setting changes, and the guard a second behind a turn. How often they ask stays as it is.
 */
const wait = globalThis.setTimeout;

/** The functions that wait, and how many times shorter their pauses are. */
const SHORTER: readonly (readonly [name: string, times: number])[] = [
  ["sleepWithAbort", 200],
  ["searchBehind", 10],
];
const SHORTEST_MS = 300;
const LONGEST_MS = 30_000;

globalThis.setTimeout = Object.assign((callback: () => void, ms = 0, ...rest: unknown[]) => {
  const stack = ms < SHORTEST_MS || ms > LONGEST_MS ? "" : (new Error("stack").stack ?? "");
  const times = SHORTER.find(([name]) => stack.includes(name))?.[1] ?? 1;
  return wait(callback, ms / times, ...(rest as []));
}, wait) as typeof setTimeout;
