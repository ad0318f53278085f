import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { mapChanged } from "../../transcript/json/list.ts";
import type { RouteFact } from "../route-fact.ts";
import { documentText } from "../forms/fewer-pictures.ts";
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
  if (has("no_documents") || has("text_only")) shaped = inHistory(shaped, (item) => withoutDocuments(item, 0));
  if (has("text_only") || (has("no_text_parts") && isChat(body))) shaped = inHistory(shaped, withText);
  return shaped;
}

/** True for a body that is certainly of Chat Completions, by its roles; false for one of user and assistant only. */
function isChat({ messages }: JsonObject): boolean {
  return Array.isArray(messages) && (messages as unknown[]).some((item) => isObject(item) && CHAT_ROLES.has(item.role));
}

function inHistory(body: JsonObject, change: (item: unknown) => unknown): JsonObject {
  for (const field of HISTORIES) {
    const history = body[field];
    if (!Array.isArray(history)) continue;
    const changed = mapChanged(history as unknown[], change);
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

function withoutDocuments(value: unknown, depth: number): unknown {
  if (!isObject(value) || depth > MAX_DEPTH) return value;
  const text = depth > 0 ? textInPlace(value) : undefined;
  if (text) return text;
  let changed = value;
  for (const field of ["content", "parts", "toolResult"]) {
    const inner = value[field];
    const next = Array.isArray(inner)
      ? mapChanged(inner as unknown[], (part) => withoutDocuments(part, depth + 1))
      : withoutDocuments(inner, depth + 1);
    if (next !== inner) changed = { ...changed, [field]: next };
  }
  return changed;
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
