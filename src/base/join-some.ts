/** Joins the first `most` items for a message and counts the others: `a, b, and 3 more`. */
export function joinSome(items: readonly string[], most: number, separator = ", "): string {
  const more = items.length > most ? `${separator}and ${items.length - most} more` : "";
  return `${items.slice(0, most).join(separator)}${more}`;
}
