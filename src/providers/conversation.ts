import { isObject } from "./json.ts";
import { cyclePart } from "./rules/responses-tools.ts";
import type { Api, JsonObject } from "./types.ts";

/** A call or a result, and where it stands: its message (or item) and its path in the API's spelling. */
export interface ToolPart {
  message: number;
  path: string;
  /** The tool's name; "" where the API does not say it. */
  name: string;
}

export interface ResultPart extends ToolPart {
  /** Characters of text or JSON in it. */
  chars: number;
  images: number;
}

/** What one side says before the other speaks. */
export interface Turn {
  text: boolean;
  calls: ToolPart[];
  results: ResultPart[];
}

/**
 * The turns of a body as far as tools concern them; system prompt and tool definitions are left out. Pure, never
 * throws.
 */
export function readTurns(api: Api, body: unknown): Turn[] {
  const items = listItems(api, body);
  return api === "openai-responses" ? responsesTurns(items) : items.map((item, i) => READ[api](item, i));
}

/** Every string that the conversation of a body holds; system prompt and tool definitions are left out. */
export function conversationStrings(api: Api, body: unknown): string[] {
  const strings: string[] = [];
  const left: unknown[] = listItems(api, body).filter(({ role }) => role !== "system" && role !== "developer");
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value === "string") strings.push(value);
    else if (Array.isArray(value)) left.push(...defined(value));
    else if (isObject(value)) left.push(...defined(Object.values(value)));
  }
  return strings;
}

const LISTS: Record<Api, string> = {
  "anthropic-messages": "messages",
  "openai-completions": "messages",
  "openai-responses": "input",
  "google-generative-ai": "contents",
  "bedrock-converse-stream": "messages",
};

function listItems(api: Api, body: unknown): JsonObject[] {
  const list = isObject(body) ? body[LISTS[api]] : undefined;
  if (typeof list === "string") return [{ role: "user", content: list }];
  return Array.isArray(list) ? list.map((item: unknown) => (isObject(item) ? item : {})) : [];
}

function defined(values: unknown[]): unknown[] {
  return values.filter((value) => value !== undefined && value !== null);
}

function objects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.map((one: unknown) => (isObject(one) ? one : {})) : [];
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const under = (value: unknown, key: string): unknown => (isObject(value) ? value[key] : undefined);
const empty = (): Turn => ({ text: false, calls: [], results: [] });

/** Text and images of a result's content: a string, or parts of which images are known by their type or key. */
function measured(content: unknown): { chars: number; images: number } {
  if (typeof content === "string") return { chars: content.length, images: 0 };
  let [chars, images] = [0, 0];
  for (const part of objects(content)) {
    if (/image/.test(text(part["type"])) || part["image"] !== undefined || part["inlineData"] !== undefined) images++;
    else if (part["json"] !== undefined) chars += JSON.stringify(part["json"]).length;
    else chars += text(part["text"]).length;
  }
  return { chars, images };
}

const READ: Record<Exclude<Api, "openai-responses">, (item: JsonObject, message: number) => Turn> = {
  "anthropic-messages": (item, message) => {
    const turn: Turn = { ...empty(), text: text(item["content"]) !== "" };
    for (const [b, block] of objects(item["content"]).entries()) {
      const part = { message, path: `messages.${message}.content.${b}`, name: text(block["name"]) };
      if (block["type"] === "text") turn.text = true;
      else if (block["type"] === "tool_use") turn.calls.push(part);
      else if (block["type"] === "tool_result") turn.results.push({ ...part, ...measured(block["content"]) });
    }
    return turn;
  },
  "openai-completions": (item, message) => {
    const path = `messages[${message}]`;
    if (item["role"] === "tool") {
      return { ...empty(), results: [{ message, path, name: text(item["name"]), ...measured(item["content"]) }] };
    }
    const content = item["content"];
    const calls = objects(item["tool_calls"]).map((call, c) => ({
      message,
      path: `${path}.tool_calls[${c}]`,
      name: text(under(call["function"], "name")),
    }));
    return {
      text: text(content) !== "" || objects(content).some((part) => text(part["text"]) !== ""),
      calls,
      results: [],
    };
  },
  "google-generative-ai": (item, message) => {
    const turn = empty();
    for (const [p, value] of objects(item["parts"]).entries()) {
      const path = `contents[${message}].parts[${p}]`;
      const { functionCall: call, functionResponse: response } = value;
      if (call !== undefined) turn.calls.push({ message, path, name: text(under(call, "name")) });
      else if (response !== undefined) {
        const { images } = measured(under(response, "parts"));
        const chars = JSON.stringify(under(response, "response") ?? {}).length;
        turn.results.push({ message, path, name: text(under(response, "name")), chars, images });
      } else if (text(value["text"]) !== "" && value["thought"] !== true) turn.text = true;
    }
    return turn;
  },
  "bedrock-converse-stream": (item, message) => {
    const turn = empty();
    for (const [b, block] of objects(item["content"]).entries()) {
      const path = `messages.${message}.content.${b}`;
      const { toolUse: call, toolResult: result } = block;
      if (call !== undefined) turn.calls.push({ message, path, name: text(under(call, "name")) });
      else if (result !== undefined)
        turn.results.push({ message, path, name: "", ...measured(under(result, "content")) });
      else if (text(block["text"]) !== "") turn.text = true;
    }
    return turn;
  },
};

/** Responses has no turns: the items that the model makes in one go stand in a row. */
function responsesTurns(items: JsonObject[]): Turn[] {
  const turns: { turn: Turn; ours: boolean }[] = [];
  for (const [message, item] of items.entries()) {
    const type = text(item["type"]);
    const ours =
      item["role"] === "user" || type.endsWith("_output") || item["role"] === "system" || item["role"] === "developer";
    let last = turns.at(-1);
    if (last === undefined || last.ours !== ours) turns.push((last = { turn: empty(), ours }));
    const part = { message, path: `input[${message}]`, name: text(item["name"]) };
    const kind = cyclePart(item)?.kind;
    if (kind === "call") last.turn.calls.push(part);
    else if (kind === "output") last.turn.results.push({ ...part, ...measured(item["output"]) });
    else if (item["role"] !== undefined) last.turn.text = true;
  }
  return turns.map(({ turn }) => turn);
}
