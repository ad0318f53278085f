/**
 * Which form a list of messages has. A row is looked at alone; the list has the form that its first telling row has,
 * and OpenClaw's where any row has fields of OpenClaw's.
 */
import { nameInline } from "../base/quoted.ts";
import { isCustomMessage } from "../transcript/look.ts";
import { isObject, type JsonObject } from "../transcript/json/json.ts";
import { SERVER_BLOCKS } from "../transcript/block-types.ts";
import { hasOtherContent, isOfAiSdk4, isOfOtherLibrary } from "./other-libraries.ts";

/** The forms of lists that are known, with the names that errors give them. */
export const FORMS = {
  openclaw: "OpenClaw messages",
  "openclaw-rows": "OpenClaw rows (type: message)",
  anthropic: "Anthropic Messages",
  chat: "OpenAI Chat Completions messages",
  responses: "OpenAI Responses items",
  gemini: "Gemini contents",
  converse: "Bedrock Converse messages",
  "ai-sdk-model": "AI SDK ModelMessage",
  "ai-sdk-ui": "AI SDK UIMessage",
  langchain: "LangChain stored messages",
  agents: "openai-agents items",
} as const;

/** The name of a known form. */
export type FormName = keyof typeof FORMS;

/**
 * What a row tells: a form; `item`: of Responses or openai-agents; `own`: of a role that only OpenClaw has; `plain`: a
 * message as several forms have it; `shared`: one with blocks that OpenAI's APIs share; `spoken`: one with sound that
 * only openai-agents has; `instruction`: one of the roles `system` and `developer`; `stored`: a message with blocks
 * that OpenClaw stores; `other`: a message with blocks that no known form has; `alien`: one of a form that only looks
 * like a known one. Undefined: no message of a known form.
 */
type Tell = FormName | "item" | "own" | "plain" | "shared" | "spoken" | "instruction" | "stored" | "other" | "alien";

/** A list's form, and which of its rows are messages of it. */
export interface Detected {
  readonly form: FormName;
  /** Whether each row is a member, by index. */
  readonly isMember: readonly boolean[];
}

/**
 * Returns the form of a list; undefined for an empty one. Throws a TypeError, which names the known forms and what was
 * found, for a list without a message of a known form, and for one of messages that no known form has.
 */
export function detectForm(name: string, list: readonly unknown[]): Detected | undefined {
  if (list.length === 0) return undefined;
  const tells = Array.from(list, safeTell);
  const form = chosenForm(tells, list);
  if (!form) throw unknownForm(name, list, tells);
  // The rows of a tree are needed to follow its path.
  return { form, isMember: tells.map((tell) => form === "openclaw-rows" || belongsTo(form, tell)) };
}

/**
 * Returns which rows of a list are messages of a form that its program knows; undefined for none:
 * an API refuses an empty list, a program may still add to one.
 */
export function readAs(form: FormName, list: readonly unknown[]): Detected | undefined {
  const isMember = Array.from(list, (row) => belongsTo(form, safeTell(row)));
  return isMember.includes(true) ? { form, isMember } : undefined;
}

function chosenForm(tells: readonly (Tell | undefined)[], list: readonly unknown[]): FormName | undefined {
  if (tells.includes("openclaw")) return "openclaw";
  if (tells.includes("alien")) return undefined;
  const first = tells.find((tell) => tell !== undefined && Object.hasOwn(FORMS, tell));
  // The Realtime API's items look like those of Responses, but have sound.
  if (tells.includes("spoken")) return first === "agents" ? first : undefined;
  if (first) return first as FormName;
  if (tells.includes("item")) return tells.includes("other") ? undefined : "responses";
  if (tells.includes("shared")) return "chat";
  if (tells.includes("other")) return undefined;
  if (tells.includes("own") || tells.includes("stored")) return "openclaw";
  if (!tells.includes("plain") && !tells.includes("instruction")) return undefined;
  // OpenClaw gives every message a time, has no instructions in its lists, and stores what an assistant says as blocks.
  const isOfOthers = tells.includes("instruction") || list.some((row) => hasText(row, "assistant"));
  return !isOfOthers && list.some((row) => isObject(row) && typeof row.timestamp === "number") ? "openclaw" : "chat";
}

function hasText(row: unknown, role: string): boolean {
  return isObject(row) && row.role === role && typeof row.content === "string";
}

const ITEMS: ReadonlySet<FormName> = new Set(["responses", "agents"]);
/** Forms whose messages have a role and content. */
const WITH_ROLES: ReadonlySet<Tell> = new Set<Tell>([
  "openclaw",
  "anthropic",
  "chat",
  "converse",
  "gemini",
  "ai-sdk-model",
  "plain",
  "shared",
  "spoken",
  "stored",
  "other",
  "alien",
]);

