/**
 * Returns the text without trailing characters that match `pattern`, an expression for one character. Linear, unlike
 * `/[…]+$/`.
 */
export function withoutEnd(text: string, pattern: RegExp): string {
  let end = text.length;
  while (end > 0 && pattern.test(text[end - 1]!)) end--;
  return text.slice(0, end);
}
