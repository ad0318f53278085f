/** The classes of damage, by the first letter of a case's id; the headline incidents come first. */
const CLASSES: Readonly<Record<string, string>> = {
  q: "The three incidents of 5 February 2026",
  a: "Orphaned result after the history limit",
  b: "Compaction parts call and result",
  c: "Aborted or failed call",
  d: "Result missing after a crash or restart",
  e: "Something stands between call and result",
  f: "Duplicate results and ids",
  g: "Ids, arguments and names",
  h: "Empty content",
  i: "Order of roles",
  j: "Thinking and reasoning",
  k: "Images",
  l: "Damage to the file",
  p: "Foreign blocks and formats",
  r: "Captured from real installations",
  x: "Several kinds of damage at once",
};

/** Words of ids that are not written in small letters. */
const SPELLINGS: Readonly<Record<string, string>> = {
  json: "JSON",
  apis: "APIs",
  kimi: "Kimi",
  mistral: "Mistral",
  gemini: "Gemini",
  anthropic: "Anthropic",
};

const ORDER = Object.keys(CLASSES);

/** The letter of a case's class. */
export function caseClass(id: string): string {
  return id.charAt(0);
}

/** `A · Orphaned result after the history limit`. */
export function className(letter: string): string {
  return `${letter.toUpperCase()} · ${CLASSES[letter] ?? "Other"}`;
}

/** Sorts letters as the table shows them. */
export function compareClasses(left: string, right: string): number {
  return place(left) - place(right) || (left < right ? -1 : 1);
}

function place(letter: string): number {
  const at = ORDER.indexOf(letter);
  return at < 0 ? ORDER.length : at;
}

/** A case's id as words: `a-limit-between-call-and-result` is "Limit between call and result". */
export function shortTitle(id: string): string {
  const words = id
    .replace(/^[a-z]-/, "")
    .split("-")
    .map((word) => SPELLINGS[word] ?? word)
    .join(" ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
