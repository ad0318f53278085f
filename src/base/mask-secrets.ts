/** A shorter secret occurs in words by chance, so it is masked only where it stands alone. */
const SHORTEST_ANYWHERE = 4;
const LETTER = /[\p{L}\p{N}_]/u;

/** Returns the text with each secret replaced by `***`. */
export function maskSecrets(text: string, secrets: readonly (string | null | undefined)[]): string {
  // One secret may be a part of another.
  const longestFirst = secrets
    .filter((secret) => typeof secret === "string" && secret !== "")
    .toSorted((a, b) => b!.length - a!.length) as string[];
  return longestFirst.reduce(
    (kept, secret) => (secret.length >= SHORTEST_ANYWHERE ? kept.replaceAll(secret, "***") : maskWord(kept, secret)),
    text,
  );
}

/** Masks a secret where no letter or digit stands beside it. */
function maskWord(text: string, word: string): string {
  const parts = text.split(word);
  return parts.reduce((kept, part, at) => {
    const isAlone = !LETTER.test(kept.at(-1) ?? "") && !LETTER.test(part[0] ?? "");
    return at === 0 ? part : kept + (isAlone ? "***" : word) + part;
  }, "");
}
