import { isBase64Bytes, isObject, shown, unparsable } from "../json.ts";
import type { JsonObject, RuleContext, Violation } from "../types.ts";
import { Findings } from "./findings.ts";
import { geminiTurns } from "./gemini-turns.ts";

const BODY_FIELDS = new Set([
  "contents",
  "systemInstruction",
  "tools",
  "toolConfig",
  "safetySettings",
  "generationConfig",
  "cachedContent",
  "model",
  "labels",
  "serviceTier",
]);
/** Fields of a part that hold its data; exactly one is set. */
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
const PART_FIELDS = new Set([...DATA_FIELDS, "thought", "thoughtSignature", "videoMetadata", "mediaResolution"]);
/** Protobuf reads a name in snake case too (recorded of parts, blobs and tools). */
const camel = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** An object with its names in camel case, its values as they are. */
function inCamel(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [camel(name), value]));
}
const FUNCTION_NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/;
const NAME_RULE =
  "Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:) or dashes (-), with a maximum length of 64.";
const MEDIA_TYPE = /^[a-z]+\/[a-z0-9.+-]+$/i;

/** The rules of Gemini's generateContent and streamGenerateContent. */
export function geminiViolations(body: unknown, context: RuleContext = {}): Violation[] {
  const found = new Findings();
  const broken = unparsable(body);
  if (broken !== undefined) {
    found.add(
      "",
      broken === "surrogate"
        ? "Invalid JSON payload received. Invalid UTF-8 sequence (lone surrogate) in string."
        : "Invalid JSON payload received. Message too deep. Max recursion depth reached.",
    );
    return found.list;
  }
  if (!isObject(body)) {
    found.add("", "Invalid JSON payload received. Root element must be a message.");
    return found.list;
  }
  new Shape(found).check(body);
  if (found.clean)
    geminiTurns(camelContents(body["contents"] as JsonObject[]), /gemini-3/i.test(context.model ?? ""), found);
  return found.list;
}

function camelContents(contents: JsonObject[]): JsonObject[] {
  return contents.map((content) =>
    Array.isArray(content["parts"])
      ? { ...content, parts: content["parts"].map((part: unknown) => (isObject(part) ? inCamel(part) : part)) }
      : content,
  );
}

class Shape {
  private readonly found: Findings;

  constructor(found: Findings) {
    this.found = found;
  }

  check(body: JsonObject): void {
    const { contents, systemInstruction, tools } = body;
    this.known(body, BODY_FIELDS, "");
    if (contents === undefined || (Array.isArray(contents) && contents.length === 0)) {
      this.found.add("contents", "* GenerateContentRequest.contents: contents is not specified");
    } else if (Array.isArray(contents))
      contents.forEach((content: unknown, i) => this.content(content, `contents[${i}]`, true));
    else this.value("contents", "type.googleapis.com/google.ai.generativelanguage.v1beta.Content", contents);
    if (systemInstruction !== undefined && typeof systemInstruction !== "string") {
      this.content(systemInstruction, "system_instruction", false);
    }
    if (tools !== undefined) this.tools(tools);
  }

  private content(content: unknown, path: string, turn: boolean): void {
    if (!isObject(content)) {
      this.value(path, "type.googleapis.com/google.ai.generativelanguage.v1beta.Content", content);
      return;
    }
    this.known(content, new Set(["role", "parts"]), path);
    const { role, parts } = content;
    // Recorded: an older client's role for responses is taken.
    if (turn && role !== undefined && role !== "user" && role !== "model" && role !== "function") {
      this.found.add(`${path}.role`, "Please use a valid role: user, model.");
    }
    if (!turn && isObject(parts)) this.part(parts, `${path}.parts`, "user");
    else if (parts === undefined || (Array.isArray(parts) && parts.length === 0)) {
      this.found.add(`${path}.parts`, `* GenerateContentRequest.${path}.parts: contents.parts must not be empty.`);
    } else if (Array.isArray(parts)) {
      parts.forEach((part: unknown, i) => this.part(part, `${path}.parts[${i}]`, role ?? "user"));
    } else this.value(`${path}.parts`, "type.googleapis.com/google.ai.generativelanguage.v1beta.Part", parts);
  }

