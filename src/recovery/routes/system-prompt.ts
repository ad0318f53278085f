import { isObject, type JsonObject } from "../../transcript/json/json.ts";

/** Types of parts that make a message one of results, before which no words may stand. */
const RESULTS: ReadonlySet<unknown> = new Set(["tool_result", "function_call_output"]);

/**
 * Puts the system prompt of a body, in the form of any API, in front of the first words of the user; a later message of
 * such a role becomes the user's. Returns the same object where there is none, and where the history is no list (an
 * `input` of text). Idempotent; no words are lost.
 */
export function withoutSystem(body: JsonObject): JsonObject {
  const field = (["messages", "input", "contents"] as const).find((name) => Array.isArray(body[name]));
  if (field === undefined) return body;
  const history = body[field] as unknown[];
  const { rest, texts } = withoutFields(body);
  const first = history.findIndex((item) => !isSystem(item));
  const begin = first < 0 ? history.length : first;
  texts.push(...history.slice(0, begin).map((item) => readPrompt((item as JsonObject).content ?? item)));
  const later = history.slice(begin);
  if (rest === body && begin === 0 && !later.some(isSystem)) return body;
  const talk = later.map((item) => (isSystem(item) ? { ...(item as JsonObject), role: "user" } : item));
  const text = texts.filter((one) => one.trim() !== "").join("\n\n");
  return { ...rest, [field]: text === "" ? talk : withOpening(talk, text, field) };
}

function isSystem(item: unknown): boolean {
  return isObject(item) && (item.role === "system" || item.role === "developer");
}

/** Takes out the fields that hold a system prompt beside the history. */
function withoutFields(body: JsonObject): { rest: JsonObject; texts: string[] } {
  const texts: string[] = [];
  let rest = body;
  for (const name of ["system", "instructions", "systemInstruction"])
    if (body[name] !== undefined && readPrompt(body[name]) !== "") {
      const { [name]: prompt, ...others } = rest;
      texts.push(readPrompt(prompt));
      rest = others;
    }
  const { config } = rest;
  if (!isObject(config) || readPrompt(config.systemInstruction) === "") return { rest, texts };
  const { systemInstruction, ...others } = config;
  return { rest: { ...rest, config: others }, texts: [...texts, readPrompt(systemInstruction)] };
}

/** Puts words in front of the first message of the user that is no result; where there is none, in one of its own. */
function withOpening(talk: readonly unknown[], text: string, field: "messages" | "input" | "contents"): unknown[] {
  const at = talk.findIndex(isAsked);
  const asked = at < 0 ? undefined : (talk[at] as JsonObject);
  if (!asked)
    return [field === "contents" ? { role: "user", parts: [{ text }] } : { role: "user", content: text }, ...talk];
  const list = field === "contents" ? "parts" : "content";
  const given = asked[list];
  const [part] = Array.isArray(given) ? (given as unknown[]) : [];
  const opening =
    field === "contents" ? { text } : { ...(isObject(part) && part.type === undefined ? {} : partType(field)), text };
  const words = Array.isArray(given) ? [opening, ...(given as unknown[])] : `${text}\n\n${String(given)}`;
  return [...talk.slice(0, at), { ...asked, [list]: words }, ...talk.slice(at + 1)];
}

/** Returns the type of a text among the parts of such a list. */
function partType(field: "messages" | "input"): { type: string } {
  return { type: field === "input" ? "input_text" : "text" };
}

function isAsked(item: unknown): boolean {
  if (!isObject(item) || item.role !== "user") return false;
  const parts = item.content ?? item.parts;
  if (typeof parts === "string") return true;
  return (
    Array.isArray(parts) &&
    !(parts as unknown[]).some(
      (part) =>
        isObject(part) && (RESULTS.has(part.type) || isObject(part.functionResponse) || isObject(part.toolResult)),
    )
  );
}

/** Returns the words of a prompt: text, parts with text, or an object with such parts. */
function readPrompt(prompt: unknown): string {
  if (typeof prompt === "string") return prompt;
  const parts = isObject(prompt) ? (prompt.parts ?? prompt.text) : prompt;
  if (typeof parts === "string") return parts;
  if (!Array.isArray(parts)) return "";
  return (parts as unknown[])
    .map((part) => (typeof part === "string" ? part : isObject(part) && typeof part.text === "string" ? part.text : ""))
    .filter((text) => text !== "")
    .join("\n\n");
}
