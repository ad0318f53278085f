import { isObject, shown, unparsable } from "../json.ts";
import { isMistral } from "../models.ts";
import type { JsonObject, RuleContext, Violation } from "../types.ts";
import { completionsTurns, type Dialect } from "./completions-turns.ts";
import { Findings } from "./findings.ts";
import { OpenAiTexts } from "./openai-texts.ts";

const ROLES = ["system", "assistant", "user", "function", "tool", "developer"] as const;
const FUNCTION_NAME = /^[a-zA-Z0-9_-]+$/;
/** Fields of a message, those of compatible servers (reasoning) included. */
const MESSAGE_FIELDS = new Set([
  "role",
  "content",
  "name",
  "tool_calls",
  "tool_call_id",
  "refusal",
  "audio",
  "function_call",
  "reasoning_content",
  "reasoning",
  "reasoning_text",
  "reasoning_details",
  "cache_control",
  "prefix",
  "phase",
  "annotations",
]);
const RARE_FIELDS = new Set(["partial", "thinking_blocks", "provider_specific_fields"]);
/** Recorded: "property 'x' is unsupported", "Extra inputs are not permitted", "Unknown name". */
const REFUSING_HOSTS = /(?:mistral\.ai|groq\.com|cerebras\.ai|fireworks\.ai|opencode\.ai|googleapis\.com)$/;
const CALL_FIELDS = new Set(["id", "type", "function", "custom", "index", "extra_content", "cache_control"]);
/** Fields that a part of any type may have. */
const MARKS = new Set(["cache_control", "prompt_cache_breakpoint"]);
const PARTS: Record<string, readonly string[]> = {
  user: ["text", "image_url", "input_audio", "file", "video_url"],
  assistant: ["text", "refusal"],
  system: ["text"],
  developer: ["text"],
  tool: ["text"],
  function: ["text"],
};

/** The rules of OpenAI's Chat Completions and of the servers that speak it. */
export function completionsViolations(body: unknown, context: RuleContext = {}): Violation[] {
  const found = new Findings();
  if (unparsable(body) !== undefined || !isObject(body)) {
    found.add(
      "",
      "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)",
    );
    return found.list;
  }
  const model = body["model"] === undefined ? (context.model ?? "") : shown(body["model"]);
  const dialect: Dialect = {
    mistral: isMistral(model),
    // Recorded: mistral-small took a user's message behind a tool's; mistral-large refused it (openclaw#33177).
    userAfterTool: /mistral-small/i.test(model),
    alternating: /gemma|llama-?2|vicuna|deepseek-(?:reasoner|r1)|^(?:perplexity\/)?sonar/i.test(model),
    // Of those who play this API, OpenAI looks at the form most closely.
    openAi: hostIsOpenAi(context.host, model),
    // Moonshot was seen to refuse blank text; of OpenAI no refusal is known.
    silence: context.host === "api.openai.com",
    rareFields: context.host !== undefined && !REFUSING_HOSTS.test(context.host) && !hostIsOpenAi(context.host, model),
  };
  if (/deepseek/i.test(model)) dialect.thinking = "deepseek";
  else if (/kimi|moonshot|mimo/i.test(model)) dialect.thinking = "kimi";
  new Shape(found, dialect).check(body);
  if (found.clean) completionsTurns(body, body["messages"] as JsonObject[], dialect, found);
  return found.list;
}

const OTHER_MAKERS =
  /claude|anthropic|gemini|gemma|grok|deepseek|llama|qwen|kimi|moonshot|glm|minimax|mimo|sonar|gpt-oss|mistral|mixtral|codestral|devstral|magistral|ministral|pixtral/i;

/** OpenAI's own server, and whoever serves its models under their names; without a host the model tells. */
function hostIsOpenAi(host: string | undefined, model: string): boolean {
  if (host === undefined) return !OTHER_MAKERS.test(model);
  return host === "api.openai.com" || host === "azure";
}

class Shape {
  private readonly texts: OpenAiTexts;
  private readonly found: Findings;
  private readonly dialect: Dialect;

  constructor(found: Findings, dialect: Dialect) {
    this.found = found;
    this.texts = new OpenAiTexts(found);
    this.dialect = dialect;
  }

