/** Which messages and parts chat servers accept, each judged without its neighbours. */
import { isBlank, isObject, type JsonObject } from "../../transcript/json/json.ts";
import { hasOnly, isArgumentsText, isPictureUrl, pick, type Limits } from "../model.ts";

export const LIMITS: Limits = { id: /^[\x21-\x7e]{1,40}$/, name: /^[a-zA-Z0-9_-]{1,64}$/, nameLength: 64 };
export const MISTRAL_LIMITS: Limits = { ...LIMITS, id: /^[a-zA-Z0-9]{9}$/ };

/** Models whose servers require the reasoning to be sent back with the calls that it led to. */
const THINKING_MODELS = /deepseek|kimi|moonshot|mimo/i;
const MISTRAL_MODELS = /mistral|mixtral|codestral|devstral|magistral|ministral|pixtral/i;

/** Text of the assistant message that Mistral requires between a tool result and a user message. */
export const AFTER_TOOLS_TEXT = "[The tool results were received.]";

const USER_PARTS = new Set(["image_url", "input_audio", "file", "video_url"]);

/** The fields of messages, including those of compatible servers; strict servers refuse others. */
export const MESSAGE_FIELDS = new Set(
  (
    "role content name tool_calls tool_call_id refusal audio annotations prefix cache_control copilot_cache_control " +
    "reasoning_content reasoning reasoning_text reasoning_details thinking"
  ).split(" "),
);
const PART_FIELDS: Record<string, ReadonlySet<string>> = {
  text: new Set(["type", "text", "cache_control"]),
  refusal: new Set(["type", "refusal"]),
  image_url: new Set(["type", "image_url", "cache_control"]),
};
export const CALL_FIELDS = new Set(["id", "type", "function", "index", "extra_content"]);
export const FUNCTION_FIELDS = new Set(["name", "arguments", "thought_signature"]);

/** Returns the part without fields that its type does not have; the same part when there are none. */
export function strip(part: JsonObject): JsonObject {
  const fields =
    typeof part.type === "string" && Object.hasOwn(PART_FIELDS, part.type) ? PART_FIELDS[part.type] : undefined;
  return fields ? pick(part, fields) : part;
}

export function limitsFor(model: string): Limits {
  return MISTRAL_MODELS.test(model) ? MISTRAL_LIMITS : LIMITS;
}

/** True when the model's server checks for reasoning, and the request shows that thinking is on. */
export function wantsReasoning(body: JsonObject, model: string, messages: readonly unknown[]): boolean {
  if (!THINKING_MODELS.test(model)) return false;
  if (isObject(body.thinking)) return body.thinking.type !== "disabled";
  return (
    body.reasoning_effort !== undefined ||
    messages.some((message) => isObject(message) && typeof message.reasoning_content === "string")
  );
}

export function isTextPart(part: unknown): part is JsonObject {
  return (
    isObject(part) &&
    part.type === "text" &&
    typeof part.text === "string" &&
    !isBlank(part.text) &&
    strip(part) === part
  );
}

export function isUserPart(part: unknown): part is JsonObject {
  if (!isObject(part)) return false;
  if (!USER_PARTS.has(part.type as string)) return isTextPart(part);
  const media = part[part.type as string];
  if (part.type !== "image_url") return isObject(media);
  if (strip(part) !== part) return false;
  return isObject(media) && isPictureUrl(media.url);
}

export function isAssistantPart(part: unknown): part is JsonObject {
  return (
    isTextPart(part) ||
    (isObject(part) && part.type === "refusal" && typeof part.refusal === "string" && strip(part) === part)
  );
}

function isCall(call: unknown, limits: Limits): call is JsonObject {
  if (!isObject(call) || typeof call.id !== "string" || !limits.id.test(call.id) || call.type !== "function")
    return false;
  const { function: called } = call;
  if (!hasOnly(call, CALL_FIELDS) || !isObject(called) || !hasOnly(called, FUNCTION_FIELDS)) return false;
  return typeof called.name === "string" && limits.name.test(called.name) && isArgumentsText(called.arguments);
}

export function isToolContent(content: unknown): boolean {
  return typeof content === "string" || (Array.isArray(content) && content.length > 0 && content.every(isTextPart));
}

export function isSystem(message: JsonObject): boolean {
  return message.role === "system" || message.role === "developer";
}

/** True when servers accept the message, judged without its neighbours. */
export function isMessage(message: JsonObject, limits: Limits): boolean {
  const { role, content, tool_calls: calls } = message;
  if (!hasOnly(message, MESSAGE_FIELDS)) return false;
  switch (role) {
    case "system":
    case "developer":
      return typeof content === "string"
        ? !isBlank(content)
        : Array.isArray(content) && content.length > 0 && content.every(isTextPart);
    case "user":
      return typeof content === "string"
        ? !isBlank(content)
        : Array.isArray(content) && content.length > 0 && content.every(isUserPart);
    case "tool":
      return typeof message.tool_call_id === "string" && isToolContent(content);
    case "assistant": {
      if (
        calls !== undefined &&
        (!Array.isArray(calls) || calls.length === 0 || !calls.every((call) => isCall(call, limits)))
      )
        return false;
      if (Array.isArray(content)) return content.length > 0 && content.every(isAssistantPart);
      if (typeof content === "string" && !isBlank(content)) return true;
      return (content === null || content === undefined || content === "") && calls !== undefined;
    }
    default:
      return false;
  }
}
