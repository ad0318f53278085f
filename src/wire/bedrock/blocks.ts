/** Which blocks Bedrock accepts, each judged without its neighbours. */
import { isDeeperThan, MAX_DEPTH } from "../../transcript/json/depth.ts";
import { isBlank, isObject, type JsonObject } from "../../transcript/json/json.ts";
import { ANTHROPIC_LIMITS, SIGNATURE } from "../anthropic/blocks.ts";
import { isBase64 } from "../model.ts";

/** Bedrock's names are shorter than Anthropic's. */
export const LIMITS = { id: ANTHROPIC_LIMITS.id, name: /^[a-zA-Z0-9_-]{1,64}$/, nameLength: 64 };

export const USER_BLOCKS = ["image", "document", "video", "audio", "guardContent", "cachePoint", "searchResult"];
export const ASSISTANT_BLOCKS = ["reasoningContent", "cachePoint", "citationsContent", "guardContent"];
export const RESULT_BLOCKS = ["json", "image", "document", "video", "searchResult"];

/** Returns the kind of a Converse block: the name of its only field; undefined when there are more, or none. */
export function kindOf(block: JsonObject): string | undefined {
  let kind: string | undefined;
  for (const key in block) {
    if (block[key] === undefined) continue;
    if (kind !== undefined) return undefined;
    kind = key;
  }
  return kind;
}

export function isText(block: JsonObject): boolean {
  return kindOf(block) === "text" && typeof block.text === "string" && !isBlank(block.text);
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
  const kind = kindOf(block);
  if (kind === undefined || !kinds.includes(kind)) return false;
  if (kind === "image") return isImage(block.image);
  if (kind === "reasoningContent") return isReasoning(block.reasoningContent, claude);
  return kind === "json" ? true : isObject(block[kind]);
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

function isToolUse(block: JsonObject): boolean {
  const use = block.toolUse;
  return (
    kindOf(block) === "toolUse" &&
    isObject(use) &&
    typeof use.toolUseId === "string" &&
    LIMITS.id.test(use.toolUseId) &&
    typeof use.name === "string" &&
    LIMITS.name.test(use.name) &&
    isObject(use.input) &&
    !isDeeperThan(use.input, MAX_DEPTH)
  );
}

export function isToolResult(block: JsonObject): boolean {
  const result = block.toolResult;
  if (kindOf(block) !== "toolResult" || !isObject(result) || typeof result.toolUseId !== "string") return false;
  if (result.status !== undefined && result.status !== "success" && result.status !== "error") return false;
  const { content } = result;
  return (
    Array.isArray(content) &&
    content.length > 0 &&
    content.every((part) => isObject(part) && (isText(part) || isOpaque(part, RESULT_BLOCKS)))
  );
}

export function isKnown(block: unknown, role: unknown, claude: boolean): boolean {
  if (!isObject(block)) return false;
  if (isText(block)) return true;
  return role === "user"
    ? isToolResult(block) || isOpaque(block, USER_BLOCKS)
    : isToolUse(block) || isOpaque(block, ASSISTANT_BLOCKS, claude);
}
