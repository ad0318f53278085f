/** OpenAI Responses: the rules that a body breaks, and a body that breaks none. */
import { freshId } from "../../transcript/json/hash.ts";
import { isBlank, isObject, toArguments, type JsonObject } from "../../transcript/json/json.ts";
import { hasNewType } from "../../transcript/block-types.ts";
import type { SoundnessWalk } from "../../transcript/json/soundness-walk.ts";
import { idKey } from "../../transcript/read.ts";
import { readText } from "../../transcript/json/text.ts";
import {
  callBlock,
  collector,
  FROM,
  placed,
  opaqueMedia,
  opaqueThought,
  resultMessage,
  textBlock,
  thoughtInWords,
  type Block,
  type BodyMessage,
  type Dialect,
} from "../model.ts";
import { callsBeside, listContent, isAssistantRole, toItems, wholeResult } from "../foreign.ts";
import { isDeepSeek, isOpenAi, type Target } from "../target.ts";
import { conformName } from "../turns.ts";
import { answers, readCallId, isBuiltIn, isCall, isCallOutput, outputText, readCall } from "./responses-calls.ts";
import {
  LIMITS,
  SERVER_ITEMS,
  strip,
  isUserPart,
  isAssistantPart,
  isAssistantSide,
  isCompaction,
  isMessageItem,
  isItem,
  wordsOfReasoning,
  behindReasoning,
  mayLeadTo,
  withoutBadStatus,
  withoutId,
} from "./responses-items.ts";
import { writeBody } from "./responses-write.ts";

function checkBody(body: JsonObject, target: Target, walk: SoundnessWalk): ReturnType<Dialect["check"]> {
  const { violations, report } = collector();
  const { input } = body;
  // The server holds the history that such a request continues, so that its calls need not be in the body.
  if (typeof body.previous_response_id === "string" || body.conversation) {
    walk.isSound = false;
    return violations;
  }
  if (typeof input === "string" && !isBlank(input)) {
    walk.text(input);
    return violations;
  }
  // A prompt that the server holds needs no input.
  if ((input === undefined || input === null) && isObject(body.prompt)) return violations;
  if (!Array.isArray(input)) return [{ rule: "history_type", path: "input" }];
  if (input.length === 0) return [{ rule: "history_empty", path: "input" }];
  const openAi = isOpenAi(target);
  const adjacent = isDeepSeek(target);
  /** The calls without an output, by their ids. */
  const open = new Map<string, { type: unknown; index: number }>();
  let hasReference = false;
  const used = new Set<string>();
  const itemIds = new Set<string>();
  for (let index = 0; index < input.length; index++) {
    const item: unknown = input[index];
    if (!isObject(item) || !isItem(item, openAi, walk)) {
      report("invalid_item", "input", index);
      continue;
    }
    hasReference ||= item.type === "item_reference";
    if (openAi && typeof item.id === "string" && item.type !== "item_reference") {
      if (itemIds.has(item.id)) report("duplicate_item_id", "input", index);
      itemIds.add(item.id);
    }
    if (adjacent && open.size > 0 && !isCall(item) && !isCallOutput(item)) report("output_place", "input", index);
    // Not looked up for the most frequent type.
    if (item.type === undefined || item.type === "message") continue;
    if (isCall(item)) {
      if (used.has(item.call_id as string)) report("duplicate_call_id", "input", index);
      used.add(item.call_id as string);
      open.set(item.call_id as string, { type: item.type, index });
    } else if (isCallOutput(item)) {
      const call = open.get(item.call_id as string);
      // What a reference stands for may be the call.
      if (answers(item, call?.type)) open.delete(item.call_id as string);
      else if (!hasReference || call) report("unexpected_output", "input", index);
    } else if (item.type === "reasoning" && !mayLeadTo(item, behindReasoning(input[index + 1]), openAi))
      report("reasoning_item", "input", index);
  }
  for (const { index } of open.values()) report("missing_output", "input", index);
  return violations;
}

/** Reads a message item; `stored` has also the fields that the API does not know. */
function readMessage(item: JsonObject, stored: JsonObject, openAi: boolean): BodyMessage {
  const calls = callsBeside(stored);
  const parts = listContent(stored).map((part) => (isObject(part) ? strip(part) : part));
  if (isAssistantRole(item.role)) {
    const blocks = parts.map((part) => {
      if (typeof part === "string") return { type: "text", text: part };
      if (isObject(part) && hasNewType(part)) return opaqueThought(part);
      return isAssistantPart(part) ? textBlock(readText(part), part as JsonObject) : part;
    });
    return {
      role: "assistant",
      content: [...(isItem(item, openAi) ? [opaqueThought(item)] : blocks), ...calls],
    } as BodyMessage;
  }
  return {
    role: "user",
    content: isItem(item, openAi) ? [opaqueMedia(item)] : parts.map(userBlock),
  } as BodyMessage;
}

function userBlock(part: unknown): Block {
  if (!isObject(part) || !(isUserPart(part) || hasNewType(part))) return part as Block;
  return part.type === "input_text" ? textBlock(part.text as string, part) : opaqueMedia(part);
}

