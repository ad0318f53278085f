/** What is known of Gemini's rules for single parts, without regard to the parts beside them. */
import { isObject, wordSet, type JsonObject } from "../../transcript/json/json.ts";
import { hasNewField } from "../../transcript/block-types.ts";
import { SoundnessWalk } from "../../transcript/json/soundness-walk.ts";
import { hasOnly, type Limits } from "../model.ts";

/** Limits of the ids and names that heal() makes. `check` refuses other names too, and of ids only the empty one. */
export const LIMITS: Limits = { id: /^[\x21-\x7e]{1,512}$/, name: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/, nameLength: 64 };

/** The fields of a part that hold its content: one of them, or none beside a thought's signature or `videoMetadata`. */
const DATA_FIELDS = [
  ..."text inlineData fileData functionCall functionResponse".split(" "),
  ..."executableCode codeExecutionResult toolCall toolResponse".split(" "),
];

/** The placeholder that Google documents for calls whose thought signature is unknown. */
export const NO_SIGNATURE = "skip_thought_signature_validator";

const BESIDE = "thoughtSignature videoMetadata partMetadata mediaResolution".split(" ");

export const PART_FIELDS: ReadonlySet<string> = new Set([...DATA_FIELDS, ...BESIDE, "thought"]);
const CALL_FIELDS = wordSet("id name args");
export const RESPONSE_FIELDS = wordSet("id name response parts scheduling willContinue");

/** Returns the field that holds the content; undefined if there is none or more than one. */
export function dataField(part: JsonObject): string | undefined {
  let found: string | undefined;
  for (const field of DATA_FIELDS) {
    if (part[field] === undefined) continue;
    if (found !== undefined) return undefined;
    found = field;
  }
  return found;
}

/** The names of fields that the server also takes in snake case. */
const SNAKE = new Map(
  [...DATA_FIELDS, ...BESIDE].flatMap((name) => {
    const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return snake === name ? [] : [[snake, name] as const];
  }),
);

/** Returns a part with the names of its fields in camel case; the same part where they are. */
export function inCamelCase(part: unknown): unknown {
  if (!isObject(part)) return part;
  for (const key in part) {
    // Nearly all parts have these only.
    if (key === "text" || key === "functionCall" || key === "functionResponse" || !SNAKE.has(key)) continue;
    return Object.fromEntries(Object.entries(part).map(([name, value]) => [SNAKE.get(name) ?? name, value]));
  }
  return part;
}

/** True for a missing signature, the placeholder, and base64 in either alphabet. */
export function isSignature(value: unknown): boolean {
  return value === undefined || value === NO_SIGNATURE || isBytes(value);
}

/** True for base64 of at least one byte, in the standard alphabet or the one of addresses, with or without padding. */
function isBytes(data: unknown): boolean {
  if (typeof data !== "string" || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(data)) return false;
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return (data.length - padding) % 4 !== 1;
}

function isName(name: unknown): boolean {
  return typeof name === "string" && LIMITS.name.test(name);
}

/** True for a missing id, and for a text that is not empty. */
export function isId(id: unknown): boolean {
  return id === undefined || (typeof id === "string" && id !== "");
}

/**
 * True when Gemini accepts the part in a turn of this role. `walk` has then seen all of the part that could be no JSON:
 * see SoundnessWalk.
 */
export function isPart(part: unknown, role: unknown, walk = new SoundnessWalk()): boolean {
  if (!isObject(part)) return false;
  if (isPlainPart(part, role, walk)) return true;
  walk.value(part);
  return isKnownPart(part, role, walk);
}

/** True for a text, a call or a response with nothing beside but a signature, as nearly all parts are. */
function isPlainPart(part: JsonObject, role: unknown, walk: SoundnessWalk): boolean {
  let kind: string | undefined;
  for (const key in part) {
    if (key === "thoughtSignature") continue;
    if (kind !== undefined || (key !== "text" && key !== "functionCall" && key !== "functionResponse")) return false;
    kind = key;
  }
  const { thoughtSignature: signature } = part;
  if (signature !== undefined && !isSignature(signature)) return false;
  switch (kind) {
    case "text": {
      const { text } = part;
      if (typeof text !== "string") return false;
      walk.text(text);
      return true;
    }
    case "functionCall":
      return role === "model" && isCall(part.functionCall, walk);
    case "functionResponse":
      return role === "user" && isResponse(part.functionResponse, walk);
    default:
      return false;
  }
}

/** Shows the call. */
function isCall(call: unknown, walk: SoundnessWalk): boolean {
  if (!isObject(call) || !isName(call.name) || !isId(call.id) || !isObject(call.args)) return false;
  return showRest(call, CALL_FIELDS, walk) && walk.isShallow(call.args);
}

/** Shows the response. */
function isResponse(response: unknown, walk: SoundnessWalk): boolean {
  if (!isObject(response) || !isName(response.name) || !isId(response.id) || !isObject(response.response)) return false;
  return showRest(response, RESPONSE_FIELDS, walk) && walk.isShallow(response.response);
}

/** Shows the other fields of a call or response; false where Gemini does not know one. */
function showRest(half: JsonObject, known: ReadonlySet<string>, walk: SoundnessWalk): boolean {
  for (const key in half) {
    if (!known.has(key)) {
      if (half[key] !== undefined) return false;
      walk.text(key);
    } else if (key !== "name" && key !== "args" && key !== "response") walk.value(half[key]);
  }
  return true;
}

function isKnownPart(part: JsonObject, role: unknown, walk: SoundnessWalk): boolean {
  if (!isSignature(part.thoughtSignature)) return false;
  if (part.thought !== undefined && typeof part.thought !== "boolean") return false;
  if (!hasOnly(part, PART_FIELDS)) return hasNewField(part);
  const { text, inlineData, functionCall: call, functionResponse: response } = part;
  switch (dataField(part)) {
    case "text":
      return typeof text === "string";
    case "inlineData": {
      if (!isObject(inlineData)) return false;
      const mimeType = inlineData.mimeType ?? inlineData.mime_type;
      return typeof mimeType === "string" && mimeType !== "" && isBytes(inlineData.data);
    }
    case "toolCall":
    case "toolResponse":
      return role === "model";
    case "functionCall":
      return role === "model" && isCall(call, walk);
    case "functionResponse":
      return role === "user" && isResponse(response, walk);
    case undefined:
      // A thought may consist of its signature, and what is said of a video may be a part of its own.
      return (
        (part.thoughtSignature !== undefined || isObject(part.videoMetadata)) &&
        DATA_FIELDS.every((field) => part[field] === undefined)
      );
    default:
      return true;
  }
}

export const isCallPart = (part: unknown): part is JsonObject => isObject(part) && isObject(part.functionCall);
export const isResponsePart = (part: unknown): part is JsonObject => isObject(part) && isObject(part.functionResponse);
