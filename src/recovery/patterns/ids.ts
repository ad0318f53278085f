import { withoutEnd } from "../../base/without-end.ts";
import type { ErrorFacts } from "../read-error.ts";

const MAX_IDS = 200;
const ID = String.raw`[A-Za-z0-9][\w.:|/-]{0,199}`;

/** Ids with a known prefix; the field `call_id` has such a prefix too, hence FIELD_NAME. */
const BY_PREFIX =
  /(?<![\w-])(?:toolu|srvtoolu|call|chatcmpl-tool|functions\.|fc|rs|msg|ctc|tooluse)[_-]?[\w.:|-]{2,199}/g;
const FIELD_NAME =
  /^(?:call|msg|rs|fc|functions\.)_?(?:ids?|type|output|outputs|arguments|name|names|function|item|items|ing)?$|^(?:call|function|msg)(?:[a-z]*)$/i;
/** Ids of any form, known by the text before them. */
const NAMED = [
  new RegExp(String.raw`\btool(?: call)? ?_?id ?\(([^()\s]{1,200})\)`, "gi"),
  new RegExp(String.raw`\b(?:tool_?)?(?:call|use)_?id(?:s)?=["'\x60]?(${ID})`, "gi"),
  new RegExp(String.raw`\b(?:tool_?)?(?:call|use)_?id["'\x60]?(?: of|:)? ?["'\x60](${ID})["'\x60]`, "gi"),
  new RegExp(String.raw`\b(?:item|with id|item id|id)["'\x60]? ["'\x60](${ID})["'\x60]`, "gi"),
];
/** Words that are followed by ids only. */
const SURE_LISTS =
  /(?:immediately after|tool_result["'`]* blocks|response messages|duplicate ids|following ids|with id|call id|but found):? /gi;
/** Words that other words may follow too; here only a word with a digit counts as an id. */
const OTHER_LISTS = /(?:response id|tool call id was|(?:tool_?)?call_id:?|function call) /gi;
const NEXT_ID = new RegExp(String.raw`(?!but found)(?:(${ID})|["'\x60](${ID})["'\x60])(,?) ?`, "y");

/** Returns all ids of calls, results and items that an error names, in the error's order, each once. */
export function idsOf({ sentences }: ErrorFacts): string[] {
  const found = new Map<string, number>();
  let offset = 0;
  const add = (id: string, at: number): void => {
    const clean = withoutEnd(id, /[.:|/-]/);
    if (clean !== "" && !found.has(clean) && found.size < MAX_IDS) found.set(clean, offset + at);
  };
  for (const sentence of sentences) {
    for (const { 0: id, index } of sentence.matchAll(BY_PREFIX))
      if (/\d|_X/.test(id) && !FIELD_NAME.test(id)) add(id, index);
    for (const pattern of NAMED) for (const { 1: id = "", index } of sentence.matchAll(pattern)) add(id, index);
    for (const { 0: words, index } of sentence.matchAll(SURE_LISTS))
      addList(sentence, index + words.length, words.endsWith(": "), add);
    for (const { 0: words, index } of sentence.matchAll(OTHER_LISTS))
      addList(sentence, index + words.length, false, add);
    offset += sentence.length;
  }
  return [...found].toSorted((one, other) => one[1] - other[1]).map(([id]) => id);
}

function addList(sentence: string, start: number, isSure: boolean, add: (id: string, at: number) => void): void {
  NEXT_ID.lastIndex = start;
  for (let count = 0; count < MAX_IDS; count++) {
    const at = NEXT_ID.lastIndex;
    const match = NEXT_ID.exec(sentence);
    const id = match?.[1] ?? match?.[2];
    if (id === undefined || (!isSure && !/\d/.test(id))) return;
    add(id, at);
    if (match?.[3] !== ",") return;
  }
}
