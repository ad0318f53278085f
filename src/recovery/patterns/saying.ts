/** How a provider says something, and which one does, as it was reported or documented. */
export type Saying = readonly [provider: string, words: RegExp];

/** True when the words are one of the sayings. */
export function says(sayings: readonly Saying[], words: string): boolean {
  return sayings.some(([, said]) => said.test(words));
}

/** Returns a pattern that is written in several lines, which are joined as they stand. */
export function pattern(...lines: readonly string[]): RegExp {
  return new RegExp(lines.join(""));
}
