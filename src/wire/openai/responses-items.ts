/** Which items and parts OpenAI Responses accepts, each judged without its neighbours. */
import { isDeeperThan, MAX_DEPTH } from "../../transcript/json/depth.ts";
import { isBlank, isObject, isWord, wordSet, type JsonObject } from "../../transcript/json/json.ts";
import { hasNewType } from "../../transcript/block-types.ts";
import { readText } from "../../transcript/json/text.ts";
import { SoundnessWalk } from "../../transcript/json/soundness-walk.ts";
import { isArgumentsText, isPictureUrl, isPlainText, pick, type Limits } from "../model.ts";
import { isBuiltIn, isCall, isCallOutput, isTextOrNone } from "./responses-calls.ts";

export const LIMITS: Limits = { id: /^[\x21-\x7e]{1,64}$/, name: /^[a-zA-Z0-9_-]{1,64}$/, nameLength: 64 };

/** Types of items that the server makes and accepts back as they are. */
export const SERVER_ITEMS = wordSet(
  "item_reference web_search_call file_search_call code_interpreter_call image_generation_call mcp_call " +
    "mcp_list_tools mcp_approval_request mcp_approval_response compaction context_compaction tool_search_call " +
    "tool_search_output additional_tools",
);

/** A type of items whose fields are known: the API refuses others ("Unknown parameter"), and checks the status. */
interface ItemType {
  readonly fields: ReadonlySet<string>;
  /** What the ids of such items begin with. */
  readonly prefix?: string;
  /** The field that {@link isValid} shows; it judges this field, the role, the name and the id of the call. */
  readonly shown?: string;
  isValid(item: JsonObject, walk: SoundnessWalk): boolean;
}

const OUTPUT: ItemType = {
  fields: wordSet("type call_id output id status"),
  shown: "output",
  isValid: (item, walk) => isCallId(item) && isOutput(item.output, walk),
};

/** The items that the client or the model makes. Calls of built-in tools are in responses-calls.ts. */
const ITEMS: ReadonlyMap<unknown, ItemType> = new Map(
  Object.entries<ItemType>({
    message: {
      fields: wordSet("type role content id status phase"),
      prefix: "msg",
      shown: "content",
      isValid: isMessage,
    },
    reasoning: {
      fields: wordSet("type id summary content encrypted_content status"),
      prefix: "rs",
      isValid: ({ summary, content }) =>
        areTexts(summary, "summary_text") &&
        (content === undefined || content === null || areTexts(content, "reasoning_text")),
    },
    function_call: {
      fields: wordSet("type call_id name arguments id status namespace async"),
      prefix: "fc",
      shown: "arguments",
      isValid: (item, walk) => isCallId(item) && isName(item) && isArguments(item.arguments, walk),
    },
    function_call_output: OUTPUT,
    custom_tool_call: {
      fields: wordSet("type call_id name input id status namespace"),
      prefix: "ctc",
      isValid: (item) => isCallId(item) && isName(item) && typeof item.input === "string",
    },
    custom_tool_call_output: OUTPUT,
  }),
);

/** The fields of parts. */
const PARTS: ReadonlyMap<unknown, ReadonlySet<string>> = new Map(
  Object.entries({
    input_text: wordSet("type text prompt_cache_breakpoint"),
    summary_text: wordSet("type text"),
    reasoning_text: wordSet("type text"),
    output_text: wordSet("type text annotations logprobs"),
    refusal: wordSet("type refusal"),
    input_image: wordSet("type image_url file_id detail prompt_cache_breakpoint"),
    input_file: wordSet("type file_id file_data file_url filename detail prompt_cache_breakpoint"),
  }),
);
const USER_PARTS = new Set(["input_image", "input_file", "input_audio"]);

/** Returns the type of an item; one without a type is a message. */
function findItemType({ type = "message" }: JsonObject): ItemType | undefined {
  return ITEMS.get(type);
}

/** True for a compaction: the server ignores all items before it. */
export function isCompaction(item: unknown): boolean {
  return isObject(item) && (item.type === "compaction" || item.type === "context_compaction");
}

/** Returns the item or part without fields that its type does not have; the same object when there are none. */
export function strip(item: JsonObject): JsonObject {
  const { type, role } = item;
  const isUntyped = type === undefined && typeof role !== "string";
  const fields = PARTS.get(type) ?? (isUntyped ? undefined : findItemType(item)?.fields);
  return fields ? pick(item, fields) : item;
}

function isTextPart(part: JsonObject, type: string): boolean {
  return part.type === type && typeof part.text === "string";
}

export function isUserPart(part: unknown): boolean {
  if (!isObject(part) || strip(part) !== part) return false;
  if (!USER_PARTS.has(part.type as string)) return isTextPart(part, "input_text");
  if (part.type !== "input_image") return true;
  const { image_url: url, file_id: file } = part;
  return isPictureUrl(url) || typeof file === "string";
}

export function isAssistantPart(part: unknown): boolean {
  return (
    isObject(part) &&
    strip(part) === part &&
    (isTextPart(part, "output_text") || (part.type === "refusal" && typeof part.refusal === "string"))
  );
}

export function isMessageItem(item: JsonObject): boolean {
  return (item.type === undefined || item.type === "message") && typeof item.role === "string";
}

function areTexts(parts: unknown, type: string): boolean {
  return (
    Array.isArray(parts) && parts.every((part) => isObject(part) && strip(part) === part && isTextPart(part, type))
  );
}

