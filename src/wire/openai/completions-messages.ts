/** Which messages and parts chat servers accept, each judged without its neighbours. */
import { isBlank, isObject, wordSet, type JsonObject } from "../../transcript/json/json.ts";
import { hasNewType } from "../../transcript/block-types.ts";
import { SoundnessWalk } from "../../transcript/json/soundness-walk.ts";
import { isArgumentsText, isPictureUrl, isPlainText, pick, type Limits } from "../model.ts";
import { isMistral, isOpenAi, isUnknown, takesRareFields, takesSilence, type Target } from "../target.ts";

const LIMITS: Limits = { id: /^[\x21-\x7e]{1,512}$/, name: /^[a-zA-Z0-9_-]{1,64}$/, nameLength: 64 };
const OPENAI_LIMITS: Limits = { ...LIMITS, id: /^[\x21-\x7e]{1,40}$/ };
const MISTRAL_LIMITS: Limits = { ...LIMITS, id: /^[a-zA-Z0-9]{9}$/ };

/** Models whose servers require the reasoning to be sent back with the calls that it led to. */
const THINKING_MODELS = /deepseek|kimi|moonshot|mimo/i;
/** Perplexity's models, and those whose server or chat template takes nothing but user and assistant in turn. */
const ALTERNATING_MODELS = /(?:^|\/)sonar|deepseek-(?:reasoner|r1)|gemma|llama-?2|vicuna/i;

/** Parts that hold media: an address, or an object with one. */
const ADDRESS_PARTS = new Set(["image_url", "video_url", "document_url", "file_url"]);
const OBJECT_PARTS = new Set(["input_audio", "file"]);

/** The fields of a message, a call and its function; a server refuses others, or does not know them. */
export interface KnownFields {
  readonly message: ReadonlySet<string>;
  readonly call: ReadonlySet<string>;
  readonly function: ReadonlySet<string>;
}

/** The fields of messages, including those of compatible servers; strict servers refuse others. */
export const MESSAGE_FIELDS = wordSet(
  "role content name tool_calls function_call tool_call_id refusal audio annotations prefix cache_control " +
    "copilot_cache_control reasoning_content reasoning reasoning_text reasoning_details thinking phase",
);
const FIELDS: KnownFields = {
  message: MESSAGE_FIELDS,
  call: wordSet("id type function custom index extra_content cache_control"),
  function: wordSet("name arguments thought_signature"),
};
/** With Moonshot's and DashScope's mark of an answer to go on with, and LiteLLM's signed thinking and signatures. */
const RARE_FIELDS: KnownFields = {
  message: new Set([...FIELDS.message, "partial", "thinking_blocks", "provider_specific_fields"]),
  call: new Set([...FIELDS.call, "provider_specific_fields"]),
  function: new Set([...FIELDS.function, "provider_specific_fields"]),
};
const PART_FIELDS: ReadonlyMap<unknown, ReadonlySet<string>> = new Map(
  Object.entries({
    text: wordSet("type text cache_control prompt_cache_breakpoint"),
    refusal: wordSet("type refusal"),
    image_url: wordSet("type image_url cache_control prompt_cache_breakpoint"),
  }),
);

/** Returns the part without fields that its type does not have; the same part when there are none. */
export function strip(part: JsonObject): JsonObject {
  const fields = PART_FIELDS.get(part.type);
  return fields && !saysOnly(part, fields) ? pick(part, fields) : part;
}

/** True when a part has no field that its type does not have, but null for the content of another type. */
function saysOnly(part: JsonObject, known: ReadonlySet<string>): boolean {
  for (const key in part) {
    if (known.has(key) || part[key] === undefined) continue;
    if (part[key] !== null || !PART_FIELDS.has(key)) return false;
  }
  return true;
}

export function limitsFor(target: Target): Limits {
  if (isMistral(target)) return MISTRAL_LIMITS;
  return isOpenAi(target) && !isUnknown(target) ? OPENAI_LIMITS : LIMITS;
}