  check(body: JsonObject): void {
    const { texts } = this;
    texts.string("model", body["model"]);
    const { messages, stream, tools } = body;
    if (messages === undefined) texts.missing("messages");
    else if (!Array.isArray(messages)) texts.type("messages", "an array of objects", messages);
    else if (messages.length === 0) texts.emptyArray("messages");
    else messages.forEach((message: unknown, i) => this.message(message, `messages[${i}]`, i));
    if (stream !== undefined && stream !== null && typeof stream !== "boolean")
      texts.type("stream", "a boolean", stream);
    if (tools !== undefined && tools !== null) this.tools(tools);
  }

  private message(message: unknown, path: string, i: number): void {
    const { texts } = this;
    if (!isObject(message)) {
      texts.type(path, "an object", message);
      return;
    }
    const role = message["role"];
    if (role === undefined) texts.missing(`${path}.role`);
    else if (!ROLES.some((one) => one === role)) texts.choice(`${path}.role`, role, ROLES);
    else this.content(message, shown(role), path, i);
    const { rareFields } = this.dialect;
    for (const key of Object.keys(message))
      if (!MESSAGE_FIELDS.has(key) && !(rareFields && RARE_FIELDS.has(key))) texts.unknown(`${path}.${key}`);
    const { tool_calls: calls, name } = message;
    if (name !== undefined && name !== null && typeof name !== "string") texts.type(`${path}.name`, "a string", name);
    for (const key of ["reasoning_content", "reasoning", "reasoning_text"]) {
      const value = message[key];
      if (value !== undefined && value !== null && typeof value !== "string")
        texts.type(`${path}.${key}`, "a string", value);
    }
    if (calls !== undefined && calls !== null) {
      if (role !== "assistant") texts.unknown(`${path}.tool_calls`);
      else if (!Array.isArray(calls)) texts.type(`${path}.tool_calls`, "an array of objects", calls);
      else if (calls.length === 0 && !this.dialect.mistral) texts.emptyArray(`${path}.tool_calls`);
      else calls.forEach((call: unknown, c) => this.call(call, `${path}.tool_calls[${c}]`));
    }
    if (role === "tool") this.id(message["tool_call_id"], `${path}.tool_call_id`);
    else if (message["tool_call_id"] !== undefined) texts.unknown(`${path}.tool_call_id`);
  }

  private content(message: JsonObject, role: string, path: string, i: number): void {
    const { content } = message;
    const { texts, found } = this;
    const at = `${path}.content`;
    const calls = Array.isArray(message["tool_calls"]) && message["tool_calls"].length > 0;
    const nothing = Array.isArray(content)
      ? this.dialect.mistral && content.length === 0
      : content === undefined || content === null;
    const empty = nothing || (typeof content === "string" && content.trim() === "");
    if (role === "assistant" && empty) {
      // Recorded: Kimi and others send back blank text beside their calls.
      if (calls || typeof message["refusal"] === "string" || isObject(message["audio"])) return;
      // OpenAI's API reference: content is required unless `tool_calls` or `function_call` is there.
      if (isObject(message["function_call"])) return;
      found.add(
        at,
        this.dialect.mistral
          ? "Assistant message must have either content or tool_calls, but not none."
          : "Invalid value for 'content': expected a string, got null.",
        this.dialect.mistral ? "3240" : undefined,
      );
      return;
    }
    if (content === undefined) texts.missing(at);
    else if (typeof content === "string") {
      // Output of a tool may be blank; nobody else may say nothing.
      const isTaken = role === "tool" || (role === "user" && this.dialect.silence);
      if (!isTaken && content.trim() === "") this.blank(at, role, i);
    } else if (!Array.isArray(content)) texts.type(at, "one of a string or array of objects", content);
    else if (content.length === 0) texts.emptyArray(at);
    else content.forEach((part: unknown, p) => this.part(part, role, `${at}[${p}]`, i));
  }

  private blank(path: string, role: string, i: number): void {
    this.found.add(path, `Invalid request: message at position ${i} with role '${role}' must not be empty`);
  }

