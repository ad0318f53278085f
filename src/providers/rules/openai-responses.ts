import { isObject, shown, unparsable } from "../json.ts";
import type { JsonObject, RuleContext, Violation } from "../types.ts";
import { Findings } from "./findings.ts";
import { OpenAiTexts } from "./openai-texts.ts";
import { toolItem } from "./responses-tools.ts";
import { responsesTurns, type Server } from "./responses-turns.ts";

const ROLES = ["assistant", "system", "developer", "user"] as const;
const NAME = /^[a-zA-Z0-9_-]+$/;
const STATUS = ["in_progress", "completed", "incomplete"] as const;
const MOST_OUTPUT = 10_485_760;

/** Fields of each item and the prefix of its id. */
const ITEMS: Record<string, { fields: string[]; prefix?: string }> = {
  message: { fields: ["role", "content", "status", "phase", "id"], prefix: "msg" },
  reasoning: { fields: ["summary", "content", "encrypted_content", "status", "id"], prefix: "rs" },
  function_call: { fields: ["call_id", "name", "arguments", "status", "async", "namespace", "id"], prefix: "fc" },
  function_call_output: { fields: ["call_id", "output", "status", "id"], prefix: "fc" },
  compaction: { fields: ["encrypted_content", "id"], prefix: "cmp" },
  item_reference: { fields: ["id"] },
};
/** Items of built-in tools, of which those that the client carries out are looked at more closely. */
const HOSTED = new Set([
  "file_search_call",
  "computer_call",
  "computer_call_output",
  "web_search_call",
  "image_generation_call",
  "code_interpreter_call",
  "local_shell_call",
  "local_shell_call_output",
  "shell_call",
  "shell_call_output",
  "apply_patch_call",
  "apply_patch_call_output",
  "mcp_list_tools",
  "mcp_approval_request",
  "mcp_approval_response",
  "mcp_call",
  "custom_tool_call",
  "custom_tool_call_output",
  "tool_search_call",
  "tool_search_output",
  "additional_tools",
]);
const INPUT_PARTS: Record<string, string[]> = {
  input_text: ["text", "prompt_cache_breakpoint"],
  input_image: ["image_url", "detail", "file_id", "prompt_cache_breakpoint"],
  input_file: ["file_id", "file_data", "file_url", "filename", "detail", "prompt_cache_breakpoint"],
};
const OUTPUT_PARTS: Record<string, string[]> = {
  output_text: ["text", "annotations", "logprobs"],
  refusal: ["refusal"],
};

/** The rules of OpenAI's Responses API. */
export function responsesViolations(body: unknown, context: RuleContext = {}): Violation[] {
  const found = new Findings();
  if (unparsable(body) !== undefined || !isObject(body)) {
    found.add("", "We could not parse the JSON body of your request. The OpenAI API expects a JSON payload.");
    return found.list;
  }
  const server = guessServer(shown(body["model"] ?? context.model), context.host);
  new Shape(found, server).check(body);
  // What a stored conversation holds cannot be seen in the body.
  const stored = typeof body["previous_response_id"] === "string" || body["conversation"] !== undefined;
  if (found.clean && Array.isArray(body["input"])) responsesTurns(body["input"] as JsonObject[], stored, server, found);
  return found.list;
}

/** Who plays the API: without a host the maker of the model. */
function guessServer(model: string, host: string | undefined): Server {
  if (host !== undefined) {
    return {
      openAi: host === "api.openai.com" || host === "azure" || host.startsWith("bedrock-mantle"),
      deepseek: host === "api.deepseek.com",
    };
  }
  return {
    openAi: !/claude|gemini|gemma|grok|deepseek|llama|qwen|kimi|moonshot|glm|minimax|mistral/i.test(model),
    deepseek: /deepseek/i.test(model),
  };
}

class Shape {
  private readonly found: Findings;
  private readonly server: Server;
  private readonly texts: OpenAiTexts;

