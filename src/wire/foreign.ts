/**
 * Reads what stands in a body in another form than its API's: messages as OpenClaw stores them, or as another API takes
 * them. {@link repair} brings their calls and results into one spelling.
 */
import { isObject, type JsonObject } from "../transcript/json/json.ts";
import { isResultBlock, isResultRole } from "../transcript/read.ts";
import type { BodyMessage, Dialect } from "./model.ts";

const FIELDS: readonly Dialect["field"][] = ["messages", "input", "contents"];

/** Returns the field that holds the history of a body whose own field has none; undefined for nearly every body. */
export function foreignField(body: JsonObject, field: Dialect["field"]): string | undefined {
  if (body[field] !== undefined && body[field] !== null) return undefined;
  return FIELDS.find((name) => name !== field && body[name] !== undefined && body[name] !== null);
}

/**
 * Returns the body with its history in the field of its API; the same body when it is there, as a list or as a text. A
 * single message becomes a list of one.
 */
export function inOwnField(body: JsonObject, field: Dialect["field"]): JsonObject {
  const from = foreignField(body, field) ?? field;
  const history = body[from];
  if (from === field && (Array.isArray(history) || typeof history === "string" || history === undefined)) return body;
  const { [from]: _moved, ...rest } = body;
  return { ...rest, [field]: toItems(history) };
}

/** Returns the items of a history that is a list, or one text. */
export function toItems(history: unknown): unknown[] {
  if (Array.isArray(history)) return history;
  return history === undefined || history === null ? [] : [history];
}

/** True for the assistant, under the name that any API has for it. */
export function isAssistantRole(role: unknown): boolean {
  return role === "assistant" || role === "model" || role === "ai";
}

/**
 * Returns a message that is a tool result as a whole, as OpenClaw and chat servers have them; undefined for any other
 * message, and for one whose content holds result blocks.
 */
export function wholeResult(message: JsonObject): BodyMessage | undefined {
  if (!isResultRole(message.role) || message.parts !== undefined) return undefined;
  const { content } = message;
  return Array.isArray(content) && content.some(isResultBlock) ? undefined : (message as BodyMessage);
}

/** Fields that say nothing to a model. */
const SILENT = new Set(["role", "type", "id", "name", "status", "timestamp", "parts", "content", "tool_calls"]);

/**
 * Returns what a message says as a list, under the name that any API has for it. For a message without content, such as
 * OpenClaw's record of a command, its other fields.
 */
export function listContent(message: JsonObject, own: "content" | "parts" = "content"): unknown[] {
  const said = message[own] ?? message[own === "parts" ? "content" : "parts"];
  if (said === undefined || said === null) return otherWords(message);
  return Array.isArray(said) ? said : [said];
}

/** Returns the calls that an assistant message has beside its content, as chat servers have them. */
export function callsBeside({ role, tool_calls: calls }: JsonObject): unknown[] {
  if (!isAssistantRole(role) || !Array.isArray(calls)) return [];
  return calls.map((call: unknown) =>
    isObject(call) && isObject(call.function) ? { ...call, type: "function" } : call,
  );
}

function otherWords(message: JsonObject): unknown[] {
  if ("content" in message || "parts" in message || "tool_calls" in message) return [];
  const rest = Object.entries(message).filter(([key, value]) => !SILENT.has(key) && value !== null);
  if (rest.length === 1 && typeof rest[0]![1] === "string") return [rest[0]![1]];
  return rest.length === 0 ? [] : [Object.fromEntries(rest)];
}
