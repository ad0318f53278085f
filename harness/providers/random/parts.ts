import { isObject } from "../../../src/providers/index.ts";
import type { Api, JsonObject } from "../../../src/providers/index.ts";

/** One piece of a conversation in a request body, whatever the API calls it. */
export interface Part {
  kind: "text" | "call" | "result" | "picture" | "thinking" | "system";
  /** The role of the message that it is in, in the API's own word. */
  role: string;
  /** Index of its message (item) in the API's list; -1 for a system prompt outside of it. */
  message: number;
  /** Index of its block in the message. */
  block: number;
  /** Its words: the text, the arguments as JSON, the text of a result; for a picture its data. */
  words: string;
  /** Name of the tool of a call. */
  name?: string;
  /** The call's id, of a call or a result. */
  id?: string;
  /** True for a picture inside of a result. */
  isOfResult?: boolean;
}

/** All parts of a body, in their order. Pure; takes any JSON. */
export function splitBody(api: Api, body: unknown): Part[] {
  const fields = isObject(body) ? body : {};
  const list = objects(fields[LISTS[api]]);
  const items = typeof fields[LISTS[api]] === "string" ? [{ role: "user", content: fields[LISTS[api]] }] : list;
  return [...systemParts(fields), ...items.flatMap((item, at) => READ[api](item, at))];
}

const LISTS: Record<Api, string> = {
  "anthropic-messages": "messages",
  "openai-completions": "messages",
  "openai-responses": "input",
  "google-generative-ai": "contents",
  "bedrock-converse-stream": "messages",
};

const SYSTEM_ROLES = ["system", "developer"];

function systemParts({ system, instructions, systemInstruction }: JsonObject): Part[] {
  const given = system ?? instructions ?? (isObject(systemInstruction) ? systemInstruction["parts"] : undefined);
  const words = joinText(given);
  return words === "" ? [] : [{ kind: "system", role: "system", message: -1, block: 0, words }];
}

function objects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.map((one: unknown) => (isObject(one) ? one : {})) : [];
}

const str = (value: unknown): string => (typeof value === "string" ? value : "");
const json = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

/** The text of a content: a string, or blocks with a text. */
function joinText(content: unknown): string {
  if (typeof content === "string") return content;
  return objects(content)
    .map(({ text, json: value }) => (value === undefined ? str(text) : json(value)))
    .filter((words) => words !== "")
    .join("\n");
}

/** The data of a block that is a picture in any API; undefined where it is none. */
function pictureIn(block: JsonObject): string | undefined {
  const { type, source, image_url: url, image, inlineData } = block;
  if (type === "image" && isObject(source)) return str(source["data"]);
  if (url !== undefined) return str(isObject(url) ? url["url"] : url);
  if (isObject(image) && isObject(image["source"])) return str(image["source"]["bytes"]);
  return isObject(inlineData) ? str(inlineData["data"]) : undefined;
}

type Place = Pick<Part, "role" | "message" | "block">;

/** The parts of a result: itself, and the pictures in it. */
function resultParts(place: Place, id: string, content: unknown): Part[] {
  const pictures = objects(content).flatMap((block) => pictureIn(block) ?? []);
  return [
    { ...place, kind: "result", words: joinText(content), id },
    ...pictures.map((words): Part => ({ ...place, kind: "picture", words, id, isOfResult: true })),
  ];
}

/** The parts of a content that all APIs have: text and pictures. */
function plainParts(role: string, message: number, content: unknown): Part[] {
  const kind = SYSTEM_ROLES.includes(role) ? "system" : "text";
  if (typeof content === "string") return content === "" ? [] : [{ kind, role, message, block: 0, words: content }];
  return objects(content).flatMap((block, at): Part[] => {
    const picture = pictureIn(block);
    if (picture !== undefined) return [{ kind: "picture", role, message, block: at, words: picture }];
    const words = str(block["text"]);
    return words === "" ? [] : [{ kind, role, message, block: at, words }];
  });
}

