/** How wide a text is in a terminal, and how a sentence is wrapped there. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;

/** Returns how many terminal columns a text takes. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += NO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

/**
 * Wraps a sentence at spaces to lines of at most `columns` columns; the lines behind the first are indented. What
 * stands between backticks is a command and stays on one line, and a word that is longer than a line stays whole, so
 * that both can be copied.
 */
export function wrappedSentence(text: string, columns: number, indent = "  "): string[] {
  const lines: string[] = [];
  const lead = /^ */.exec(text)![0];
  let line = lead;
  for (const word of splitWords(text.slice(lead.length))) {
    const next = line.trim() === "" ? line + word : `${line} ${word}`;
    if (line.trim() === "" || textWidth(next) <= columns) {
      line = next;
      continue;
    }
    lines.push(line);
    line = indent + word;
  }
  return [...lines, line];
}

/** Cuts a word that is wider than a line; one that is not stays whole. */
export function cutWord(word: string, columns: number): string[] {
  const pieces = [""];
  for (const character of word) {
    if (textWidth(pieces.at(-1)! + character) > columns) pieces.push("");
    pieces[pieces.length - 1] += character;
  }
  return pieces;
}

/** The words of a sentence; the words between two backticks are one. */
function splitWords(text: string): string[] {
  const words: string[] = [];
  let isOpen = false;
  for (const word of text.split(" ")) {
    if (isOpen) words[words.length - 1] += ` ${word}`;
    else words.push(word);
    if (word.split("`").length % 2 === 0) isOpen = !isOpen;
  }
  return words;
}