function belongsTo(form: FormName, tell: Tell | undefined): boolean {
  if (tell === undefined) return false;
  if (tell === form) return true;
  switch (form) {
    case "ai-sdk-ui":
    case "langchain":
      return false;
    case "ai-sdk-model":
      return ["plain", "shared", "instruction", "stored", "other"].includes(tell);
    case "agents":
      return ["plain", "shared", "spoken", "instruction", "item"].includes(tell);
    case "openclaw":
      return tell === "own" || WITH_ROLES.has(tell);
    default:
      // The rules of an API read the messages of the other APIs, and bring them into its form.
      return WITH_ROLES.has(tell) || tell === "instruction" || tell === "item" || ITEMS.has(tell as FormName);
  }
}

function safeTell(row: unknown): Tell | undefined {
  try {
    return isObject(row) ? tellFrom(row) : undefined;
  } catch {
    // A field of it cannot be read.
    return undefined;
  }
}

const LANGCHAIN_TYPES = new Set<unknown>(
  "human ai tool system function chat generic developer remove AIMessageChunk HumanMessageChunk".split(" "),
);
const ROLES = new Set<unknown>(["system", "developer", "user", "assistant", "tool", "function"]);
/** Fields that only OpenClaw's messages have. */
const STORED_FIELDS = ["api", "provider", "stopReason", "toolCallId", "details"];

function tellFrom(row: JsonObject): Tell | undefined {
  const { type, role } = row;
  if (isObject(row.data) && LANGCHAIN_TYPES.has(type)) return "langchain";
  if (type === "message" && isObject(row.message))
    return typeof row.message.role === "string" ? "openclaw-rows" : undefined;
  if (isOfOtherLibrary(row)) return "alien";
  if (Array.isArray(row.parts)) return tellFromParts(row.parts, role);
  if (typeof role !== "string") return typeof type === "string" ? tellFromItem(type, row) : undefined;
  if (role === "toolResult") return "openclaw";
  if (!ROLES.has(role)) return isCustomMessage(row) ? "own" : undefined;
  if (STORED_FIELDS.some((field) => row[field] !== undefined)) return "openclaw";
  return tellFromMessage(row);
}

/** A Gemini part has no type, but one of these. */
const GEMINI_PARTS = (
  "text inlineData inline_data fileData file_data functionCall function_call functionResponse function_response " +
  "executableCode codeExecutionResult toolCall toolResponse"
).split(" ");

function tellFromParts(parts: readonly unknown[], role: unknown): Tell | undefined {
  const objects = parts.filter(isObject);
  if (role === "model" || (role === "function" && objects.every(({ type }) => type === undefined))) return "gemini";
  if (objects.some(({ type }) => typeof type === "string"))
    return role === "user" || role === "assistant" || role === "system" ? "ai-sdk-ui" : undefined;
  if (parts.length === 0) return role === "assistant" ? "ai-sdk-ui" : role === "user" ? "plain" : undefined;
  if (role !== undefined && role !== "user" && role !== "system") return undefined;
  return objects.some((part) => GEMINI_PARTS.some((field) => part[field] !== undefined)) ? "gemini" : undefined;
}

const ITEM_TYPE =
  /^(?:reasoning|item_reference|compaction|additional_tools|mcp_[a-z_]{1,40}|[a-z_]{1,40}_(?:call|output))$/;

function tellFromItem(type: string, item: JsonObject): Tell | undefined {
  if (type === "function_call_result" || type === "hosted_tool_call") return "agents";
  if (item.callId !== undefined) return /^[a-z_]{1,40}_call(?:_result|_output)?$/.test(type) ? "agents" : undefined;
  if (!ITEM_TYPE.test(type)) return undefined;
  return item.call_id !== undefined || item.summary !== undefined ? "responses" : "item";
}

function tellFromMessage(message: JsonObject): Tell {
  const { role, content, type } = message;
  const blocks = Array.isArray(content) ? (content as unknown[]) : [];
  if (role === "function") return "chat";
  if (hasOtherContent(message)) return "other";
  // An item of Responses that has a role besides.
  if (typeof type === "string" && ITEM_TYPE.test(type)) return "item";
  if (role === "tool") return blocks.some(isModelResult) ? "ai-sdk-model" : tellFromResult(message);
  if (role === "assistant") {
    const { tool_calls: calls } = message;
    if (Array.isArray(calls) && calls.length > 0) return calls.every(isCallOfOllama) ? "alien" : "chat";
    if (Array.isArray(calls) || content === undefined || content === null) return "chat";
  }
  const tells = blocks.map((block) => {
    const tell = tellFromBlock(block);
    // Only an assistant calls tools.
    return tell === "openclaw" && role === "user" ? "other" : tell;
  });
  const told = tells.find((tell) => tell === "item" || Object.hasOwn(FORMS, tell));
  if (tells.includes("spoken")) return "spoken";
  if (told) return told;
  if (type === "message") return "item";
  if (tells.includes("shared")) return "shared";
  if (tells.includes("other")) return "other";
  if (tells.includes("stored")) return "stored";
  return role === "system" || role === "developer" ? "instruction" : "plain";
}

