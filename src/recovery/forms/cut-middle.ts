/** Shortens a text to about `most` characters by cutting out its middle, never inside a surrogate pair. */
export function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  return `${text.slice(0, half).toWellFormed()} […] ${half > 0 ? text.slice(-half).toWellFormed() : ""}`;
}