/** True where user and assistant must speak in turn, the user first. */
export function isAlternating({ model, host }: Target): boolean {
  return ALTERNATING_MODELS.test(model) || host.endsWith("perplexity.ai");
}

/** Text of an assistant message between the results of tools and a user message. */
export const AFTER_TOOLS_TEXT = "[The tool results were received.]";

/**
 * True where the assistant must speak between the results of tools and the user: Mistral's models, but not the small.
 */
export function speaksAfterTools(target: Target): boolean {
  return isMistral(target) && !/mistral-small/i.test(target.model);
}

/** True where the history must not end with this message: no server takes it for the beginning of the answer. */
export function mayNotEnd({ prefix }: JsonObject, target: Target): boolean {
  return target.neverPrefills || ((isMistral(target) || isAlternating(target)) && prefix !== true);
}

/** What a server takes that others refuse. */
export interface Leniency {
  /** Pictures in the result of a tool. */
  resultPictures: boolean;
  /** The address of a picture without an object around it, thinking as a part, and empty lists of parts and calls. */
  mistral: boolean;
  /** A text of the user's that says nothing. */
  silence: boolean;
  fields: KnownFields;
}

export function chooseLeniency(target: Target): Leniency {
  return {
    resultPictures: isUnknown(target) || !(isOpenAi(target) || isMistral(target)),
    mistral: isUnknown(target) || isMistral(target),
    silence: takesSilence(target),
    fields: takesRareFields(target) ? RARE_FIELDS : FIELDS,
  };
}

