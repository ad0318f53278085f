/** What is known of Gemini's rules for single parts, without regard to the parts beside them. */
import { isDeeperThan, MAX_DEPTH } from "../../transcript/json/depth.ts";
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { Sound } from "../../transcript/json/sound.ts";
import { hasOnly, type Limits } from "../model.ts";

/** For the ids and names that heal() makes; Gemini itself accepts any id that is not empty. */
export const LIMITS: Limits = { id: /^[\x21-\x7e]{1,512}$/, name: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/, nameLength: 64 };

/** The fields of a part that hold its content; a part has exactly one of them. */
const DATA_FIELDS = [
  "text",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
  "executableCode",
  "codeExecutionResult",
  "toolCall",
  "toolResponse",
];

/** The placeholder that Google documents for calls whose thought signature is unknown. */
export const NO_SIGNATURE = "skip_thought_signature_validator";

export const PART_FIELDS = new Set([
  ...DATA_FIELDS,
  "thought",
  "thoughtSignature",
  "videoMetadata",
  "partMetadata",
  "mediaResolution",
]);
const CALL_FIELDS = new Set(["id", "name", "args"]);
export const RESPONSE_FIELDS = new Set(["id", "name", "response", "parts", "scheduling", "willContinue"]);

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
  [...DATA_FIELDS, "thoughtSignature", "videoMetadata", "partMetadata", "mediaResolution"].flatMap((name) => {
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

/** A signature may be missing. It is base64 in either alphabet. */
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

/** An id may be missing. */
export function isId(id: unknown): boolean {
  return id === undefined || (typeof id === "string" && id !== "");
}

/** True when Gemini accepts the part in a turn of this role. Shows all of it. */
export function isPart(part: unknown, role: unknown, sound = new Sound()): boolean {
  if (!isObject(part)) return false;
  if (isPlainPart(part, role, sound)) return true;
  sound.value(part);
  return isKnownPart(part, role);
}

/** True for a text, a call or a response with nothing beside but a signature, as nearly all parts are. */
function isPlainPart(part: JsonObject, role: unknown, sound: Sound): boolean {
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
      sound.text(text);
      return true;
    }
    case "functionCall":
      return role === "model" && isCall(part.functionCall, sound);
    case "functionResponse":
      return role === "user" && isResponse(part.functionResponse, sound);
    default:
      return false;
  }
}

function isCall(call: unknown, sound: Sound): boolean {
  if (!isObject(call)) return false;
  for (const key in call) if (key !== "id" && key !== "name" && key !== "args") return false;
  if (!isName(call.name) || !isId(call.id) || !isObject(call.args)) return false;
  sound.value(call.id);
  return sound.isShallow(call.args);
}

function isResponse(response: unknown, sound: Sound): boolean {
  if (!isObject(response)) return false;
  for (const key in response) if (key !== "id" && key !== "name" && key !== "response") return false;
  if (!isName(response.name) || !isId(response.id) || !isObject(response.response)) return false;
  sound.value(response.id);
  return sound.isShallow(response.response);
}

function isKnownPart(part: JsonObject, role: unknown): boolean {
  if (!isSignature(part.thoughtSignature) || !hasOnly(part, PART_FIELDS)) return false;
  if (part.thought !== undefined && typeof part.thought !== "boolean") return false;
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
      return (
        role === "model" &&
        isObject(call) &&
        hasOnly(call, CALL_FIELDS) &&
        isName(call.name) &&
        isId(call.id) &&
        isObject(call.args) &&
        !isDeeperThan(call.args, MAX_DEPTH)
      );
    case "functionResponse":
      return (
        role === "user" &&
        isObject(response) &&
        hasOnly(response, RESPONSE_FIELDS) &&
        isName(response.name) &&
        isId(response.id) &&
        isObject(response.response) &&
        !isDeeperThan(response.response, MAX_DEPTH)
      );
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
