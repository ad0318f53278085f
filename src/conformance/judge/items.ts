/** Reads the conversation of a request, whatever its API is. It knows no rules and throws at nothing. */
import type { Api } from "../../providers/index.ts";
import { isObject, type JsonObject, parsedJson } from "../../transcript/json/json.ts";
import type { Item } from "../cases/case.ts";
import type { Step } from "../cases/forms.ts";

/** The steps as items. */
export function toItems(steps: readonly Step[]): Item[] {
  const list = new ItemList();
  for (const step of steps) {
    if (step.kind === "result") list.addResult(step.id, step.name, step.text ?? "");
    else list.addText(step.kind, step.text);
    if (step.kind === "assistant") for (const call of step.calls) list.addCall(call.id, call.name, call.input);
  }
  return list.items;
}

/** The conversation of a body, without system prompts, thinking and media. */
export function readItems(api: Api, body: unknown): Item[] {
  const list = new ItemList();
  if (!isObject(body)) return list.items;
  for (const message of objects(body[FIELDS[api]])) READERS[api](message, list);
  return list.items;
}

/** What a system prompt or an instruction says. */
export function readInstructions(body: unknown): string {
  if (!isObject(body)) return "";
  const told = [body["system"], body["instructions"], body["systemInstruction"], body["system_instruction"]];
  const messages = [...objects(body["messages"]), ...objects(body["input"])].filter(({ role }) => isSystem(role));
  return [...told, ...messages].map((one) => JSON.stringify(one) ?? "").join("\n");
}

const FIELDS: Readonly<Record<Api, string>> = {
  "anthropic-messages": "messages",
  "openai-completions": "messages",
  "openai-responses": "input",
  "google-generative-ai": "contents",
  "bedrock-converse-stream": "messages",
};

/** Collects items, and finds the call of each result by its id, or by its name where it has none. */
class ItemList {
  readonly items: Item[] = [];
  private readonly calls: { readonly id: unknown; readonly name: string; isAnswered: boolean }[] = [];

  addText(kind: "user" | "assistant", text: unknown): void {
    if (typeof text !== "string" || text.trim() === "") return;
    const last = this.items.at(-1);
    // Where one text ends and the next begins is the agent's to choose.
    if (last?.kind === kind) this.items[this.items.length - 1] = { kind, text: `${last.text} ${text}` };
    else this.items.push({ kind, text });
  }

  addCall(id: unknown, name: unknown, input: unknown): void {
    this.calls.push({ id, name: String(name), isAnswered: false });
    const parsed = typeof input === "string" ? parsedJson(input) : input;
    this.items.push({ kind: "call", name: String(name), arguments: parsed ?? input ?? null });
  }

  addResult(id: unknown, name: unknown, text: string): void {
    const fits = (one: ItemList["calls"][number]): boolean =>
      id === undefined ? one.name === name && !one.isAnswered : one.id === id;
    // An id that is used again is that of the call before the result.
    const at = id === undefined ? this.calls.findIndex(fits) : this.calls.findLastIndex(fits);
    if (at >= 0) this.calls[at]!.isAnswered = true;
    this.items.push({ kind: "result", call: at < 0 ? null : at, text });
  }
}

const isSystem = (role: unknown): boolean => role === "system" || role === "developer";

function objects(list: unknown): JsonObject[] {
  if (typeof list === "string") return [{ role: "user", content: list }];
  return Array.isArray(list) ? list.filter(isObject) : [];
}

const side = (role: unknown): "user" | "assistant" => (role === "assistant" || role === "model" ? "assistant" : "user");

/** The blocks of a content that can also be a text. */
function blocks(content: unknown): JsonObject[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : objects(content);
}

/** The words of a result, whatever it is wrapped in. */
function resultText(content: unknown): string {
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? content.filter(isObject) : [];
  const texts = parts.map(({ text }) => text).filter((text) => typeof text === "string");
  return texts.length > 0 && texts.length === parts.length ? texts.join(" ") : (JSON.stringify(content) ?? "");
}

type Read = (message: JsonObject, list: ItemList) => void;

const READERS: Readonly<Record<Api, Read>> = {
  "anthropic-messages": ({ role, content }, list) => {
    if (isSystem(role)) return;
    for (const block of blocks(content)) {
      if (block["type"] === "tool_use") list.addCall(block["id"], block["name"], block["input"]);
      else if (block["type"] === "tool_result")
        list.addResult(block["tool_use_id"], undefined, resultText(block["content"]));
      else if (block["type"] === "text") list.addText(side(role), block["text"]);
    }
  },
  "openai-completions": ({ role, content, tool_calls: calls, tool_call_id: id }, list) => {
    if (isSystem(role)) return;
    if (role === "tool") return list.addResult(id, undefined, resultText(content));
    for (const part of blocks(content)) list.addText(side(role), part["text"]);
    for (const call of Array.isArray(calls) ? calls.filter(isObject) : []) {
      const called = isObject(call["function"]) ? call["function"] : {};
      list.addCall(call["id"], called["name"], called["arguments"]);
    }
  },
  "openai-responses": (item, list) => {
    if (isSystem(item["role"])) return;
    if (item["type"] === "function_call") list.addCall(item["call_id"], item["name"], item["arguments"]);
    else if (item["type"] === "function_call_output")
      list.addResult(item["call_id"], undefined, resultText(item["output"]));
    else if (item["role"] !== undefined)
      for (const part of blocks(item["content"])) list.addText(side(item["role"]), part["text"]);
  },
  "google-generative-ai": ({ role, parts }, list) => {
    for (const part of objects(parts)) {
      const call = part["functionCall"] ?? part["function_call"];
      const result = part["functionResponse"] ?? part["function_response"];
      if (isObject(call)) list.addCall(call["id"], call["name"], call["args"] ?? {});
      else if (isObject(result)) list.addResult(result["id"], result["name"], responseText(result["response"]));
      else if (part["thought"] !== true) list.addText(side(role), part["text"]);
    }
  },
  "bedrock-converse-stream": ({ role, content }, list) => {
    for (const block of objects(content)) {
      const { toolUse, toolResult } = block;
      if (isObject(toolUse)) list.addCall(toolUse["toolUseId"], toolUse["name"], toolUse["input"]);
      else if (isObject(toolResult))
        list.addResult(toolResult["toolUseId"], undefined, resultText(toolResult["content"]));
      else list.addText(side(role), block["text"]);
    }
  },
};

/** Gemini takes objects only; what programs wrap a text in is theirs to choose. */
function responseText(response: unknown): string {
  const values = isObject(response) ? Object.values(response) : [];
  return values.length === 1 && typeof values[0] === "string" ? values[0] : (JSON.stringify(response) ?? "");
}
