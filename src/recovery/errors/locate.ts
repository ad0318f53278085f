import { isObject, toJson } from "../../transcript/json/json.ts";

/** Fields that hold an id of a call or of a provider's item, in every spelling. */
const ID_FIELDS = new Set(["id", "call_id", "tool_call_id", "tool_use_id", "toolCallId", "toolUseId", "tool_id"]);
const WORD_FIELDS = new Set(["text", "content", "thinking", "output", "refusal"]);
const ARGUMENT_FIELDS = new Set(["arguments", "input", "args"]);

/** Shorter texts ("ok", "yes") are too frequent to identify a message. */
const MIN_TEXT_LENGTH = 12;

/** What identifies a message after an adapter has brought it into another form. */
export interface Marks {
  ids: Set<string>;
  words: Set<string>;
}

/** Returns the ids, texts and arguments in any JSON: a message of OpenClaw, or a message or item of a request body. */
export function collectMarks(value: unknown): Marks {
  const marks: Marks = { ids: new Set(), words: new Set() };
  collect(value, undefined, marks, 0);
  return marks;
}

function collect(value: unknown, field: string | undefined, marks: Marks, depth: number): void {
  if (depth > 20) return;
  if (typeof value === "string") {
    if (field === undefined || WORD_FIELDS.has(field)) addWord(value, marks);
    else if (ID_FIELDS.has(field)) addIds(value, marks);
    else if (ARGUMENT_FIELDS.has(field)) addWord(value, marks);
    return;
  }
  if (Array.isArray(value)) {
    for (const item of value) collect(item, field, marks, depth + 1);
    return;
  }
  if (!isObject(value)) return;
  for (const [key, child] of Object.entries(value)) {
    if (ARGUMENT_FIELDS.has(key) && isObject(child)) addWord(toJson(child), marks);
    else collect(child, key, marks, depth + 1);
  }
}

/** Adds an id. For Responses OpenClaw joins the ids of call and item, `call_1|fc_1`; both are added. */
function addIds(id: string, marks: Marks): void {
  for (const part of id.split("|")) if (part !== "") marks.ids.add(part);
}

function addWord(word: string, marks: Marks): void {
  if (word.length >= MIN_TEXT_LENGTH) marks.words.add(word);
}

/** True when both have an id in common, or a text, where one of them has no ids. */
export function haveInCommon(one: Marks, other: Marks): boolean {
  if (overlap(one.ids, other.ids)) return true;
  return (one.ids.size === 0 || other.ids.size === 0) && overlap(one.words, other.words);
}

function overlap(one: Set<string>, other: Set<string>): boolean {
  for (const item of one) if (other.has(item)) return true;
  return false;
}