function readOutput(item: JsonObject, id: unknown): BodyMessage {
  if (isBuiltIn(item) !== undefined)
    return resultMessage(id, undefined, [textBlock(outputText(item), item)], false, item);
  const output = (Array.isArray(item.output) ? item.output : [item.output]).map((part: unknown) =>
    isObject(part) ? strip(part) : part,
  );
  const parts = output.map((part) => {
    if (typeof part === "string") return { type: "text", text: part };
    return userBlock(part);
  });
  return resultMessage(
    id,
    undefined,
    parts.filter((part) => part !== undefined && part !== null),
    false,
    item,
  );
}

/**
 * Returns new ids, by index, for outputs that a compaction separates from every call with their id: a call behind the
 * compaction is another one.
 */
function idsBehindCompaction(items: readonly unknown[]): Map<number, string> {
  const known = new Set<unknown>();
  const taken = new Set<string>();
  const lonely: number[] = [];
  let waiting = new Map<unknown, number[]>();
  items.forEach((item, index) => {
    if (!isObject(item)) return;
    if (isCompaction(item)) {
      for (const indices of waiting.values()) for (const at of indices) lonely.push(at);
      waiting = new Map();
      return;
    }
    const id = isCall(item) ? item.call_id : isCallOutput(item) ? readCallId(item) : undefined;
    taken.add(idKey(id));
    if (isCall(item)) {
      known.add(id);
      waiting.delete(id);
    } else if (isCallOutput(item) && !known.has(id)) {
      const list = waiting.get(id);
      if (list) list.push(index);
      else waiting.set(id, [index]);
    }
  });
  return new Map(lonely.map((at) => [at, freshId(idKey(readCallId(items[at] as JsonObject)), at, taken)]));
}

/** Returns the next item that says something: an empty message is not sent. */
function nextSaid(items: readonly unknown[], index: number): unknown {
  let next = index + 1;
  while (next < items.length && isEmpty(items[next])) next++;
  return items[next];
}

function isEmpty(item: unknown): boolean {
  return isObject(item) && Array.isArray(item.content) && item.content.length === 0;
}

/** Returns the ids of outputs whose calls the server holds: a reference stands before them, and no call. */
function idsOfStored(items: readonly unknown[]): Set<unknown> {
  const ids = new Set<unknown>();
  let hasReference = false;
  for (const item of items) {
    if (!isObject(item)) continue;
    hasReference ||= item.type === "item_reference";
    if (hasReference && isCallOutput(item)) ids.add(item.call_id);
  }
  for (const item of items) if (isObject(item) && isCall(item)) ids.delete(item.call_id);
  return ids;
}

/** Reads items; consecutive ones of the assistant become one message, so that their calls are in one turn. */
function readBody(body: JsonObject, target: Target): BodyMessage[] {
  const items = toItems(body.input);
  const openAi = isOpenAi(target);
  const stored = idsOfStored(items);
  const messages: BodyMessage[] = [];
  let at = 0;
  const add = (message: unknown): void => {
    for (const own of placed([message as BodyMessage], at, items[at])) messages.push(own);
  };
  const assistantSide = (blocks: unknown[]): void => {
    const last = messages.at(-1);
    if (!isObject(last) || last.role !== "assistant" || !last[FROM]) add({ role: "assistant", content: blocks });
    else {
      for (const block of blocks) (last.content as unknown[]).push(block);
      last[FROM].last = at;
    }
  };
  // The server finds reasoning by the ids of the items behind it: without the reasoning these ids are removed too.
  let lost = false;
  const ownIds = idsBehindCompaction(items);
  items.forEach((given, index) => {
    at = index;
    const known = isObject(given) ? withoutBadStatus(strip(given)) : given;
    const item = lost && isObject(known) && isAssistantSide(known) ? withoutId(known) : known;
    const result = isObject(given) && isMessageItem(given) ? wholeResult(given) : undefined;
    if (!isObject(item)) add(item);
    else if (result) add(result);
    else if (isCallOutput(item) && stored.has(item.call_id)) add({ role: "user", content: [opaqueMedia(item)] });
    else if (isCallOutput(item)) add(readOutput(item, ownIds.get(index) ?? readCallId(item)));
    else if (isCall(item) && isBuiltIn(item) === false) assistantSide([{ type: "text", text: readText(item) }]);
    else if (isCall(item)) {
      const call = readCall(given as JsonObject);
      assistantSide([
        callBlock(
          item.call_id,
          conformName(readText(call.name), LIMITS.name, LIMITS.nameLength),
          toArguments(call.input),
          item,
        ),
      ]);
    } else if (isMessageItem(item)) {
      const message = readMessage(item, given as JsonObject, openAi);
      if (message.role === "assistant") assistantSide(message.content as unknown[]);
      else add(message);
    } else if (item.type === "reasoning") {
      // The server refuses reasoning without the item that it led to; its summary is kept as text.
      const keep = isItem(item, openAi) && mayLeadTo(item, behindReasoning(nextSaid(items, index)), openAi);
      lost = !keep;
      assistantSide([keep ? opaqueThought(item) : textBlock(thoughtInWords(wordsOfReasoning(item)))]);
    } else if (SERVER_ITEMS.has(item.type as string) || hasNewType(item)) assistantSide([opaqueThought(item)]);
    else add({ ...item, role: "user", content: [item] });
  });
  return messages;
}

/** OpenAI Responses, also Azure's and Codex's. */
export const responses: Dialect = {
  field: "input",
  limits: () => LIMITS,
  check: checkBody,
  read: readBody,
  write: writeBody,
};