const READ: Record<Api, (item: JsonObject, message: number) => Part[]> = {
  "anthropic-messages": (item, message) => {
    const role = str(item["role"]);
    if (!Array.isArray(item["content"])) return plainParts(role, message, item["content"]);
    return objects(item["content"]).flatMap((block, at): Part[] => {
      const place = { role, message, block: at };
      const { type } = block;
      if (type === "tool_use")
        return [
          { ...place, kind: "call", words: json(block["input"]), id: str(block["id"]), name: str(block["name"]) },
        ];
      if (type === "tool_result") return resultParts(place, str(block["tool_use_id"]), block["content"]);
      if (type === "thinking" || type === "redacted_thinking")
        return [{ ...place, kind: "thinking", words: str(block["thinking"]) }];
      return plainParts(role, message, [block]).map((part) => ({ ...part, block: at }));
    });
  },
  "openai-completions": (item, message) => {
    const role = str(item["role"]);
    const place = { role, message, block: 0 };
    if (role === "tool") return resultParts(place, str(item["tool_call_id"]), item["content"]);
    const thought = str(item["reasoning_content"]) || str(item["reasoning"]);
    const thinking: Part[] = thought === "" ? [] : [{ ...place, kind: "thinking", words: thought }];
    const calls = objects(item["tool_calls"]).map((call, block): Part => {
      const made = isObject(call["function"]) ? call["function"] : {};
      const words = json(made["arguments"]);
      return { role, message, block, kind: "call", words, id: str(call["id"]), name: str(made["name"]) };
    });
    return [...thinking, ...plainParts(role, message, item["content"]), ...calls];
  },
  "openai-responses": (item, message) => {
    const type = str(item["type"]);
    const own = { role: "assistant", message, block: 0 };
    const id = str(item["call_id"]);
    if (type === "function_call")
      return [{ ...own, kind: "call", words: json(item["arguments"]), id, name: str(item["name"]) }];
    if (type === "function_call_output") return resultParts({ ...own, role: "tool" }, id, item["output"]);
    if (type === "reasoning") return [{ ...own, kind: "thinking", words: joinText(item["summary"]) }];
    return plainParts(str(item["role"]), message, item["content"]);
  },
  "google-generative-ai": (item, message) => {
    const role = str(item["role"]);
    return objects(item["parts"]).flatMap((part, block): Part[] => {
      const place = { role, message, block };
      const { functionCall: call, functionResponse: response } = part;
      if (isObject(call))
        return [{ ...place, kind: "call", words: json(call["args"]), id: str(call["id"]), name: str(call["name"]) }];
      if (isObject(response)) {
        const id = str(response["id"]);
        const pictures = resultParts(place, id, response["parts"]).filter(({ kind }) => kind === "picture");
        return [{ ...place, kind: "result", words: json(response["response"]), id }, ...pictures];
      }
      if (part["thought"] === true) return [{ ...place, kind: "thinking", words: str(part["text"]) }];
      return plainParts(role, message, [part]).map((one) => ({ ...one, block }));
    });
  },
  "bedrock-converse-stream": (item, message) => {
    const role = str(item["role"]);
    return objects(item["content"]).flatMap((part, block): Part[] => {
      const place = { role, message, block };
      const { toolUse: call, toolResult: result } = part;
      if (isObject(call)) {
        const id = str(call["toolUseId"]);
        return [{ ...place, kind: "call", words: json(call["input"]), id, name: str(call["name"]) }];
      }
      if (isObject(result)) return resultParts(place, str(result["toolUseId"]), result["content"]);
      if (part["reasoningContent"] !== undefined)
        return [{ ...place, kind: "thinking", words: json(part["reasoningContent"]) }];
      return plainParts(role, message, [part]).map((one) => ({ ...one, block }));
    });
  },
};

/** How many tokens of an answer a request asks for at most; Infinity where it does not say. */
export function mostTokens(body: unknown): number {
  const fields = isObject(body) ? body : {};
  const inside = (name: string): JsonObject => (isObject(fields[name]) ? fields[name] : {});
  const said = [
    fields["max_tokens"],
    fields["max_completion_tokens"],
    fields["max_output_tokens"],
    inside("generationConfig")["maxOutputTokens"],
    inside("inferenceConfig")["maxTokens"],
  ];
  return said.find((value): value is number => typeof value === "number") ?? Infinity;
}

/** The same body with nothing of its conversation but the last message of a person's, in words. */
export function withLastWordsOnly(api: Api, body: JsonObject, words: string): JsonObject {
  const list = objects(body[LISTS[api]]);
  const systems = list.filter(({ role }) => SYSTEM_ROLES.includes(str(role)));
  const parts = [{ text: words }];
  const last: Record<Api, JsonObject> = {
    "anthropic-messages": { role: "user", content: [{ type: "text", text: words }] },
    "openai-completions": { role: "user", content: words },
    "openai-responses": { role: "user", content: [{ type: "input_text", text: words }] },
    "google-generative-ai": { role: "user", parts },
    "bedrock-converse-stream": { role: "user", content: parts },
  };
  return { ...body, [LISTS[api]]: [...systems, last[api]] };
}