/** True when the model's server checks for reasoning, and the request shows that thinking is on. */
export function wantsReasoning(body: JsonObject, { model }: Target, messages: readonly unknown[]): boolean {
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

/** True for a part that every role may have. */
export function isInstructionPart(part: unknown): part is JsonObject {
  return isTextPart(part) || (isObject(part) && hasNewType(part));
}

export function isUserPart(part: unknown, { mistral }: Leniency): part is JsonObject {
  if (!isObject(part)) return false;
  const { type } = part;
  const media = part[type as string];
  if (OBJECT_PARTS.has(type as string)) return isObject(media);
  if (!ADDRESS_PARTS.has(type as string)) return isInstructionPart(part);
  if (strip(part) !== part) return false;
  if (type !== "image_url") return typeof media === "string" || isObject(media);
  return isObject(media) ? isPictureUrl(media.url) : mistral && isPictureUrl(media);
}

export function isAssistantPart(part: unknown, { mistral }: Leniency): part is JsonObject {
  if (isInstructionPart(part)) return true;
  if (!isObject(part) || strip(part) !== part) return false;
  return (
    (part.type === "refusal" && typeof part.refusal === "string") ||
    (mistral && part.type === "thinking" && Array.isArray(part.thinking))
  );
}

/** True for a part of a tool's result. */
export function isResultPart(part: unknown, lenient: Leniency): part is JsonObject {
  return isInstructionPart(part) || (lenient.resultPictures && isUserPart(part, lenient));
}

function isCall(call: unknown, limits: Limits, { fields }: Leniency, walk: SoundnessWalk): call is JsonObject {
  if (!isObject(call) || typeof call.id !== "string" || !limits.id.test(call.id)) return false;
  const kind = call.type === "custom" ? "custom" : "function";
  if (call.type !== kind) return false;
  for (const key in call) {
    if (key === "id" || key === "type" || key === kind) continue;
    if (!isShownField(call, key, fields.call, walk)) return false;
  }
  const called = call[kind];
  if (!isObject(called)) return false;
  if (kind === "custom") {
    walk.value(called);
    return typeof called.name === "string" && typeof called.input === "string";
  }
  for (const key in called) {
    if (key === "name" || key === "arguments") continue;
    if (!isShownField(called, key, fields.function, walk)) return false;
  }
  return typeof called.name === "string" && limits.name.test(called.name) && isArgumentsText(called.arguments, walk);
}

/** Shows a field; false when the server does not know it. */
function isShownField(object: JsonObject, key: string, known: ReadonlySet<string>, walk: SoundnessWalk): boolean {
  const value = object[key];
  if (!known.has(key) && value !== undefined) return false;
  walk.text(key);
  walk.value(value);
  return true;
}

type IsPart = (part: unknown, lenient: Leniency) => boolean;

/** True for a text that is not blank, or a list of parts. Shows it. */
function isWordy(content: unknown, walk: SoundnessWalk, isPart: IsPart, lenient: Leniency): boolean {
  if (typeof content !== "string") return areParts(content, walk, isPart, lenient);
  walk.text(content);
  return !isBlank(content);
}

/** True for a message of the user's without words, where that is taken. */
export function saysNothing({ role, content }: JsonObject, { silence }: Leniency): boolean {
  return silence && role === "user" && typeof content === "string" && isBlank(content);
}

function areParts(content: unknown, walk: SoundnessWalk, isPart: IsPart, lenient: Leniency): boolean {
  if (!Array.isArray(content) || content.length === 0) return false;
  for (let at = 0; at < content.length; at++) {
    const part: unknown = content[at];
    if (isObject(part) && isPlainText(part, "text", walk)) continue;
    if (!isPart(part, lenient)) return false;
    walk.value(part);
  }
  return true;
}

/** Shows the content. */
export function isToolContent(content: unknown, lenient: Leniency, walk = new SoundnessWalk()): boolean {
  if (typeof content !== "string") return areParts(content, walk, isResultPart, lenient);
  walk.text(content);
  return true;
}

/** True for content that says nothing, as a message with calls may have it. Shows it. */
function isNoContent(content: unknown, walk: SoundnessWalk, { mistral }: Leniency): boolean {
  if (content === null || content === undefined) return true;
  if (Array.isArray(content)) return mistral && content.length === 0;
  if (typeof content !== "string" || !isBlank(content)) return false;
  walk.text(content);
  return true;
}

export function isSystem(message: JsonObject): boolean {
  return message.role === "system" || message.role === "developer";
}

/** True for an assistant message that says something without content: audio by id, a refusal, or a function's call. */
function speaksBeside({ audio, refusal, function_call: called }: JsonObject): boolean {
  if (isObject(audio) || (typeof refusal === "string" && !isBlank(refusal))) return true;
  return isObject(called) && typeof called.name === "string" && isArgumentsText(called.arguments);
}

/** True when servers accept the message, judged without its neighbours. Shows the whole message to `walk`. */
export function isMessage(message: JsonObject, limits: Limits, lenient: Leniency, walk = new SoundnessWalk()): boolean {
  const { role, content, tool_calls: calls } = message;
  for (const key in message) {
    if (key === "role" || key === "content" || (key === "tool_calls" && role === "assistant")) continue;
    if (!isShownField(message, key, lenient.fields.message, walk)) return false;
  }
  switch (role) {
    case "system":
    case "developer":
      return isWordy(content, walk, isInstructionPart, lenient);
    case "user":
      return isWordy(content, walk, isUserPart, lenient) || saysNothing(message, lenient);
    case "tool":
      return typeof message.tool_call_id === "string" && isToolContent(content, lenient, walk);
    case "assistant": {
      let hasCalls = false;
      if (calls !== undefined && calls !== null) {
        if (!Array.isArray(calls) || (calls.length === 0 && !lenient.mistral)) return false;
        for (let at = 0; at < calls.length; at++) if (!isCall(calls[at], limits, lenient, walk)) return false;
        hasCalls = calls.length > 0;
      }
      if (isNoContent(content, walk, lenient)) return hasCalls || speaksBeside(message);
      return isWordy(content, walk, isAssistantPart, lenient);
    }
    case "function":
      return typeof message.name === "string" && isToolContent(content, lenient, walk);
    default:
      return false;
  }
}
