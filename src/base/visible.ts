/**
 * What a screen shows nothing of, or lets change how the text around it is shown: control, bidirectional and invisible
 * characters, halves of characters.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Without an effect of their own: they join the parts of an emoji or of a letter, or choose its form. */
const JOINER = /[\u200c\u200d]/;
const EMOJI_FORM = /[\ufe0e\ufe0f]/;
const HAN_FORM = /[\ufe00-\ufe0d\u{e0100}-\u{e01ef}]/u;
const PICTURE = /\p{Extended_Pictographic}/u;
/** Behind it an emoji goes on. */
const EMOJI_PART = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]/u;
/** Scripts whose letters take other forms where they are joined or kept apart. */
const JOINING = new RegExp(
  `[${["Arabic", "Syriac", "Mongolian", "Nko", "Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Oriya", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala", "Khmer", "Myanmar", "Tibetan"].map((name) => String.raw`\p{Script=${name}}`).join("")}]`,
  "u",
);

/**
 * A text of unknown origin in which nothing can act on a terminal or a page, or be there without being seen: such a
 * character is written as `\u202e` or `\u{e0041}`. A line feed is one of them: what is shown is one line. Twice gives
 * the same as once.
 */
export function visible(text: string): string {
  return text.replaceAll(UNSEEN, (character, at: number) =>
    isPartOfSeen(character, at, text) ? character : escaped(character),
  );
}

/** Text of ours that has lines, such as a list with names of others in it; only its line feeds act. */
export function visibleLines(text: string): string {
  return text.split("\n").map(visible).join("\n");
}

/** JSON that a terminal can be given: the same value, with escapes of JSON for what `JSON.stringify` lets through. */
export function visibleJson(json: string): string {
  return json.replaceAll(UNSEEN, (character, at: number) => {
    if (character === "\n" || isPartOfSeen(character, at, json)) return character;
    return character
      .split("")
      .map((half) => `\\u${half.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join("");
  });
}

function escaped(character: string): string {
  const code = character.codePointAt(0)!.toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
}

/** Whether it belongs to the emoji or the letter that it stands behind, as nothing else may. */
function isPartOfSeen(character: string, at: number, text: string): boolean {
  const before = characterBefore(text, at);
  const after = text.codePointAt(at + character.length);
  const next = after === undefined ? "" : String.fromCodePoint(after);
  if (JOINER.test(character))
    return (
      (character === "\u200d" && EMOJI_PART.test(before) && PICTURE.test(next)) ||
      (JOINING.test(before) && JOINING.test(next))
    );
  if (EMOJI_FORM.test(character)) return PICTURE.test(before) || (/[\d#*]/.test(before) && next === "\u20e3");
  return HAN_FORM.test(character) && /\p{Script=Han}/u.test(before);
}

function characterBefore(text: string, at: number): string {
  const pair = text.slice(Math.max(0, at - 2), at);
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(pair) ? pair : pair.slice(-1);
}
