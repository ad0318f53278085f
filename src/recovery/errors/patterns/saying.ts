/**
 * How a provider says something, and which one does, as it was reported or documented: a provider, a server, a program
 * between (a gateway, an SDK, OpenClaw's adapters), or "several" where more than three have the same words. The words
 * are matched against text in lower case without quotes, backticks and backslashes, with single spaces. Gaps in them
 * are bounded, so that each takes linear time.
 */
export type Saying = readonly [provider: string, words: RegExp];

/** What is said, and the sayings for it. */
export type Subject<T> = readonly [about: T, sayings: readonly Saying[]];

/** True when the words are one of the sayings. */
export function says(sayings: readonly Saying[], words: string): boolean {
  return sayings.some(([, said]) => said.test(words));
}

/** Returns what the words are about: the first subject that has a saying of them, undefined when none has. */
export function matchSubject<T>(subjects: readonly Subject<T>[], words: string): T | undefined {
  return subjects.find(([, sayings]) => says(sayings, words))?.[0];
}
