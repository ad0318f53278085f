/**
 * The text without the characters at its end that `pattern`, an expression for one character, fits. Linear, which
 * `/[…]+$/` is not.
 */
export function withoutEnd(text: string, pattern: RegExp): string {
  let end = text.length;
  while (end > 0 && pattern.test(text[end - 1]!)) end--;
  return text.slice(0, end);
}
