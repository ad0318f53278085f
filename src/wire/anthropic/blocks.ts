/** Which blocks Anthropic accepts, each judged without its neighbours. */
import { isDeeperThan, MAX_DEPTH } from "../../transcript/json/depth.ts";
import { isBlank, isObject, isWord, wordSet, type JsonObject } from "../../transcript/json/json.ts";
import { hasNewType, SERVER_BLOCKS, SERVER_CALLS, SERVER_RESULTS } from "../../transcript/block-types.ts";
import type { SoundnessWalk } from "../../transcript/json/soundness-walk.ts";
import { isTextInBase64 } from "../pictures.ts";
import { isBase64, isPlainText, pick, type Limits } from "../model.ts";

const ID_LENGTH = 64;

/** Anthropic's limits, which Bedrock shares. */
export const ANTHROPIC_LIMITS: Limits = {
  id: /^[a-zA-Z0-9_-]{1,64}$/,
  name: /^[a-zA-Z0-9_-]{1,128}$/,
  nameLength: 128,
};

export const USER_MEDIA = new Set(["image", "document", "search_result", "container_upload"]);
export const RESULT_MEDIA = new Set(["image", "document", "search_result", "tool_reference"]);

/** The fields of each block; the API refuses others ("Extra inputs are not permitted"). */
const FIELDS: ReadonlyMap<unknown, ReadonlySet<string>> = new Map(
  Object.entries({
    text: wordSet("type text cache_control citations"),
    image: wordSet("type source cache_control"),
    document: wordSet("type source title context citations cache_control"),
    search_result: wordSet("type source title content citations cache_control"),
    tool_use: wordSet("type id name input cache_control caller toolset_name"),
    tool_result: wordSet("type tool_use_id content is_error cache_control"),
    tool_reference: wordSet("type tool_name cache_control"),
    thinking: wordSet("type thinking signature"),
    redacted_thinking: wordSet("type data"),
  }),
);
export const MESSAGE_FIELDS = wordSet("role content reasoning_content");

/** Returns the block without fields that its type does not have; the same block when there are none. */
export function strip(block: JsonObject): JsonObject {
  const fields = FIELDS.get(block.type);
  return fields ? pick(block, fields) : block;
}

/** Text appended to a message that would end with thinking. */
export const CUT_OFF_TEXT = "[The answer was cut off here.]";

/** An image may have 5 MB; base64 takes four characters for three bytes. */
const MAX_PICTURE = Math.floor((5 * 1024 * 1024 * 4) / 3);

function isPicture(mediaType: unknown): boolean {
  return (
    mediaType === "image/png" || mediaType === "image/jpeg" || mediaType === "image/gif" || mediaType === "image/webp"
  );
}

/** Signatures are base64; for some compatible servers OpenClaw's adapter sends the name of a field instead. */
export const SIGNATURE = /^[A-Za-z0-9+/_=-]+$/;

export function isText(block: JsonObject): boolean {
  return block.type === "text" && typeof block.text === "string" && !isBlank(block.text);
}

export function isMedia(block: JsonObject, types: Set<string>, claude = false): boolean {
  if (!types.has(block.type as string)) return false;
  if (block.type !== "image") return true;
  const { source } = block;
  if (!isObject(source)) return false;
  if (source.type !== "base64") return typeof source.type === "string";
  return (
    isPicture(source.media_type) &&
    isBase64(source.data) &&
    source.data.length <= MAX_PICTURE &&
    !(claude && isTextInBase64(source.data))
  );
}

export function isThinking(block: JsonObject): boolean {
  return (
    block.type === "thinking" &&
    typeof block.thinking === "string" &&
    typeof block.signature === "string" &&
    SIGNATURE.test(block.signature)
  );
}

/** Changes of what a model may call, in instructions between the messages. */
const TOOL_CHANGES = new Set(["tool_addition", "tool_removal"]);

/** True for a block that instructions between the messages may have. Shows it. */
export function isInstruction(block: unknown, walk: SoundnessWalk): boolean {
  if (!isObject(block)) return false;
  walk.value(block);
  return (isText(block) && strip(block) === block) || TOOL_CHANGES.has(block.type as string) || hasNewType(block);
}

export function isThought(block: JsonObject): boolean {
  return block.type === "thinking" || block.type === "redacted_thinking";
}

