import { withoutEnd } from "../../base/without-end.ts";
import { says, type Saying } from "./patterns/saying.ts";
import type { ErrorFacts } from "./read-error.ts";

const MAX_IDS = 200;
const ID = String.raw`[A-Za-z0-9][\w.:|/-]{0,199}`;

/** A part of a pattern, and whose words or ids it is for. */
type Part = readonly [provider: string, part: string];

/** Beginnings of ids; the field `call_id` has one too, hence FIELD_NAMES. */
const PREFIXES: readonly Part[] = [
  ["Anthropic", "toolu|srvtoolu"],
  ["OpenAI", "call"],
  ["vLLM", "chatcmpl-tool"],
  ["Moonshot", String.raw`functions\.`],
  ["OpenAI", "fc|rs|msg|ctc"],
  ["Bedrock", "tooluse"],
];
const BY_PREFIX = new RegExp(String.raw`(?<![\w-])(?:${joined(PREFIXES)})[_-]?[\w.:|-]{2,199}`, "g");
const FIELD_NAMES: readonly Saying[] = [
  ["OpenAI", /^(?:call|msg|rs|fc|functions\.)_?(?:ids?|type|outputs?|arguments|names?|function|items?|ing)?$/i],
  ["OpenAI", /^(?:call|function|msg)(?:[a-z]*)$/i],
];

/** Ids of any form, known by the text before them. */
const NAMED: readonly Saying[] = [
  ["DeepSeek", new RegExp(String.raw`\boutput found for tool call (${ID})`, "gi")],
  ["MiniMax", new RegExp(String.raw`\btool(?: call)? ?_?id ?\(([^()\s]{1,200})\)`, "gi")],
  ["OpenClaw", new RegExp(String.raw`\b(?:tool_?)?(?:call|use)_?id(?:s)?=["'\x60]?(${ID})`, "gi")],
  ["OpenAI", new RegExp(String.raw`\b(?:tool_?)?(?:call|use)_?id["'\x60]?(?: of|:)? ?["'\x60](${ID})["'\x60]`, "gi")],
  ["OpenAI", new RegExp(String.raw`\b(?:item|with id|item id|id)["'\x60]? ["'\x60](${ID})["'\x60]`, "gi")],
];

/** Words that are followed by ids only. */
const BEFORE_IDS: readonly Part[] = [
  ["Anthropic", "immediately after|tool_result[\"'`]* blocks"],
  ["OpenAI", "response messages"],
  ["Bedrock", "duplicate ids|following ids"],
  ["several", "with id|call id"],
  ["Bedrock", "but found"],
];
const SURE_LISTS = new RegExp(`(?:${joined(BEFORE_IDS)}):? `, "gi");

/** Words that other words may follow too; here only a word with a digit counts as an id. */
const BEFORE_WORDS: readonly Part[] = [
  ["OpenAI", "response id"],
  ["Mistral", "tool call id was"],
  ["MiniMax", "(?:tool_?)?call_id:?"],
  ["OpenAI", "function call"],
];
const OTHER_LISTS = new RegExp(`(?:${joined(BEFORE_WORDS)}) `, "gi");
/** What must not follow a name: then it is that of a list in a path, as in `messages[540]`. */
const NO_PATH = String.raw`(?![\w.:|/[-])`;
const NEXT_ID = new RegExp(String.raw`(?!but found)(?:(${ID})${NO_PATH}|["'\x60](${ID})["'\x60])(,?) ?`, "y");

function joined(parts: readonly Part[]): string {
  return parts.map(([, part]) => part).join("|");
}

/** Returns all ids of calls, results and items that an error names, in the error's order, each once. */
export function listNamedIds({ sentences }: ErrorFacts): string[] {
  const found = new Map<string, number>();
  let offset = 0;
  const add = (id: string, at: number): void => {
    const clean = withoutEnd(id, /[.:|/-]/);
    if (clean !== "" && !found.has(clean) && found.size < MAX_IDS) found.set(clean, offset + at);
  };
  for (const sentence of sentences) {
    for (const { 0: id, index } of sentence.matchAll(BY_PREFIX))
      if (/\d|_X/.test(id) && !says(FIELD_NAMES, id)) add(id, index);
    for (const [, words] of NAMED) for (const { 1: id = "", index } of sentence.matchAll(words)) add(id, index);
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