  private part(given: unknown, path: string, role: unknown): void {
    if (!isObject(given)) {
      this.value(path, "type.googleapis.com/google.ai.generativelanguage.v1beta.Part", given);
      return;
    }
    const part = inCamel(given);
    this.known(part, PART_FIELDS, path);
    const set = DATA_FIELDS.filter((field) => part[field] !== undefined && part[field] !== null);
    const { thought, thoughtSignature, text } = part;
    const signed = thoughtSignature !== undefined;
    if (thought !== undefined && typeof thought !== "boolean") this.value(`${path}.thought`, "TYPE_BOOL", thought);
    if (signed && (typeof thoughtSignature !== "string" || !isBase64Bytes(thoughtSignature))) {
      this.found.add(
        `${path}.thoughtSignature`,
        `Invalid value at '${path}.thought_signature' (TYPE_BYTES), Base64 decoding failed for ${quoted(thoughtSignature)}`,
      );
    }
    if (set.length > 1) {
      this.found.add(
        path,
        `Invalid value at '${path}' (oneof), oneof field 'data' is already set. Cannot set '${set[1]}'`,
      );
    } else if (set.length === 0 && !signed && part["videoMetadata"] === undefined) {
      // Recorded: an empty text is data, a signature and what is said of a video may stand alone.
      this.found.add(
        `${path}.data`,
        `* GenerateContentRequest.${path}.data: required oneof field 'data' must have one initialized field`,
      );
    }
    if (set.includes("text") && typeof text !== "string") this.value(`${path}.text`, "TYPE_STRING", text);
    if (set.includes("inlineData")) this.blob(part["inlineData"], `${path}.inline_data`);
    if (set.includes("functionCall")) {
      this.call(part["functionCall"], `${path}.function_call`);
      if (role !== "model")
        this.found.add(
          path,
          `* GenerateContentRequest.${path}: function call parts are only allowed with role 'model'.`,
        );
    }
    if (set.includes("functionResponse")) {
      this.response(part["functionResponse"], `${path}.function_response`);
      if (role === "model")
        this.found.add(
          path,
          `* GenerateContentRequest.${path}: function response parts are not allowed with role 'model'.`,
        );
    }
  }

  private blob(given: unknown, path: string): void {
    if (!isObject(given)) {
      this.value(path, "type.googleapis.com/google.ai.generativelanguage.v1beta.Blob", given);
      return;
    }
    const blob = inCamel(given);
    this.known(blob, new Set(["mimeType", "data", "displayName"]), path);
    const { mimeType, data } = blob;
    if (typeof mimeType !== "string" || !MEDIA_TYPE.test(mimeType)) {
      this.found.add(
        `${path}.mime_type`,
        `* GenerateContentRequest.${path}.mime_type: Unsupported MIME type: ${quoted(mimeType)}`,
      );
    }
    if (data === undefined || data === "") {
      this.found.add(`${path}.data`, `* GenerateContentRequest.${path}.data: required field must not be empty`);
    } else if (typeof data !== "string" || !isBase64Bytes(data)) {
      this.found.add(
        `${path}.data`,
        `Invalid value at '${path}.data' (TYPE_BYTES), Base64 decoding failed for ${quoted(data)}`,
      );
    }
  }

  private call(call: unknown, path: string): void {
    if (!isObject(call)) {
      this.value(path, "type.googleapis.com/google.ai.generativelanguage.v1beta.FunctionCall", call);
      return;
    }
    this.known(call, new Set(["name", "args", "id", "partialArgs", "willContinue"]), path);
    this.name(call["name"], path);
    if (call["args"] !== undefined && !isObject(call["args"])) {
      this.value(`${path}.args`, "type.googleapis.com/google.protobuf.Struct", call["args"]);
    }
    if (call["id"] !== undefined && typeof call["id"] !== "string") this.value(`${path}.id`, "TYPE_STRING", call["id"]);
  }

