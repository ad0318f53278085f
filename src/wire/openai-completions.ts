import { isBlank, isObject, toJson, type JsonObject } from "../transcript/json.ts";
import { OPENING_TEXT } from "../transcript/repair.ts";
import { textOf } from "../transcript/text.ts";
import { callBlock, collector, hasOnly, isArgumentsText, isPictureUrl, isUntouched, opaqueMedia, pick, pictureOf, RAW, resultMessage, textBlock, wordsOf, type Block, type BodyMessage, type Dialect, type Limits } from "./model.ts";
import { CONTINUE_TEXT, endWithUser, toTurns, userTurn, type Turn } from "./turns.ts";

const LIMITS: Limits = { id: /^[\x21-\x7e]{1,40}$/, name: /^[a-zA-Z0-9_-]{1,64}$/, nameLength: 64 };
const MISTRAL_LIMITS: Limits = { ...LIMITS, id: /^[a-zA-Z0-9]{9}$/ };

/** Models whose servers check that the reasoning comes back with the calls it led to. */
const THINKING_MODELS = /deepseek|kimi|moonshot|mimo/i;
const MISTRAL_MODELS = /mistral|mixtral|codestral|devstral|magistral|ministral|pixtral/i;

/** Mistral wants the assistant to speak between a tool and the user. */
const AFTER_TOOLS_TEXT = "[The tool results were received.]";

const USER_PARTS = new Set(["image_url", "input_audio", "file", "video_url"]);

