/**
 * Characters that are invisible or change how the text around them is shown: control, bidirectional and ignorable
 * characters, unpaired surrogates.
 */
export const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
/** Without `g`, whose `test` remembers a place. */
export const IS_UNSEEN = new RegExp(UNSEEN.source, "u");

/** Harmless in their place: they join the parts of an emoji or of a letter, or choose its form. */
const JOINER = /[\u200c\u200d]/;
const EMOJI_FORM = /[\ufe0e\ufe0f]/;
const HAN_FORM = /[\ufe00-\ufe0d\u{e0100}-\u{e01ef}]/u;
const MONGOLIAN_FORM = /[\u180b-\u180d\u180f]/;
/** The flags that are spelled in tags: those of Unicode only, because tags can spell any hidden text. */
const TAG = /[\u{e0020}-\u{e007f}]/u;
const SPELLED_FLAG = /^\p{RGI_Emoji_Tag_Sequence}/v;
const BLACK_FLAG = "🏴";
/** In UTF-16 units, of the flags in Unicode's list. */
const LONGEST_FLAG = 14;
const MAY_BELONG = new RegExp(
  [JOINER, EMOJI_FORM, HAN_FORM, MONGOLIAN_FORM, TAG].map(({ source }) => source).join("|"),
  "u",
);
const PICTURE = /\p{Extended_Pictographic}/u;
/** An emoji can continue after these. */
const EMOJI_PART = /[\p{Extended_Pictographic}\p{Emoji_Modifier}]/u;
/** Scripts in which joiners change the form of letters. */
const JOINING_SCRIPTS =
  "Arabic Syriac Mongolian Nko Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala " +
  "Khmer Myanmar Tibetan";
const JOINING = new RegExp(`[${JOINING_SCRIPTS.replaceAll(/(\w+) ?/g, String.raw`\p{Script=$1}`)}]`, "u");

/**
 * Makes a foreign text safe to print on a terminal or a page, on one line: invisible characters and characters that act
 * on the output, line feeds included, are written as `\u202e` or `\u{e0041}`. Applying it twice changes nothing.
 */
export function visible(text: string): string {
  return text.replaceAll(UNSEEN, (character, at: number) =>
    belongsToVisible(character, at, text) ? character : escaped(character),
  );
}

/** {@link visible} for each line of a text of this project, such as a list that contains foreign names. */
export function visibleLines(text: string): string {
  return text.split("\n").map(visible).join("\n");
}

/**
 * Makes JSON safe to print on a terminal: the same value, with JSON escapes for the characters that `JSON.stringify`
 * does not escape.
 */
export function visibleJson(json: string): string {
  return json.replaceAll(UNSEEN, (character, at: number) => {
    if (character === "\n" || belongsToVisible(character, at, json)) return character;
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

/** Whether the character belongs to the emoji or letter before it. */
export function belongsToVisible(character: string, at: number, text: string): boolean {
  // Most can belong to nothing, and a hostile text has a million of them.
  if (!MAY_BELONG.test(character)) return false;
  const before = characterBefore(text, at);
  const after = text.codePointAt(at + character.length);
  const next = after === undefined ? "" : String.fromCodePoint(after);
  if (JOINER.test(character))
    return (
      (character === "\u200d" && endsEmoji(before, at, text) && PICTURE.test(next)) || (joins(before) && joins(next))
    );
  if (EMOJI_FORM.test(character)) return PICTURE.test(before) || (/[\d#*]/.test(before) && next === "\u20e3");
  if (MONGOLIAN_FORM.test(character)) return /\p{Script=Mongolian}/u.test(before) && !IS_UNSEEN.test(before);
  if (TAG.test(character)) return isInFlag(text, at);
  return HAN_FORM.test(character) && /\p{Script=Han}/u.test(before);
}

function isInFlag(text: string, at: number): boolean {
  const from = Math.max(0, at - LONGEST_FLAG);
  const around = text.slice(from, at + LONGEST_FLAG);
  const flag = around.lastIndexOf(BLACK_FLAG, at - from);
  const [spelled = ""] = flag < 0 ? [] : (SPELLED_FLAG.exec(around.slice(flag)) ?? []);
  return from + flag + spelled.length > at;
}

/** Whether an emoji ends here. An escaped form ends none, or a second pass would find the joiner alone. */
function endsEmoji(before: string, at: number, text: string): boolean {
  return EMOJI_PART.test(before) || (before === "\ufe0f" && PICTURE.test(characterBefore(text, at - 1)));
}

/** Whether this is a letter of a joining script that is not escaped itself. */
function joins(character: string): boolean {
  return JOINING.test(character) && !IS_UNSEEN.test(character);
}

function characterBefore(text: string, at: number): string {
  const pair = text.slice(Math.max(0, at - 2), at);
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(pair) ? pair : pair.slice(-1);
}
