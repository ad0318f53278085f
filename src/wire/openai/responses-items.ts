/** Which items and parts OpenAI Responses accepts, each judged without its neighbours. */
import { isDeeperThan, MAX_DEPTH } from "../../transcript/json/depth.ts";
import { isBlank, isObject, isWord, type JsonObject } from "../../transcript/json/json.ts";
import { readText } from "../../transcript/json/text.ts";
import { Sound } from "../../transcript/json/sound.ts";
import { isArgumentsText, isPictureUrl, isPlainText, pick, type Limits } from "../model.ts";
import { isBuiltIn, isCall, isCallOutput } from "./responses-calls.ts";

export const LIMITS: Limits = { id: /^[\x21-\x7e]{1,64}$/, name: /^[a-zA-Z0-9_-]{1,64}$/, nameLength: 64 };

const USER_PARTS = new Set(["input_image", "input_file", "input_audio"]);

/** Types of items that the server makes and accepts back as they are. */
export const SERVER_ITEMS = new Set([
  "item_reference",
  "web_search_call",
  "file_search_call",
  "code_interpreter_call",
  "image_generation_call",
  "mcp_call",
  "mcp_list_tools",
  "mcp_approval_request",
  "mcp_approval_response",
  "compaction",
  "context_compaction",
  "tool_search_call",
  "tool_search_output",
  "additional_tools",
]);

/** True for a compaction: the server ignores all items before it. */
export function isCompaction(item: unknown): boolean {
  return isObject(item) && (item.type === "compaction" || item.type === "context_compaction");
}

/** The fields of items and parts; the API refuses others ("Unknown parameter"). */
const FIELDS: Record<string, ReadonlySet<string>> = {
  message: new Set(["type", "role", "content", "id", "status", "phase"]),
  function_call: new Set(["type", "call_id", "name", "arguments", "id", "status", "namespace", "async"]),
  custom_tool_call: new Set(["type", "call_id", "name", "input", "id", "status", "namespace"]),
  function_call_output: new Set(["type", "call_id", "output", "id", "status"]),
  custom_tool_call_output: new Set(["type", "call_id", "output", "id", "status"]),
  reasoning: new Set(["type", "id", "summary", "content", "encrypted_content", "status"]),
  input_text: new Set(["type", "text", "prompt_cache_breakpoint"]),
  summary_text: new Set(["type", "text"]),
  reasoning_text: new Set(["type", "text"]),
  output_text: new Set(["type", "text", "annotations", "logprobs"]),
  refusal: new Set(["type", "refusal"]),
  input_image: new Set(["type", "image_url", "file_id", "detail", "prompt_cache_breakpoint"]),
  input_file: new Set(["type", "file_id", "file_data", "file_url", "filename", "detail", "prompt_cache_breakpoint"]),
};

/** Returns the item or part without fields that its type does not have; the same object when there are none. */
export function strip(item: JsonObject): JsonObject {
  const type = item.type === undefined && typeof item.role === "string" ? "message" : item.type;
  const fields = typeof type === "string" && Object.hasOwn(FIELDS, type) ? FIELDS[type] : undefined;
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
    Array.isArray(parts) &&
    parts.every((part) => isObject(part) && strip(part) === part && part.type === type && typeof part.text === "string")
  );
}

/**
 * True when the API accepts the item, judged without its neighbours. Shows all of it. Only OpenAI's own servers look at
 * the form of item ids.
 */
export function isItem(item: JsonObject, openAi: boolean, sound = new Sound()): boolean {
  const { id } = item;
  if (openAi) {
    if (!isItemId(item)) return false;
  } else if (id !== undefined) {
    if (typeof id !== "string" && id !== null) return false;
    sound.value(id);
  }
  // Nearly all items are of one of these forms: they are judged and shown in one look.
  switch (item.type) {
    case undefined:
    case "message":
      if (isPlainMessage(item, sound)) return true;
      break;
    case "function_call":
      if (isPlainCall(item, sound)) return true;
      break;
    case "function_call_output":
      if (isPlainOutput(item, sound)) return true;
  }
  sound.value(item);
  return isKnownItem(item);
}

function isPlainMessage(item: JsonObject, sound: Sound): boolean {
  for (const key in item)
    if (key !== "type" && key !== "role" && key !== "content" && key !== "id" && key !== "status") return false;
  const { role, content } = item;
  if (!isStatus(item.status)) return false;
  if (role === "assistant") return typeof content !== "string" && areParts(content, "output_text", sound);
  if (role !== "user") return false;
  if (typeof content !== "string") return areParts(content, "input_text", sound);
  sound.text(content);
  return true;
}

function isPlainCall(item: JsonObject, sound: Sound): boolean {
  for (const key in item)
    if (
      key !== "type" &&
      key !== "call_id" &&
      key !== "name" &&
      key !== "arguments" &&
      key !== "id" &&
      key !== "status"
    )
      return false;
  return isCallId(item) && isName(item) && isStatus(item.status) && isArguments(item.arguments, sound);
}