  constructor(found: Findings, server: Server) {
    this.found = found;
    this.server = server;
    this.texts = new OpenAiTexts(found);
  }

  check(body: JsonObject): void {
    const { texts } = this;
    const { input, stream, tools, instructions } = body;
    const stored = isObject(body["prompt"]);
    if (!stored) texts.string("model", body["model"]);
    if (input === undefined && stored) return;
    if (input === undefined) texts.missing("input");
    else if (typeof input === "string") texts.string("input", input);
    else if (!Array.isArray(input)) texts.type("input", "one of a string or array of objects", input);
    else if (input.length === 0) texts.emptyArray("input");
    else input.forEach((item: unknown, i) => this.item(item, `input[${i}]`));
    if (stream !== undefined && stream !== null && typeof stream !== "boolean")
      texts.type("stream", "a boolean", stream);
    if (instructions !== undefined && instructions !== null && typeof instructions !== "string") {
      texts.type("instructions", "a string", instructions);
    }
    if (tools !== undefined && tools !== null) this.tools(tools);
  }

  private item(item: unknown, path: string): void {
    const { texts } = this;
    if (!isObject(item)) {
      texts.type(path, "an object", item);
      return;
    }
    // Messages may leave their type out.
    const type = item["type"] ?? (item["role"] === undefined ? undefined : "message");
    if (type === undefined) {
      texts.missing(`${path}.type`);
      return;
    }
    if (typeof type === "string" && HOSTED.has(type)) {
      toolItem(texts, item, path);
      return;
    }
    const spec = typeof type === "string" && Object.hasOwn(ITEMS, type) ? ITEMS[type] : undefined;
    if (spec === undefined) {
      texts.choice(`${path}.type`, type, [...Object.keys(ITEMS), ...HOSTED]);
      return;
    }
    for (const key of Object.keys(item)) {
      if (key !== "type" && !spec.fields.includes(key)) texts.unknown(`${path}.${key}`);
    }
    this.id(item["id"], path, spec.prefix);
    const status = item["status"];
    if (status !== undefined && status !== null && !STATUS.some((one) => one === status)) {
      texts.choice(`${path}.status`, status, STATUS);
    }
    if (type === "message") this.message(item, path);
    else if (type === "reasoning") this.reasoning(item, path);
    else if (type === "function_call") {
      texts.string(`${path}.call_id`, item["call_id"], 64);
      texts.string(`${path}.name`, item["name"], 64, NAME);
      // Recorded: a list was taken too.
      if (!/^\s*\[/.test(shown(item["arguments"]))) texts.argumentsJson(`${path}.arguments`, item["arguments"]);
      else texts.json(`${path}.arguments`, item["arguments"]);
    } else if (type === "function_call_output") {
      texts.string(`${path}.call_id`, item["call_id"], 64);
      this.output(item["output"], `${path}.output`);
    } else if (type === "compaction") texts.string(`${path}.encrypted_content`, item["encrypted_content"]);
    else texts.string(`${path}.id`, item["id"]);
  }

  private id(id: unknown, path: string, prefix: string | undefined): void {
    // Recorded: x.ai and DeepSeek have ids of other forms, longer ones, and one id twice.
    if (id === undefined || id === null || prefix === undefined || !this.server.openAi) return;
    if (!this.texts.string(`${path}.id`, id, 64) || typeof id !== "string") return;
    if (!/^[a-zA-Z0-9_-]+$/.test(id)) {
      this.found.add(
        `${path}.id`,
        `Invalid '${path}.id': '${id}'. Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters.`,
        "invalid_value",
      );
    } else if (!id.startsWith(prefix)) {
      this.found.add(
        `${path}.id`,
        `Invalid '${path}.id': '${id}'. Expected an ID that begins with '${prefix}'.`,
        "invalid_value",
      );
    }
  }

  private message(item: JsonObject, path: string): void {
    const { texts } = this;
    const { role, content } = item;
    if (role === undefined) texts.missing(`${path}.role`);
    else if (!ROLES.some((one) => one === role)) texts.choice(`${path}.role`, role, ROLES);
    if (content === undefined) texts.missing(`${path}.content`);
    else if (typeof content === "string") return;
    else if (Array.isArray(content)) {
      if (content.length === 0) texts.emptyArray(`${path}.content`);
      const kinds = role === "assistant" ? OUTPUT_PARTS : INPUT_PARTS;
      content.forEach((part: unknown, i) => this.part(part, kinds, `${path}.content[${i}]`));
    } else texts.type(`${path}.content`, "one of an array of objects or string", content);
  }

  private part(part: unknown, kinds: Record<string, string[]>, path: string): void {
    const { texts } = this;
    if (!isObject(part)) {
      texts.type(path, "an object", part);
      return;
    }
    const type = part["type"];
    const fields = typeof type === "string" && Object.hasOwn(kinds, type) ? kinds[type] : undefined;
    if (type === undefined) texts.missing(`${path}.type`);
    else if (fields === undefined) {
      texts.choice(`${path}.type`, type, Object.keys(kinds));
      return;
    }
    for (const key of Object.keys(part)) {
      if (key !== "type" && fields !== undefined && !fields.includes(key)) texts.unknown(`${path}.${key}`);
    }
    if (type === "input_text" || type === "output_text") {
      // Recorded: empty text is taken.
      if (part["text"] === undefined) texts.missing(`${path}.text`);
      else if (typeof part["text"] !== "string") texts.type(`${path}.text`, "a string", part["text"]);
    } else if (type === "refusal") texts.string(`${path}.refusal`, part["refusal"]);
    else if (type === "input_image" && part["file_id"] === undefined) {
      texts.imageUrl(`${path}.image_url`, part["image_url"]);
      const detail = part["detail"];
      if (detail !== undefined && !["low", "high", "auto", "original"].includes(shown(detail))) {
        texts.choice(`${path}.detail`, detail, ["low", "high", "auto", "original"]);
      }
    }
  }

  private reasoning(item: JsonObject, path: string): void {
    const { texts } = this;
    const { summary, encrypted_content: encrypted } = item;
    if (summary === undefined) texts.missing(`${path}.summary`);
    else if (!Array.isArray(summary)) texts.type(`${path}.summary`, "an array of objects", summary);
    else {
      summary.forEach((part: unknown, i) => {
        const at = `${path}.summary[${i}]`;
        if (!isObject(part)) texts.type(at, "an object", part);
        else if (part["type"] !== "summary_text") texts.choice(`${at}.type`, part["type"], ["summary_text"]);
        else if (typeof part["text"] !== "string") texts.type(`${at}.text`, "a string", part["text"]);
      });
    }
    if (encrypted !== undefined && encrypted !== null) texts.string(`${path}.encrypted_content`, encrypted);
    if (item["content"] !== undefined && item["content"] !== null && !Array.isArray(item["content"])) {
      texts.type(`${path}.content`, "an array of objects", item["content"]);
    }
  }

  private output(output: unknown, path: string): void {
    const { texts } = this;
    if (output === undefined || output === null) texts.missing(path);
    else if (typeof output === "string") {
      // Empty output is output; only its length is limited.
      if (output.length > MOST_OUTPUT) texts.string(path, output, MOST_OUTPUT);
    } else if (!Array.isArray(output)) texts.type(path, "one of an array of objects or string", output);
    else if (output.length === 0) texts.emptyArray(path);
    else output.forEach((part: unknown, i) => this.part(part, INPUT_PARTS, `${path}[${i}]`));
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
      else if (tool["type"] === undefined) texts.missing(`${path}.type`);
      else if (tool["type"] === "function") texts.string(`${path}.name`, tool["name"], 64, NAME);
    });
  }
}
