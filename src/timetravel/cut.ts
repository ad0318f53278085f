/** A text of at most `most` characters; what is cut off is marked, and no character is halved. */
export function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text;
}
