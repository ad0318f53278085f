/** Reads what systemd makes of `Environment=` in a unit and its drop-ins, and writes the drop-in of the hook. */

/** One value of NODE_OPTIONS in a unit, as systemd reads it but with its % specifiers left as they are. */
export interface UnitEnvironment {
  readonly nodeOptions: string | undefined;
  /** Paths of `EnvironmentFile=`, which override `Environment=`, without the `-` for files that may be missing. */
  readonly files: readonly string[];
  /** The command of `ExecStart=`, split into words. */
  readonly command: readonly string[];
}

const NAME = "NODE_OPTIONS=";

/** Reads a unit and its drop-ins in the order in which systemd does: the unit, then the drop-ins by name. */
export function readUnit(texts: readonly string[]): UnitEnvironment {
  let nodeOptions: string | undefined;
  let files: string[] = [];
  let command: readonly string[] = [];
  for (const { key, value } of texts.flatMap(readSettings)) {
    if (key === "ExecStart") command = splitWords(value.replace(/^[-@:+!|]+/, ""));
    else if (key === "EnvironmentFile") files = value === "" ? [] : [...files, value.replace(/^-/, "")];
    else if (key === "Environment") {
      // An empty assignment forgets all before it.
      if (value === "") nodeOptions = undefined;
      for (const word of splitWords(value)) if (word.startsWith(NAME)) nodeOptions = word.slice(NAME.length);
    }
  }
  return { nodeOptions, files, command };
}

/** The text of the drop-in. `nodeOptions` has its % specifiers as {@link readUnit} left them. */
export function dropIn(nodeOptions: string): string {
  const escaped = nodeOptions.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
  return [
    "# Written by: openclaw-integrity service install",
    "# Removed by: openclaw-integrity service remove (before openclaw-integrity is uninstalled)",
    "[Service]",
    `Environment="${NAME}${escaped}"`,
    "",
  ].join("\n");
}

/** Makes a text stand for itself where systemd expands % specifiers. */
export function escapeSpecifiers(text: string): string {
  return text.replaceAll("%", "%%");
}

/** A text of a unit, in which `%%` stands for `%`. */
export function unescapeSpecifiers(text: string): string {
  return text.replaceAll("%%", "%");
}

interface Setting {
  readonly key: string;
  readonly value: string;
}

/** The settings of the section [Service], with continued lines joined. */
function readSettings(text: string): readonly Setting[] {
  const settings: Setting[] = [];
  let section = "";
  let continued = "";
  for (const physical of text.split(/\r?\n/)) {
    if (/^\s*[#;]/.test(physical)) continue;
    const line = continued + physical;
    continued = "";
    if (line.endsWith("\\")) {
      continued = `${line.slice(0, -1)} `;
      continue;
    }
    const trimmed = line.trim();
    if (trimmed.startsWith("[")) section = trimmed;
    const equals = trimmed.indexOf("=");
    if (section === "[Service]" && equals > 0)
      settings.push({ key: trimmed.slice(0, equals).trim(), value: trimmed.slice(equals + 1).trim() });
  }
  return settings;
}

/** Splits a value into words: blanks separate, quotes group, a backslash escapes. */
function splitWords(text: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]!;
    if (character === "\\" && at + 1 < text.length) word = (word ?? "") + text[(at += 1)]!;
    else if (quote !== undefined && character === quote) quote = undefined;
    else if (quote === undefined && word === undefined && (character === '"' || character === "'")) {
      quote = character;
      word = "";
    } else if (quote === undefined && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + character;
  }
  return word === undefined ? words : [...words, word];
}
