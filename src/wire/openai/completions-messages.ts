/** Which messages and parts chat servers accept, each judged without its neighbours. */
import { isBlank, isObject, type JsonObject } from "../../transcript/json/json.ts";
import { Sound } from "../../transcript/json/sound.ts";
import { isArgumentsText, isPictureUrl, isPlainText, pick, type Limits } from "../model.ts";

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

function isCall(call: unknown, limits: Limits, sound: Sound): call is JsonObject {
  if (!isObject(call) || typeof call.id !== "string" || !limits.id.test(call.id) || call.type !== "function")
    return false;
  for (const key in call) {
    if (key === "id" || key === "type" || key === "function") continue;
    if (!isShownField(call, key, CALL_FIELDS, sound)) return false;
  }
  const { function: called } = call;
  if (!isObject(called)) return false;
  for (const key in called) {
    if (key === "name" || key === "arguments") continue;
    if (!isShownField(called, key, FUNCTION_FIELDS, sound)) return false;
  }
  return typeof called.name === "string" && limits.name.test(called.name) && isArgumentsText(called.arguments, sound);
}

/** Shows a field; false when the server does not know it. */
function isShownField(object: JsonObject, key: string, known: ReadonlySet<string>, sound: Sound): boolean {
  const value = object[key];
  if (!known.has(key) && value !== undefined) return false;
  sound.text(key);
  sound.value(value);
  return true;
}

/** True for a text that is not blank, or a list of parts. Shows it. */
function isWordy(content: unknown, sound: Sound, isPart: (part: unknown, sound: Sound) => boolean): boolean {
  if (typeof content !== "string") return areParts(content, sound, isPart);
  sound.text(content);
  return !isBlank(content);
}

function areParts(content: unknown, sound: Sound, isPart: (part: unknown, sound: Sound) => boolean): boolean {
  if (!Array.isArray(content) || content.length === 0) return false;
  for (let at = 0; at < content.length; at++) {
    const part: unknown = content[at];
    if (isObject(part) && isPlainText(part, "text", sound)) continue;
    if (!isPart(part, sound)) return false;
    sound.value(part);
  }
  return true;
}

/** Shows the content. */
export function isToolContent(content: unknown, sound = new Sound()): boolean {
  if (typeof content !== "string") return areParts(content, sound, isTextPart);
  sound.text(content);
  return true;
}

export function isSystem(message: JsonObject): boolean {
  return message.role === "system" || message.role === "developer";
}

/** True when servers accept the message, judged without its neighbours. Shows all of it. */
export function isMessage(message: JsonObject, limits: Limits, sound = new Sound()): boolean {
  const { role, content, tool_calls: calls } = message;
  for (const key in message) {
    if (key === "role" || key === "content" || (key === "tool_calls" && role === "assistant")) continue;
    if (key === "tool_call_id") sound.value(message.tool_call_id);
    else if (!isShownField(message, key, MESSAGE_FIELDS, sound)) return false;
  }
  switch (role) {
    case "system":
    case "developer":
      return isWordy(content, sound, isTextPart);
    case "user":
      return isWordy(content, sound, isUserPart);
    case "tool":
      return typeof message.tool_call_id === "string" && isToolContent(content, sound);
    case "assistant": {
      if (calls !== undefined) {
        if (!Array.isArray(calls) || calls.length === 0) return false;
        for (let at = 0; at < calls.length; at++) if (!isCall(calls[at], limits, sound)) return false;
      }
      if (content === null || content === undefined || content === "") return calls !== undefined;
      return isWordy(content, sound, isAssistantPart);
    }
    default:
      return false;
  }
}