/** The fields of messages, those of compatible servers included; strict servers refuse others. */
const MESSAGE_FIELDS = new Set(
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
const CALL_FIELDS = new Set(["id", "type", "function", "index", "extra_content"]);
const FUNCTION_FIELDS = new Set(["name", "arguments", "thought_signature"]);

/** The part without fields that its type does not have. */
function strip(part: JsonObject): JsonObject {
  const fields = typeof part.type === "string" && Object.hasOwn(PART_FIELDS, part.type) ? PART_FIELDS[part.type] : undefined;
  return fields ? pick(part, fields) : part;
}

function modelName(body: JsonObject): string {
  return typeof body.model === "string" ? body.model : "";
}

function limitsFor(body: JsonObject): Limits {
  return MISTRAL_MODELS.test(modelName(body)) ? MISTRAL_LIMITS : LIMITS;
}

/** True when the server is one that checks for reasoning, and the request shows that thinking is on. */
function wantsReasoning(body: JsonObject, messages: readonly unknown[]): boolean {
  if (!THINKING_MODELS.test(modelName(body))) return false;
  if (isObject(body.thinking)) return body.thinking.type !== "disabled";
  return body.reasoning_effort !== undefined || messages.some((message) => isObject(message) && typeof message.reasoning_content === "string");
}

function isTextPart(part: unknown): part is JsonObject {
  return isObject(part) && part.type === "text" && typeof part.text === "string" && !isBlank(part.text) && strip(part) === part;
}

function isUserPart(part: unknown): part is JsonObject {
  if (!isObject(part)) return false;
  if (!USER_PARTS.has(part.type as string)) return isTextPart(part);
  const media = part[part.type as string];
  if (part.type !== "image_url") return isObject(media);
  if (strip(part) !== part) return false;
  return isObject(media) && isPictureUrl(media.url);
}

function isAssistantPart(part: unknown): part is JsonObject {
  return isTextPart(part) || (isObject(part) && part.type === "refusal" && typeof part.refusal === "string" && strip(part) === part);
}

function isCall(call: unknown, limits: Limits): call is JsonObject {
  if (!isObject(call) || typeof call.id !== "string" || !limits.id.test(call.id) || call.type !== "function") return false;
  const { function: called } = call;
  if (!hasOnly(call, CALL_FIELDS) || !isObject(called) || !hasOnly(called, FUNCTION_FIELDS)) return false;
  return ( typeof called.name === "string" && limits.name.test(called.name) && isArgumentsText(called.arguments));
}

function isToolContent(content: unknown): boolean {
  return typeof content === "string" || (Array.isArray(content) && content.length > 0 && content.every(isTextPart));
}

function isSystem(message: JsonObject): boolean {
  return message.role === "system" || message.role === "developer";
}

/** True when a message without regard to its neighbours is one that servers take. */
function isMessage(message: JsonObject, limits: Limits): boolean {
  const { role, content, tool_calls: calls } = message;
  if (!hasOnly(message, MESSAGE_FIELDS)) return false;
  switch (role) {
    case "system":
    case "developer":
      return typeof content === "string" ? !isBlank(content) : (Array.isArray(content) && content.length > 0 && content.every(isTextPart));
    case "user":
      return typeof content === "string" ? !isBlank(content) : Array.isArray(content) && content.length > 0 && content.every(isUserPart);
    case "tool":
      return typeof message.tool_call_id === "string" && isToolContent(content);
    case "assistant": {
      if (calls !== undefined && (!Array.isArray(calls) || calls.length === 0 || !calls.every((call) => isCall(call, limits)))) return false;
      if (Array.isArray(content)) return content.length > 0 && content.every(isAssistantPart);
      if (typeof content === "string" && !isBlank(content)) return true;
      return (content === null || content === undefined || content === "") && calls !== undefined;
    }
    default:
      return false;
  }
}

function checkBody(body: JsonObject): ReturnType<Dialect["check"]> {
  const { violations, report } = collector();
  const { messages } = body;
  if (!Array.isArray(messages)) return [{ rule: "history_type", path: "messages" }];
  const limits = limitsFor(body);
  const mistral = limits === MISTRAL_LIMITS;
  const reasoning = wantsReasoning(body, messages);
  const used = new Set<string>();
  const open = new Set<string>();
  let lastRole: unknown;
  messages.forEach((message: unknown, index) => {
    const path = `messages.${index}`;
    if (!isObject(message) || !isMessage(message, limits)) return report("message", path);
    if (isSystem(message)) return undefined;
    const { role } = message;
    if (lastRole === undefined && role !== "user") report("first_role", path);
    if (role === "tool") {
      if (!open.delete(message.tool_call_id as string)) report("unexpected_tool_result", path);
    } else {
      if (open.size > 0) report("missing_tool_result", path);
      open.clear();
      if (role === lastRole) report("role_order", path);
      if (mistral && role === "user" && lastRole === "tool") report("role_order", path);
    }
    if (Array.isArray(message.tool_calls)) {
      for (const { id } of message.tool_calls as { id: string }[]) {
        if (used.has(id)) report("duplicate_tool_call_id", path);
        used.add(id);
        open.add(id);
      }
      if (reasoning && typeof message.reasoning_content !== "string") report("reasoning_content", path);
    }
    lastRole = role;
    return undefined;
  });
  if (open.size > 0) report("missing_tool_result", "messages");
  if (lastRole === undefined) report("history_empty", "messages");
  if (lastRole === "assistant") report("last_role", `messages.${messages.length - 1}`);
  return violations;
}

function readContent(content: unknown, isPart: (part: unknown) => part is JsonObject): unknown[] {
  if (content === null || content === undefined) return [];
  if (!Array.isArray(content)) return [typeof content === "string" ? { type: "text", text: content } : content];
  return content.map((stored: unknown) => {
    const part = isObject(stored) ? strip(stored) : stored;
    if (isTextPart(part)) return textBlock(part.text as string, part);
    if (isPart(part)) return part.type === "refusal" ? textBlock(part.refusal as string, part) : opaqueMedia(part);
    return part;
  });
}

function readCall(call: unknown): unknown {
  if (!isObject(call)) return call;
  const called = isObject(call.function) ? call.function : isObject(call.custom) ? call.custom : call;
  return callBlock(call.id, called.name, called.arguments ?? called.input, call);
}

function readBody(body: JsonObject): BodyMessage[] {
  const messages: unknown[] = Array.isArray(body.messages) ? body.messages : [];
  return messages.slice(leadingSystem(messages).length).map((message) => {
    if (!isObject(message)) return message as BodyMessage;
    const { role, content } = message;
    if (role === "tool" || role === "function") {
      const parts = readContent(content, isTextPart);
      return resultMessage(message.tool_call_id, message.name, parts, false, pick(message, MESSAGE_FIELDS));
    }
    if (role === "assistant") {
      const calls: unknown[] = Array.isArray(message.tool_calls) ? message.tool_calls.map(readCall) : [];
      return { role, content: [...readContent(content, isAssistantPart), ...calls], [RAW]: pick(message, MESSAGE_FIELDS) } as BodyMessage;
    }
    // Instructions in the middle of the history stay where they are, inside the user's turn.
    if (isSystem(message) && isMessage(message, LIMITS)) return { role: "user", content: [opaqueMedia(message)] } as BodyMessage;
    return { role: "user", content: readContent(content, isUserPart) } as BodyMessage;
  });
}

/** The instructions before the history. */
function leadingSystem(messages: readonly unknown[]): JsonObject[] {
  const end = messages.findIndex((message) => !isObject(message) || !isSystem(message) || !isMessage(message, LIMITS));
  return messages.slice(0, end < 0 ? messages.length : end) as JsonObject[];
}

function writeCall(block: Block): JsonObject {
  const raw = block[RAW];
  const { id, name } = block;
  const called = raw?.function;
  const keepText = isObject(called) && isArgumentsText(called.arguments);
  const text = keepText ? called.arguments : toJson(block.arguments);
  const fields = isObject(called) ? pick(called, FUNCTION_FIELDS) : {};
  return { ...(raw ? pick(raw, CALL_FIELDS) : {}), id, type: "function", function: { ...fields, name, arguments: text } };
}

/** Text and parts as content: a string unless a part needs a list. */
function writeContent(blocks: readonly Block[]): unknown {
  if (blocks.every((block) => !block[RAW] && !pictureOf(block))) return blocks.map(wordsOf).join("\n\n");
  return blocks.map((block) => {
    const picture = pictureOf(block);
    if (picture) return { type: "image_url", image_url: { url: `data:${picture.mimeType};base64,${picture.data}` } };
    return block[RAW] ?? { type: "text", text: wordsOf(block) };
  });
}

/** Fields of joined assistant messages other than their content: reasoning texts are joined, of others the last one counts. */
function joinFields(raws: readonly JsonObject[]): JsonObject {
  const fields: JsonObject = {};
  for (const { role: _role, content: _content, tool_calls: _calls, ...rest } of raws) {
    for (const [key, value] of Object.entries(rest)) {
      const before = fields[key];
      fields[key] = key.startsWith("reasoning") && typeof before === "string" && typeof value === "string" ? `${before}\n${value}` : value;
    }
  }
  return fields;
}

function writeAssistant({ blocks, raws }: Turn, reasoning: boolean): JsonObject {
  const calls = blocks.filter((block) => block.type === "toolCall");
  const rest = blocks.filter((block) => block.type !== "toolCall");
  const fields = joinFields(raws);
  if (reasoning && calls.length > 0 && typeof fields.reasoning_content !== "string") fields.reasoning_content = "";
  return {
    ...fields,
    role: "assistant",
    content: rest.length > 0 ? writeContent(rest) : null,
    ...(calls.length > 0 ? { tool_calls: calls.map(writeCall) } : {}),
  };
}

function writeResult(result: BodyMessage): JsonObject {
  const raw = result[RAW];
  const keep = raw?.role === "tool" && isUntouched(result) && isToolContent(raw.content);
  const content = keep ? raw.content : (result.content as Block[]).map((block) => textOf(block[RAW] ?? block)).join("\n");
  return { ...(raw?.role === "tool" ? raw : {}), role: "tool", tool_call_id: result.toolCallId, content };
}

function writeUser(blocks: readonly Block[]): JsonObject[] {
  const instructions = blocks.flatMap((block) => (block[RAW] && isSystem(block[RAW]) ? [block[RAW]] : []));
  const rest = blocks.filter((block) => !block[RAW] || !isSystem(block[RAW]));
  return [...instructions, ...(rest.length > 0 ? [{ role: "user", content: writeContent(rest) }] : [])];
}

function writeBody(messages: readonly BodyMessage[], body: JsonObject): unknown {
  const stored: unknown[] = Array.isArray(body.messages) ? body.messages : [];
  const mistral = limitsFor(body) === MISTRAL_LIMITS;
  const reasoning = wantsReasoning(body, stored);
  const written: JsonObject[] = [];
  for (const turn of endWithUser(toTurns(messages))) {
    if (turn.role === "assistant") {
      written.push(writeAssistant(turn, reasoning));
      continue;
    }
    written.push(...turn.results.map(writeResult));
    const user = writeUser(turn.blocks);
    // Instructions alone are no turn of the user's.
    if (turn.results.length === 0 && user.every(isSystem)) user.push(...writeUser(userTurn(CONTINUE_TEXT).blocks));
    const speaks = user.some((message) => message.role === "user");
    if (mistral && speaks && written.at(-1)?.role === "tool") written.push({ role: "assistant", content: AFTER_TOOLS_TEXT });
    written.push(...user);
  }
  if (written.length === 0) written.push(...writeUser(userTurn(OPENING_TEXT).blocks));
  return [...leadingSystem(stored), ...joinUsers(written)];
}

/** Two user messages that only results or instructions stood between are one. */
function joinUsers(messages: readonly JsonObject[]): JsonObject[] {
  const joined: JsonObject[] = [];
  let lastUser = -1;
  for (const message of messages) {
    if (message.role === "user" && lastUser >= 0) {
      const before = joined[lastUser]!;
      const lists = [before.content, message.content].map((content) => (Array.isArray(content) ? content : [{ type: "text", text: content }]));
      const bothText = typeof before.content === "string" && typeof message.content === "string";
      joined[lastUser] = { ...before, content: bothText ? `${before.content as string}\n\n${message.content as string}` : lists.flat() };
      continue;
    }
    joined.push(message);
    if (message.role === "user") lastUser = joined.length - 1;
    else if (!isSystem(message)) lastUser = -1;
  }
  return joined;
}

/** OpenAI Chat Completions and the many servers that speak it; Mistral's and the thinking models' own rules by model name. */
export const completions: Dialect = { field: "messages", limits: limitsFor, check: checkBody, read: readBody, write: writeBody };
