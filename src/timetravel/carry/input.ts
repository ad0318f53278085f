import { splitLines, nameInline, quotedInline } from "../../base/quoted.ts";
import { isObject, type JsonObject, toWord } from "../../transcript/json/json.ts";

/** Characters of a text that stands for the whole call, of one among several, and of a whole input. */
const MAX_ALONE = 240;
const MAX_VALUE = 120;
const MAX_INPUT = 400;
/** How many fields of an input are looked at, however deep they lie, and characters of each name. */
const MAX_FIELDS = 200;
const MAX_NAME = 80;

/** Fields that say what a call does as a whole; the others only say how. */
const COMMANDS: ReadonlySet<string> = new Set(["command", "cmd", "script"]);

/** Names of fields that say what a call acts on, the most telling first; all others follow as they stand. */
const TELLING: readonly string[] = [
  ...COMMANDS,
  "action",
  "path",
  "file_path",
  "filePath",
  "file",
  "url",
  "to",
  "target",
  "channel",
  "sessionKey",
  "name",
  "id",
  "query",
  "message",
  "text",
  "task",
  "input",
];

/** What the name of a field, in lower case and without marks, has in it when its text gives access to something. */
const SECRET_NAMES = /passw|passphrase|secret|token|apikey|accesskey|privatekey|authorization|credential|cookie/;

interface Field {
  readonly name: string;
  readonly value: string | number | bigint | boolean;
  /** The place of the field in the order of telling names. */
  readonly rank: number;
}

/**
 * The input of a call on one line: a command first, then the fields by name, those that say on what the call acts
 * before the others. A text that is long or has several lines is cut, or where its name tells nothing only its length
 * is said; a text under the name of a secret is `***`. Foreign words are quoted. Bounded in length; deterministic.
 */
export function inputInline(input: unknown): string {
  if (input === undefined || input === null) return "";
  if (!isObject(input)) return quotedInline(toWord(input), MAX_ALONE);
  const { fields: found, hasMore } = listInputFields(input);
  const fields = found.toSorted((one, other) => one.rank - other.rank);
  const shown: string[] = [];
  let length = 0;
  for (const [at, field] of fields.entries()) {
    const text = at === 0 && isWhole(field, fields.length) ? valueText(field, MAX_ALONE) : named(field);
    length += text.length + 2;
    if (at > 0 && length > MAX_INPUT) {
      return [...shown, `and ${fields.length - at}${hasMore ? " or" : ""} more`].join(", ");
    }
    shown.push(text);
  }
  return [...shown, ...(hasMore ? ["and more"] : [])].join(", ");
}

/** Whether the text of a field stands without its name. */
function isWhole({ name, rank }: Field, count: number): boolean {
  return COMMANDS.has(name) || (count === 1 && rank < TELLING.length);
}

function named(field: Field): string {
  const { name, value, rank } = field;
  const isLong = typeof value === "string" && (value.length > MAX_VALUE || splitLines(value).length > 1);
  if (isLong && rank === TELLING.length && !isSecret(field)) return `${nameInline(name)} of ${value.length} characters`;
  return `${nameInline(name)} ${valueText(field, MAX_VALUE)}`;
}

function valueText(field: Field, limit: number): string {
  if (isSecret(field)) return "***";
  return typeof field.value === "string" ? quotedInline(field.value, limit) : String(field.value);
}

function isSecret({ name, value }: Field): boolean {
  return typeof value === "string" && SECRET_NAMES.test(name.toLowerCase().replaceAll(/[^a-z.]/g, ""));
}

/** The first values of an input that are no containers, each by its path, in the order in which they stand. */
function listInputFields(input: JsonObject): { readonly fields: readonly Field[]; readonly hasMore: boolean } {
  const fields: Field[] = [];
  let hasMore = false;
  const open: { readonly name: string; readonly value: unknown }[] = [{ name: "", value: input }];
  for (let looked = 0; open.length > 0 && looked < MAX_FIELDS; looked++) {
    const { name, value } = open.pop()!;
    if (typeof value === "object" && value !== null) {
      const keys = Object.keys(value);
      hasMore ||= keys.length > MAX_FIELDS;
      for (const key of keys.slice(0, MAX_FIELDS).toReversed()) {
        const inner = key.slice(0, MAX_NAME);
        open.push({ name: name === "" ? inner : `${name}.${inner}`, value: (value as JsonObject)[key] });
      }
    } else if (isTelling(value)) {
      const rank = TELLING.indexOf(name);
      fields.push({ name, value, rank: rank < 0 ? TELLING.length : rank });
    }
  }
  return { fields, hasMore: hasMore || open.length > 0 };
}

function isTelling(value: unknown): value is Field["value"] {
  if (typeof value === "string") return value.trim() !== "";
  return typeof value === "number" || typeof value === "boolean" || typeof value === "bigint";
}