  private response(response: unknown, path: string): void {
    if (!isObject(response)) {
      this.value(path, "type.googleapis.com/google.ai.generativelanguage.v1beta.FunctionResponse", response);
      return;
    }
    this.known(response, new Set(["name", "response", "id", "parts", "willContinue", "scheduling"]), path);
    this.name(response["name"], path);
    if (response["response"] === undefined) {
      this.found.add(`${path}.response`, `* GenerateContentRequest.${path}.response: required field must not be empty`);
    } else if (!isObject(response["response"])) {
      this.value(`${path}.response`, "type.googleapis.com/google.protobuf.Struct", response["response"]);
    }
    if (response["id"] !== undefined && typeof response["id"] !== "string")
      this.value(`${path}.id`, "TYPE_STRING", response["id"]);
    if (response["parts"] !== undefined) this.responseParts(response["parts"], `${path}.parts`);
  }

  private responseParts(parts: unknown, path: string): void {
    if (!Array.isArray(parts)) {
      this.value(path, "type.googleapis.com/google.ai.generativelanguage.v1beta.FunctionResponsePart", parts);
      return;
    }
    parts.forEach((given: unknown, i) => {
      const part = isObject(given) ? inCamel(given) : {};
      if (isObject(part["inlineData"])) this.blob(part["inlineData"], `${path}[${i}].inline_data`);
      else if (!isObject(part["fileData"]))
        this.found.add(
          `${path}[${i}].data`,
          `* GenerateContentRequest.${path}[${i}].data: required oneof field 'data' must have one initialized field`,
        );
    });
  }

  private name(name: unknown, path: string): void {
    if (name === undefined || name === "") {
      this.found.add(`${path}.name`, `* GenerateContentRequest.${path}.name: Name cannot be empty.`);
    } else if (typeof name !== "string") this.value(`${path}.name`, "TYPE_STRING", name);
    else if (!FUNCTION_NAME.test(name)) {
      this.found.add(`${path}.name`, `* GenerateContentRequest.${path}.name: [FIELD_INVALID] ${NAME_RULE}`);
    }
  }

  private tools(tools: unknown): void {
    if (!Array.isArray(tools)) {
      // Protobuf takes one message for a list of one.
      if (isObject(tools)) this.tools([inCamel(tools)]);
      else this.value("tools", "type.googleapis.com/google.ai.generativelanguage.v1beta.Tool", tools);
      return;
    }
    tools.forEach((tool: unknown, i) => {
      const declared = isObject(tool) ? tool["functionDeclarations"] : undefined;
      if (!isObject(tool))
        this.value(`tools[${i}]`, "type.googleapis.com/google.ai.generativelanguage.v1beta.Tool", tool);
      if (!Array.isArray(declared)) return;
      declared.forEach((one: unknown, j) => {
        this.name(isObject(one) ? one["name"] : undefined, `tools[${i}].function_declarations[${j}]`);
      });
    });
  }

  private known(object: JsonObject, fields: Set<string>, path: string): void {
    for (const key of Object.keys(object)) {
      if (fields.has(key)) continue;
      const at = path === "" ? "" : ` at '${path}'`;
      this.found.add(
        path === "" ? key : `${path}.${key}`,
        `Invalid JSON payload received. Unknown name "${key}"${at}: Cannot find field.`,
      );
    }
  }

  private value(path: string, type: string, value: unknown): void {
    this.found.add(path, `Invalid value at '${path}' (${type}), ${quoted(value)}`);
  }
}

/** A value as Google's texts quote it, cut short. */
function quoted(value: unknown): string {
  if (typeof value === "string") return `"${value.slice(0, 80)}"`;
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "a message";
  return shown(value);
}