  private part(part: unknown, role: string, path: string, i: number): void {
    const { texts } = this;
    if (!isObject(part)) {
      texts.type(path, "an object", part);
      return;
    }
    const type = part["type"];
    if (type === undefined) texts.missing(`${path}.type`);
    else if (role === "tool" && type === "image_url" && !this.isOwnPart(role, type))
      this.found.add(
        path,
        `Invalid 'messages[${i}]'. Image URLs are only allowed for messages with role 'user', but this message with role 'tool' contains an image URL.`,
      );
    else if (!this.isOwnPart(role, type) && !PARTS[role]?.includes(shown(type)))
      texts.choice(`${path}.type`, type, PARTS[role] ?? []);
    else if (type === "text") {
      if (typeof part["text"] === "string") {
        if (role !== "tool" && part["text"].trim() === "") this.blank(`${path}.text`, role, i);
      } else if (part["text"] === undefined) texts.missing(`${path}.text`);
      else texts.type(`${path}.text`, "a string", part["text"]);
    } else if (type === "image_url" || type === "video_url" || type === "document_url" || type === "file_url")
      this.media(part[type], `${path}.${type}`, type);
    else if (type === "refusal") texts.string(`${path}.refusal`, part["refusal"]);
    else if (type === "input_audio" || type === "file") {
      if (!isObject(part[type])) texts.type(`${path}.${type}`, "an object", part[type]);
    } else if (!Array.isArray(part["thinking"]))
      texts.type(`${path}.thinking`, "an array of objects", part["thinking"]);
    for (const key of Object.keys(part)) {
      if (key !== "type" && key !== type && !MARKS.has(key) && part[key] !== null) texts.unknown(`${path}.${key}`);
    }
  }

  /** Parts that some servers take beside those of OpenAI. */
  private isOwnPart(role: string, type: unknown): boolean {
    const { mistral, openAi } = this.dialect;
    if (type === "thinking") return mistral && role === "assistant";
    if (role === "tool") return type === "image_url" && !openAi && !mistral;
    return role === "user" && !openAi && (type === "document_url" || type === "file_url");
  }

  private media(media: unknown, path: string, type: string): void {
    const { texts } = this;
    // Mistral takes the address itself in the place of the object.
    const bare = this.dialect.mistral || type === "document_url" || type === "file_url";
    const url = bare && typeof media === "string" ? media : isObject(media) ? media["url"] : undefined;
    if (media === undefined) texts.missing(path);
    else if (!isObject(media) && url === undefined) texts.type(path, "an object", media);
    else if (type === "image_url") texts.imageUrl(isObject(media) ? `${path}.url` : path, url);
    else texts.string(`${path}.url`, url);
  }

  private call(call: unknown, path: string): void {
    const { texts } = this;
    if (!isObject(call)) {
      texts.type(path, "an object", call);
      return;
    }
    this.id(call["id"], `${path}.id`);
    for (const key of Object.keys(call))
      if (!CALL_FIELDS.has(key) && !(this.dialect.rareFields && key === "provider_specific_fields"))
        texts.unknown(`${path}.${key}`);
    if (call["type"] === undefined) texts.missing(`${path}.type`);
    else if (call["type"] === "custom" && isObject(call["custom"])) {
      texts.string(`${path}.custom.name`, call["custom"]["name"], 64, FUNCTION_NAME);
      if (typeof call["custom"]["input"] !== "string")
        texts.type(`${path}.custom.input`, "a string", call["custom"]["input"]);
      return;
    } else if (call["type"] !== "function") texts.choice(`${path}.type`, call["type"], ["function"]);
    const fn = call["function"];
    if (fn === undefined) texts.missing(`${path}.function`);
    else if (!isObject(fn)) texts.type(`${path}.function`, "an object", fn);
    else {
      texts.string(`${path}.function.name`, fn["name"], 64, FUNCTION_NAME);
      texts.argumentsJson(`${path}.function.arguments`, fn["arguments"]);
    }
  }

  private id(id: unknown, path: string): void {
    // Recorded: OpenRouter took an id of 50 characters for Gemini.
    if (!this.dialect.mistral) this.texts.string(path, id, this.dialect.openAi ? 40 : 512);
    else if (typeof id !== "string" || !/^[a-zA-Z0-9]{9}$/.test(id)) {
      this.found.add(path, `Tool call id was ${shown(id)} but must be a-z, A-Z, 0-9, with a length of 9.`, "3280");
    }
  }

  private tools(tools: unknown): void {
    const { texts } = this;
    if (!Array.isArray(tools)) {
      texts.type("tools", "an array of objects", tools);
      return;
    }
    tools.forEach((tool: unknown, i) => {
      const path = `tools[${i}]`;
      if (!isObject(tool)) texts.type(path, "an object", tool);
      else if (tool["type"] === "function" || (tool["type"] === undefined && this.dialect.mistral)) {
        const fn = tool["function"];
        if (isObject(fn)) texts.string(`${path}.function.name`, fn["name"], 64, FUNCTION_NAME);
        else texts.missing(`${path}.function`);
      } else if (tool["type"] === undefined) texts.missing(`${path}.type`);
    });
  }
}
