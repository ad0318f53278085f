/** Which blocks Bedrock accepts, each judged without its neighbours. */
import { isBlank, isObject, isWord, type JsonObject } from "../../transcript/json/json.ts";
import { hasNewField } from "../../transcript/block-types.ts";
import { SoundnessWalk } from "../../transcript/json/soundness-walk.ts";
import { ANTHROPIC_LIMITS, SIGNATURE } from "../anthropic/blocks.ts";
import { isBase64, type Limits } from "../model.ts";

/** Bedrock's names are shorter than Anthropic's. */
export const LIMITS = { id: ANTHROPIC_LIMITS.id, name: /^[a-zA-Z0-9_-]{1,64}$/, nameLength: 64 };

export const USER_BLOCKS = ["image", "document", "video", "audio", "guardContent", "cachePoint", "searchResult"];
export const ASSISTANT_BLOCKS = ["reasoningContent", "cachePoint", "citationsContent", "guardContent"];
export const RESULT_BLOCKS = ["json", "image", "document", "video", "searchResult"];

/** Returns the kind of a Converse block: the name of its only field; undefined when there are more, or none. */
export function blockKind(block: JsonObject): string | undefined {
  let kind: string | undefined;
  for (const key in block) {
    if (block[key] === undefined) continue;
    if (kind !== undefined) return undefined;
    kind = key;
  }
  return kind;
}

export function isText(block: JsonObject): boolean {
  return blockKind(block) === "text" && typeof block.text === "string" && !isBlank(block.text);
}

/** True for an image with content; bytes are base64 in JSON and a byte array in the SDK's input. */
function isImage(image: unknown): boolean {
  if (!isObject(image) || typeof image.format !== "string" || !isObject(image.source)) return false;
  const { bytes, s3Location } = image.source;
  return (
    isObject(s3Location) ||
    (typeof bytes === "string" ? isBase64(bytes) : ArrayBuffer.isView(bytes) && bytes.byteLength > 0)
  );
}

export function isOpaque(block: JsonObject, kinds: readonly string[], claude = true): boolean {
  const kind = blockKind(block);
  if (kind === undefined || !kinds.includes(kind)) return kind !== undefined && hasNewField(block);
  if (kind === "image") return isImage(block.image);
  if (kind === "reasoningContent") return isReasoning(block.reasoningContent, claude);
  return isObject(block[kind]);
}

/** True for reasoning that the model accepts: Claude requires its signature, other models refuse one. */
function isReasoning(content: unknown, claude: boolean): boolean {
  if (!isObject(content)) return false;
  if (content.redactedContent !== undefined) return true;
  const text = content.reasoningText;
  if (!isObject(text) || typeof text.text !== "string" || isBlank(text.text)) return false;
  return claude ? typeof text.signature === "string" && SIGNATURE.test(text.signature) : text.signature === undefined;
}

/** True for Claude, and where no model is known. */
export function isClaude(model: string): boolean {
  return model === "" || /claude|anthropic/i.test(model);
}

/** True for blank text, which is taken beside other content; a text of no length is refused anywhere. */
export function isBlankText(block: unknown): boolean {
  return isObject(block) && blockKind(block) === "text" && typeof block.text === "string" && block.text !== "";
}

/** True for content beside which blank text is taken. */
export function saysMore(block: unknown): boolean {
  return isObject(block) && (isText(block) || blockKind(block) === "document");
}

/** Kimi's ids, which Bedrock takes from that model. */
const KIMI_ID = /^[a-zA-Z0-9_.:-]{1,64}$/;

/** Returns the limits of ids and names for a model. */
export function limitsFor(model: string): Limits {
  return model === "" || /kimi|moonshot/i.test(model) ? { ...LIMITS, id: KIMI_ID } : LIMITS;
}

/** A call of a tool that the model's server runs, as Nova marks it; its result is in the same message. */
export function isServerCall(block: unknown): boolean {
  return isObject(block) && isObject(block.toolUse) && block.toolUse.type === "server_tool_use";
}

/** Shows the call. */
function isToolUse(block: JsonObject, walk: SoundnessWalk): boolean {
  const use = block.toolUse;
  if (blockKind(block) !== "toolUse" || !isObject(use)) return false;
  walk.fields(use, isCallField);
  return (
    typeof use.toolUseId === "string" &&
    isWord(use.name, LIMITS.nameLength) &&
    isObject(use.input) &&
    walk.isShallow(use.input)
  );
}

/** True for the fields that the rules bind to a form, or show. */
function isCallField(field: string): boolean {
  return field === "toolUseId" || field === "name" || field === "input";
}

/** Shows the result. */
export function isToolResult(block: JsonObject, walk = new SoundnessWalk()): boolean {
  const result = block.toolResult;
  if (blockKind(block) !== "toolResult" || !isObject(result) || typeof result.toolUseId !== "string") return false;
  if (result.status !== undefined && result.status !== "success" && result.status !== "error") return false;
  const { content } = result;
  walk.fields(result, isResultField);
  if (!Array.isArray(content) || content.length === 0) return false;
  for (let at = 0; at < content.length; at++) {
    const part: unknown = content[at];
    if (!isObject(part)) return false;
    if (isPlainText(part, walk)) continue;
    walk.value(part);
    if (!isText(part) && !isOpaque(part, RESULT_BLOCKS)) return false;
  }
  return true;
}

function isResultField(field: string): boolean {
  return field === "status" || field === "content";
}

/** True for a text and nothing else; it is shown. */
function isPlainText(block: JsonObject, walk: SoundnessWalk): boolean {
  for (const key in block) if (key !== "text") return false;
  const { text } = block;
  if (typeof text !== "string" || isBlank(text)) return false;
  walk.text(text);
  return true;
}

/**
 * True for a block that a message of this role may have; the pairing is checked separately. Shows the whole block to
 * `walk`.
 */
export function isKnown(block: unknown, role: unknown, claude: boolean, walk: SoundnessWalk): boolean {
  if (!isObject(block)) return false;
  if (isPlainText(block, walk)) return true;
  // A field that is undefined is not sent, but could have any name.
  if (Object.keys(block).length === 1 && (role === "user" ? isToolResult(block, walk) : isToolUse(block, walk)))
    return true;
  walk.value(block);
  if (isText(block)) return true;
  return role === "user"
    ? isToolResult(block) || isOpaque(block, USER_BLOCKS)
    : isToolUse(block, walk) || isOpaque(block, ASSISTANT_BLOCKS, claude);
}
