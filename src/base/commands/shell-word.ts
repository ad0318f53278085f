import { visible } from "../visible.ts";

/**
 * Quotes a word for a shell, so that a printed command can be copied whatever name a file or conversation has: the
 * shell executes nothing in the word, and nothing in it acts on the terminal that shows it. A word with invisible
 * characters is written as `$'…'`, which bash, ksh and zsh read, and older shells such as dash do not.
 */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (visible(word) === word) return `'${word.replaceAll("'", String.raw`'\''`)}'`;
  const bytes = [...Buffer.from(word)].map((byte) =>
    byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, "0")}`,
  );
  // A hexadecimal digit of the text must not be read as part of the byte before it.
  return `$'${bytes.join("").replaceAll(/\\x[0-9a-f]{2}(?=[0-9a-fA-F])/g, (byte) => `${byte}'$'`)}'`;
}