/**
 * True when the API accepts the item, judged without its neighbours. Shows all of it. Only OpenAI's own servers look at
 * the form of item ids.
 */
export function isItem(item: JsonObject, openAi: boolean, walk = new SoundnessWalk()): boolean {
  if (openAi ? !isItemId(item) : !isTextOrNone(item.id)) return false;
  const own = findItemType(item);
  if (!own) {
    walk.value(item);
    if (isCall(item) || isCallOutput(item)) return isCallId(item) && isBuiltIn(item) === true;
    return SERVER_ITEMS.has(item.type as string) || hasNewType(item);
  }
  const { fields, shown } = own;
  for (const key in item) {
    if (!fields.has(key)) {
      if (item[key] !== undefined) return false;
      walk.text(key);
    } else if (key !== shown && !isJudged(key)) walk.value(item[key]);
  }
  return isStatus(item.status) && own.isValid(item, walk);
}

/** True for a field that can only be one of some words, or letters that every server takes. */
function isJudged(key: string): boolean {
  return key === "type" || key === "role" || key === "status" || key === "call_id" || key === "name";
}

function isMessage({ role, content }: JsonObject, walk: SoundnessWalk): boolean {
  if (role !== "user" && role !== "assistant" && role !== "system" && role !== "developer") return false;
  if (typeof content !== "string") return areParts(content, role === "assistant" ? "output_text" : "input_text", walk);
  walk.text(content);
  return true;
}

/** True for a list of parts that the role may have, by its type of text. Shows them. */
function areParts(content: unknown, type: "input_text" | "output_text", walk: SoundnessWalk): boolean {
  if (!Array.isArray(content) || content.length === 0) return false;
  for (let at = 0; at < content.length; at++) {
    const part: unknown = content[at];
    if (isObject(part) && isPlainText(part, type, walk)) continue;
    if (!isObject(part)) return false;
    if (!(type === "input_text" ? isUserPart(part) : isAssistantPart(part)) && !hasNewType(part)) return false;
    walk.value(part);
  }
  return true;
}

function isCallId({ call_id: id }: JsonObject): boolean {
  return isWord(id, LIMITS.nameLength) || (typeof id === "string" && LIMITS.id.test(id));
}

/** True for the JSON of an object, or of a list, as the API takes it too. */
export function isArguments(text: unknown, walk?: SoundnessWalk): boolean {
  return isArgumentsText(text, walk) || (typeof text === "string" && text.startsWith("[") && isListText(text));
}

function isListText(text: string): boolean {
  try {
    return !isDeeperThan(JSON.parse(text), MAX_DEPTH);
  } catch {
    return false;
  }
}

function isName({ name }: JsonObject): boolean {
  return isWord(name, LIMITS.nameLength);
}

const STATUS = new Set<unknown>([undefined, null, "in_progress", "completed", "incomplete"]);

function isStatus(status: unknown): boolean {
  return STATUS.has(status);
}

/** Returns the item without a status that the API does not have; the same item when its status is valid. */
export function withoutBadStatus(item: JsonObject): JsonObject {
  if (isStatus(item.status) || !findItemType(item)) return item;
  const { status: _status, ...rest } = item;
  return rest;
}

export function isItemId(item: JsonObject): boolean {
  const { id } = item;
  if (id === undefined) return true;
  const prefix = findItemType(item)?.prefix;
  return prefix === undefined || (isWord(id, LIMITS.nameLength) && id.startsWith(prefix));
}

/** Shows the output. */
export function isOutput(output: unknown, walk = new SoundnessWalk()): boolean {
  if (typeof output !== "string") return areParts(output, "input_text", walk);
  walk.text(output);
  return true;
}

/** What an item is behind reasoning: what the reasoning led to, a message that the client may have made, or neither. */
export type Behind = "made" | "message" | "other";

export function behindReasoning(item: unknown): Behind {
  if (!isObject(item)) return "other";
  if (item.type === undefined) return item.role === "assistant" ? "message" : "other";
  if (typeof item.type !== "string") return "other";
  const isMade =
    item.type === "reasoning" ||
    (item.type === "message" && item.role === "assistant") ||
    item.type.endsWith("_call") ||
    hasNewType(item);
  return isMade ? "made" : "other";
}

/**
 * True for reasoning that may stand before such an item. A message without `type` is an input of the client, before
 * which OpenAI takes no reasoning that it knows by its id.
 */
export function mayLeadTo({ id }: JsonObject, behind: Behind, openAi: boolean): boolean {
  return behind === "made" || (behind === "message" && (id === undefined || !openAi));
}

/** Returns what reasoning says: its summary, or its text where the server gives that. */
export function wordsOfReasoning({ summary, content }: JsonObject): string {
  const words = readText(summary);
  return isBlank(words) && Array.isArray(content) ? readText(content) : words;
}

/** Whether an item belongs to the assistant's side of the history. */
export function isAssistantSide(item: JsonObject): boolean {
  return (
    (behindReasoning(item) !== "other" && !hasNewType(item)) ||
    SERVER_ITEMS.has(item.type as string) ||
    (isMessageItem(item) && item.role === "assistant")
  );
}

/** Returns the item without its id; a reference keeps it. */
export function withoutId(item: JsonObject): JsonObject {
  const { id: _id, ...rest } = item;
  return item.type === "item_reference" ? item : rest;
}
