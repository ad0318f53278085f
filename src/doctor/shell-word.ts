import { visible } from "../base/visible.ts";

/**
 * A word as a POSIX shell has to be given it, so that a command can be copied whatever a file or a conversation is
 * called: nothing in it is carried out, and nothing in it acts on the terminal that shows it. Issue 6, item 4.
 */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (visible(word) === word) return `'${word.replaceAll("'", String.raw`'\''`)}'`;
  const bytes = [...Buffer.from(word)].map((byte) =>
    byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, "0")}`,
  );
  // No hexadecimal digit of the text may be taken for one of the byte before it.
  return `$'${bytes.join("").replaceAll(/\\x[0-9a-f]{2}(?=[0-9a-fA-F])/g, (byte) => `${byte}'$'`)}'`;
}

/** `openclaw-integrity <words>`; a word that begins with a dash is not taken for an option. */
export function commandOf(words: readonly string[], argument: string, options: readonly string[] = []): string {
  const dash = argument.startsWith("-") ? ["--"] : [];
  return ["openclaw-integrity", ...words, ...options.map(shellWord), ...dash, shellWord(argument)].join(" ");
}
