/**
 * Returns an id of nine characters of [a-z0-9], the same for the same text. The strictest API (Mistral) accepts exactly
 * nine alphanumerics, so that such an id is valid everywhere.
 */
export function shortId(text: string): string {
  // cyrb53, cut to nine digits of base 36 (46 bits). Not guaranteed to be unique: freshId checks that.
  let h1 = 0xdeadbeef;
  let h2 = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    h1 = Math.imul(h1 ^ code, 2654435761);
    h2 = Math.imul(h2 ^ code, 1597334677);
  }
  h1 = Math.imul(h1 ^ (h1 >>> 16), 2246822507) ^ Math.imul(h2 ^ (h2 >>> 13), 3266489909);
  h2 = Math.imul(h2 ^ (h2 >>> 16), 2246822507) ^ Math.imul(h1 ^ (h1 >>> 13), 3266489909);
  const hash = 4294967296 * (2097151 & h2) + (h1 >>> 0);
  return hash.toString(36).padStart(9, "0").slice(-9);
}

/** Returns an id for the `occurrence`-th use of `original` that is not in `taken`, and adds the id there. */
export function freshId(original: string, occurrence: number, taken: Set<string>): string {
  for (let salt = 0; ; salt++) {
    const id = shortId(`${original}\u0000${occurrence}\u0000${salt}`);
    if (!taken.has(id)) {
      taken.add(id);
      return id;
    }
  }
}
