/** Returns at most `most` characters of a text, with an ellipsis where it was cut; surrogate pairs are not split. */
export function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text;
}