/** Shows the call's input. */
function isToolUse(block: JsonObject, walk: SoundnessWalk): boolean {
  return (
    block.type === "tool_use" &&
    isWord(block.id, ID_LENGTH) &&
    isWord(block.name, ANTHROPIC_LIMITS.nameLength) &&
    isObject(block.input) &&
    walk.isShallow(block.input)
  );
}

/** Shows the result's id and content. */
export function isToolResult(block: JsonObject, claude: boolean, walk: SoundnessWalk): boolean {
  if (block.type !== "tool_result" || typeof block.tool_use_id !== "string") return false;
  walk.text(block.tool_use_id);
  if (block.is_error !== undefined && typeof block.is_error !== "boolean") return false;
  const { content } = block;
  // The API refuses an error without content.
  if (
    block.is_error === true &&
    (content === undefined || content === "" || (Array.isArray(content) && content.length === 0))
  )
    return false;
  if (content === undefined) return true;
  if (typeof content === "string") {
    walk.text(content);
    return true;
  }
  if (!Array.isArray(content)) return false;
  for (let at = 0; at < content.length; at++) {
    // A hole is no part, and is sent as null.
    const part: unknown = content[at];
    if (!isObject(part)) return false;
    if (isPlainText(part, "text", walk)) continue;
    walk.value(part);
    if (strip(part) !== part || !(isText(part) || isMedia(part, RESULT_MEDIA, claude) || hasNewType(part)))
      return false;
  }
  return true;
}

function isPlainCall(block: JsonObject, walk: SoundnessWalk): boolean {
  for (const key in block) if (key !== "type" && key !== "id" && key !== "name" && key !== "input") return false;
  return isToolUse(block, walk);
}

function isPlainResult(block: JsonObject, claude: boolean, walk: SoundnessWalk): boolean {
  for (const key in block)
    if (key !== "type" && key !== "tool_use_id" && key !== "content" && key !== "is_error") return false;
  return isToolResult(block, claude, walk);
}

/** Ids of calls by Anthropic's own server; servers of other providers use other ids. */
const SERVER_ID = /^srvtoolu_[a-zA-Z0-9_]+$/;

/** True for a block that the server made, with all fields that the server requires back. */
export function isServerBlock(block: JsonObject, claude: boolean): boolean {
  const type = block.type as string;
  if (SERVER_CALLS.has(type)) {
    if (
      !isId(block.id) ||
      typeof block.name !== "string" ||
      block.name === "" ||
      !isObject(block.input) ||
      isDeeperThan(block.input, MAX_DEPTH)
    )
      return false;
    return type === "mcp_tool_use"
      ? typeof block.server_name === "string"
      : !claude || SERVER_ID.test(block.id as string);
  }
  if (SERVER_RESULTS.has(type))
    return (
      isId(block.tool_use_id) &&
      (isObject(block.content) || Array.isArray(block.content) || typeof block.content === "string")
    );
  if (type === "redacted_thinking") return typeof block.data === "string" && block.data !== "";
  return SERVER_BLOCKS.has(type);
}

function isId(id: unknown): boolean {
  return isWord(id, ID_LENGTH);
}

/** True for a block that a message of this role may have; the pairing of calls and results is checked separately. */
export function isKnown(block: unknown, role: unknown, claude: boolean, walk: SoundnessWalk): boolean {
  if (!isObject(block)) return false;
  // Nearly all blocks are of one of these forms: they are judged and shown in one look.
  if (isPlainText(block, "text", walk)) return true;
  if (role === "user" ? isPlainResult(block, claude, walk) : isPlainCall(block, walk)) return true;
  walk.value(block);
  if (strip(block) !== block) return false;
  if (isText(block) || hasNewType(block)) return true;
  if (role === "user") return isToolResult(block, claude, walk) || isMedia(block, USER_MEDIA, claude);
  return isToolUse(block, walk) || isThinking(block) || isServerBlock(block, claude);
}

/** True for the fields that the rules look at themselves. */
export function isShown(field: string): boolean {
  return field === "role" || field === "content";
}

/** True for a message with no other fields, as nearly all are. */
export function hasOnlyShown(message: JsonObject): boolean {
  for (const key in message) if (key !== "role" && key !== "content") return false;
  return true;
}

/** True for blank text, as a server's tool leaves it between other blocks of the assistant. */
export function isBlankText(block: unknown): boolean {
  if (!isObject(block) || block.type !== "text" || strip(block) !== block) return false;
  return typeof block.text === "string" && block.text !== "";
}