function isPlainOutput(item: JsonObject, sound: Sound): boolean {
  for (const key in item) if (key !== "type" && key !== "call_id" && key !== "output" && key !== "status") return false;
  const { output } = item;
  if (!isCallId(item) || !isStatus(item.status)) return false;
  if (typeof output !== "string") return areParts(output, "input_text", sound);
  sound.text(output);
  return true;
}

/** True for a list of parts that the role may have, by its type of text. Shows them. */
function areParts(content: unknown, type: "input_text" | "output_text", sound: Sound): boolean {
  if (!Array.isArray(content) || content.length === 0) return false;
  for (let at = 0; at < content.length; at++) {
    const part: unknown = content[at];
    if (isObject(part) && isPlainText(part, type, sound)) continue;
    if (!(type === "input_text" ? isUserPart(part) : isAssistantPart(part))) return false;
    sound.value(part);
  }
  return true;
}

function isCallId({ call_id: id }: JsonObject): boolean {
  return isWord(id, LIMITS.nameLength) || (typeof id === "string" && LIMITS.id.test(id));
}

/** True for the JSON of an object, or of a list, as the API takes it too. */
export function isArguments(text: unknown, sound?: Sound): boolean {
  return isArgumentsText(text, sound) || (typeof text === "string" && text.startsWith("[") && isListText(text));
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

function isKnownItem(item: JsonObject): boolean {
  if (strip(item) !== item) return false;
  if (isMessageItem(item)) {
    if (!isStatus(item.status)) return false;
    const { role, content } = item;
    if (typeof content === "string") return ["user", "assistant", "system", "developer"].includes(role as string);
    if (!Array.isArray(content) || content.length === 0) return false;
    return role === "assistant"
      ? content.every(isAssistantPart)
      : ["user", "system", "developer"].includes(role as string) && content.every(isUserPart);
  }
  switch (item.type) {
    case "function_call":
      return isCallId(item) && isName(item) && isArguments(item.arguments) && isStatus(item.status);
    case "custom_tool_call":
      return isCallId(item) && isName(item) && typeof item.input === "string" && isStatus(item.status);
    case "function_call_output":
    case "custom_tool_call_output":
      return isCallId(item) && isOutput(item.output) && isStatus(item.status);
    case "reasoning":
      return (
        isStatus(item.status) &&
        areTexts(item.summary, "summary_text") &&
        (item.content === undefined || item.content === null || areTexts(item.content, "reasoning_text"))
      );
    default:
      return isCall(item) || isCallOutput(item)
        ? isCallId(item) && isBuiltIn(item) === true
        : SERVER_ITEMS.has(item.type as string);
  }
}

const STATUS = new Set<unknown>([undefined, null, "in_progress", "completed", "incomplete"]);

function isStatus(status: unknown): boolean {
  return STATUS.has(status);
}

/** Types of items whose status the API checks. */
const WITH_STATUS = new Set([
  undefined,
  "message",
  "reasoning",
  ...["function_call", "custom_tool_call"].flatMap((type) => [type, `${type}_output`]),
]);

/** Returns the item without a status that the API does not have; the same item when its status is valid. */
export function withoutBadStatus(item: JsonObject): JsonObject {
  if (isStatus(item.status) || !WITH_STATUS.has(item.type as string | undefined)) return item;
  const { status: _status, ...rest } = item;
  return rest;
}

/** The prefixes of item ids, by type. */
const ID_PREFIX: Record<string, string> = {
  function_call: "fc",
  custom_tool_call: "ctc",
  message: "msg",
  reasoning: "rs",
};

export function isItemId(item: JsonObject): boolean {
  const { id, type = "message" } = item;
  const prefix = Object.hasOwn(ID_PREFIX, type as string) ? ID_PREFIX[type as string] : undefined;
  if (id === undefined || prefix === undefined) return true;
  return isWord(id, LIMITS.nameLength) && id.startsWith(prefix);
}

export function isOutput(output: unknown): boolean {
  return typeof output === "string" || (Array.isArray(output) && output.length > 0 && output.every(isUserPart));
}

/** What an item is behind reasoning: what the reasoning led to, a message that the client may have made, or neither. */
export type Behind = "made" | "message" | "other";

export function behindReasoning(item: unknown): Behind {
  if (!isObject(item)) return "other";
  if (item.type === undefined) return item.role === "assistant" ? "message" : "other";
  if (typeof item.type !== "string") return "other";
  const isMade =
    item.type === "reasoning" || (item.type === "message" && item.role === "assistant") || item.type.endsWith("_call");
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
    behindReasoning(item) !== "other" ||
    SERVER_ITEMS.has(item.type as string) ||
    (isMessageItem(item) && item.role === "assistant")
  );
}

/** Returns the item without its id; a reference keeps it. */
export function withoutId(item: JsonObject): JsonObject {
  const { id: _id, ...rest } = item;
  return item.type === "item_reference" ? item : rest;
}
