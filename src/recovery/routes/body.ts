import { isObject, toJson, type JsonObject } from "../../transcript/json/json.ts";
import { mapChanged } from "../../transcript/json/list.ts";
import type { RouteFact } from "../route-fact.ts";
import { documentText } from "../forms/fewer-pictures.ts";
import { hasNewField, hasNewType } from "../../transcript/block-types.ts";
import { readText } from "../../transcript/json/text.ts";
import { withoutSystem } from "./system-prompt.ts";

/** The fields of the APIs' bodies that hold the history. */
const HISTORIES = ["messages", "input", "contents"] as const;
const CHAT_ROLES: ReadonlySet<unknown> = new Set(["system", "developer", "tool"]);
/** Deeper than a document in a result: one message, its parts, the parts of a result. */
const MAX_DEPTH = 4;

/**
 * Changes a request body of any API to what its route takes, by those facts that are about bodies; the same object
 * where nothing changes. Deterministic and idempotent. No text of a message is lost; a document is replaced by its text
 * where it is plain (Anthropic), else by a sentence.
 */
export function shapeBody(body: JsonObject, facts: readonly RouteFact[]): JsonObject {
  const has = (what: RouteFact["what"]): boolean => facts.some((fact) => fact.what === what);
  let shaped = body;
  if (has("no_developer_role")) shaped = inHistory(shaped, withSystemRole);
  if (has("no_system_role")) shaped = withoutSystem(shaped);
  if (has("no_documents") || has("text_only")) shaped = inHistory(shaped, (item) => changeParts(item, textInPlace));
  if (has("no_new_types")) shaped = inHistory(shaped, withKnownTypes);
  if (has("text_only") || (has("no_text_parts") && isChat(body))) shaped = inHistory(shaped, withText);
  return shaped;
}

/** True for a body that is certainly of Chat Completions, by its roles; false for one of user and assistant only. */
function isChat({ messages }: JsonObject): boolean {
  return Array.isArray(messages) && (messages as unknown[]).some((item) => isObject(item) && CHAT_ROLES.has(item.role));
}

function inHistory(body: JsonObject, change: (item: unknown, field: string) => unknown): JsonObject {
  for (const field of HISTORIES) {
    const history = body[field];
    if (!Array.isArray(history)) continue;
    const changed = mapChanged(history as unknown[], (item) => change(item, field));
    return changed === history ? body : { ...body, [field]: changed };
  }
  return body;
}

function withSystemRole(item: unknown): unknown {
  return isObject(item) && item.role === "developer" ? { ...item, role: "system" } : item;
}

/** Joins the parts of a message of Chat Completions, where all of them are text. */
function withText(item: unknown): unknown {
  if (!isObject(item) || !Array.isArray(item.content)) return item;
  const texts: string[] = [];
  for (const part of item.content as unknown[]) {
    if (!isObject(part) || part.type !== "text" || typeof part.text !== "string") return item;
    texts.push(part.text);
  }
  return { ...item, content: texts.join("\n") };
}

/** Changes the parts of an item, and the parts in these; a part that `change` replaces is not looked into. */
function changeParts(value: unknown, change: (part: JsonObject) => JsonObject | undefined, depth = 0): unknown {
  if (!isObject(value) || depth > MAX_DEPTH) return value;
  const replaced = depth > 0 ? change(value) : undefined;
  if (replaced) return replaced;
  let changed = value;
  for (const field of ["content", "parts", "output", "toolResult"]) {
    const inner = value[field];
    const next = Array.isArray(inner)
      ? mapChanged(inner as unknown[], (part) => changeParts(part, change, depth + 1))
      : changeParts(inner, change, depth + 1);
    if (next !== inner) changed = { ...changed, [field]: next };
  }
  return changed;
}

/** Turns what has a type that no known form has into text of the same speaker; an item of no role is the assistant's. */
function withKnownTypes(item: unknown, field: string): unknown {
  if (!isObject(item)) return item;
  const isOfModel = typeof item.role !== "string" || item.role === "assistant";
  const asText = (part: JsonObject): JsonObject | undefined => {
    const hasField = typeof part.type !== "string";
    if (hasField ? !hasNewField(part) : !hasNewType(part))
      // A block of a server holds parts of its own.
      return hasField || part.type === "tool_result" ? undefined : part;
    const text = readText(part) || toJson(part);
    if (hasField) return { text };
    if (field !== "input") return { type: "text", text };
    return isOfModel && item.output === undefined
      ? { type: "output_text", text, annotations: [] }
      : { type: "input_text", text };
  };
  if (field !== "input" || !hasNewType(item)) return changeParts(item, asText);
  return { type: "message", role: isOfModel ? "assistant" : item.role, content: [asText(item)] };
}

/** Returns the words in place of a document, in the form of its API; undefined for any other part. */
function textInPlace(part: JsonObject): JsonObject | undefined {
  const text = documentText(part);
  if (part.type === "document" || part.type === "file") return { type: "text", text };
  if (part.type === "input_file") return { type: "input_text", text };
  if (part.type !== undefined) return undefined;
  const { document, inlineData } = part;
  if (isObject(document)) return { text };
  const isMedia = isObject(inlineData) && !/^application\/|^text\//.test(String(inlineData.mimeType));
  return isObject(inlineData) && !isMedia ? { text } : undefined;
}