/** Tells the form of a list from a result: SWE-agent, whose form is unknown here, lists the calls that one answers. */
function tellFromResult({ tool_call_id: id, tool_call_ids: ids }: JsonObject): Tell {
  return id === undefined && Array.isArray(ids) ? "alien" : "chat";
}

function isModelResult(part: unknown): boolean {
  return isObject(part) && (part.type === "tool-result" || part.type === "tool-approval-response");
}

/** True for a call as Ollama's own API has it: without an id, and with arguments as an object. */
function isCallOfOllama(call: unknown): boolean {
  return isObject(call) && call.id === undefined && isObject(call.function) && isObject(call.function.arguments);
}

const CONVERSE_BLOCKS = (
  "text toolUse toolResult image document video audio reasoningContent cachePoint guardContent citationsContent " +
  "searchResult"
).split(" ");

/** The forms that blocks of these types belong to. */
const BLOCK_TYPES: ReadonlyMap<unknown, Tell> = new Map<unknown, Tell>([
  ...typesTelling("anthropic", "tool_use tool_result document search_result tool_addition tool_removal", SERVER_BLOCKS),
  ...typesTelling("chat", "image_url video_url document_url file_url"),
  ...typesTelling("ai-sdk-model", "tool-call tool-result tool-approval-request reasoning reasoning-file"),
  ...typesTelling("item", "input_text output_text input_image input_file"),
  ["text", "plain"],
  ["refusal", "shared"],
  ["output_audio", "spoken"],
  ["toolCall", "openclaw"],
]);

function typesTelling(tell: Tell, types: string, more: Iterable<string> = []): [string, Tell][] {
  return [...types.split(" "), ...more].map((type) => [type, tell]);
}

function tellFromBlock(block: unknown): Tell {
  if (!isObject(block)) return "plain";
  const { type } = block;
  if (type === undefined) return CONVERSE_BLOCKS.some((field) => block[field] !== undefined) ? "converse" : "other";
  const known = BLOCK_TYPES.get(type);
  if (known) return known;
  switch (type) {
    case "thinking":
      return block.thinkingSignature !== undefined ? "stored" : block.signature !== undefined ? "anthropic" : "plain";
    case "file":
      return block.mediaType !== undefined || block.data !== undefined ? "ai-sdk-model" : "chat";
    case "image":
      if (isObject(block.source)) return "anthropic";
      return block.image !== undefined ? "ai-sdk-model" : "stored";
    case "input_audio":
      return block.input_audio === undefined ? "spoken" : "shared";
    case "video":
    case "audio":
      if (block.transcript !== undefined) return "spoken";
      return typeof block.data === "string" ? "stored" : "other";
    default:
      return "other";
  }
}

const MAX_FIELDS = 8;

function unknownForm(name: string, list: readonly unknown[], tells: readonly (Tell | undefined)[]): TypeError {
  const at = Math.max(0, ...(["other", "alien", "spoken"] as const).map((tell) => tells.indexOf(tell)));
  const row = list[at];
  const message =
    isObject(row) && isObject(row.message) ? " Where a message is a field of its row, pass the messages." : "";
  const isOld = tells.includes("alien") && isObject(row) && isOfAiSdk4(row);
  const older = isOld ? " It is a message of AI SDK 4: convert the list to messages of AI SDK 5 or later." : "";
  return new TypeError(
    `${name}() expects a list in one of these forms: ${Object.values(FORMS).join(", ")}; found ${describe(row)} at ` +
      `index ${at}.${message}${older} For a request body use openclaw-integrity/wire; ` +
      "a list in another form is not changed.",
  );
}

/** Names a row by its fields and the types of its blocks, without their values. */
function describe(row: unknown): string {
  try {
    if (!isObject(row)) return row === null ? "null" : Array.isArray(row) ? "a list" : `a ${typeof row}`;
    const fields = Object.keys(row);
    const named = fields.slice(0, MAX_FIELDS).map(nameInline).join(", ");
    const kind = typeof row.role === "string" ? `role ${nameInline(row.role)}, ` : "";
    return `an object with ${kind}fields ${named || "none"}${fields.length > MAX_FIELDS ? ", …" : ""}`;
  } catch {
    return "an object that cannot be read";
  }
}
