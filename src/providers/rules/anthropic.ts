import { isBase64, isObject, isSignature, shown, typeName, unparsable } from "../json.ts";
import type { JsonObject, RuleContext, Violation } from "../types.ts";
import { checkPairing } from "./anthropic-turns.ts";
import { Findings } from "./findings.ts";

const ID = /^[a-zA-Z0-9_-]+$/;
const NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const MEDIA_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"];
/** The API counts the base64 text, not the bytes in it. */
const MOST_IMAGE_BYTES = 5 * 1024 * 1024;
const BODY_FIELDS = new Set([
  "model",
  "messages",
  "max_tokens",
  "stream",
  "system",
  "temperature",
  "tools",
  "tool_choice",
  "thinking",
  "metadata",
  "stop_sequences",
  "top_k",
  "top_p",
  "service_tier",
  "output_config",
  "output_format",
  "context_management",
  "container",
  "mcp_servers",
  "fallbacks",
  "inference_geo",
  "speed",
  "cache_control",
  "anthropic_version",
  "anthropic_beta",
]);

/** Fields of each block besides `type`: required ones, then optional ones, and the role that may say it. */
const BLOCKS = new Map<string, { required: string[]; optional: string[]; role?: "user" | "assistant" | "system" }>([
  ["text", { required: ["text"], optional: ["citations", "cache_control"] }],
  ["image", { required: ["source"], optional: ["cache_control"], role: "user" }],
  ["document", { required: ["source"], optional: ["title", "context", "citations", "cache_control"], role: "user" }],
  [
    "search_result",
    { required: ["source", "title", "content"], optional: ["citations", "cache_control"], role: "user" },
  ],
  ["container_upload", { required: ["file_id"], optional: ["cache_control"], role: "user" }],
  ["tool_result", { required: ["tool_use_id"], optional: ["content", "is_error", "cache_control"], role: "user" }],
  [
    "tool_use",
    { required: ["id", "name", "input"], optional: ["cache_control", "caller", "toolset_name"], role: "assistant" },
  ],
  ["thinking", { required: ["signature", "thinking"], optional: [], role: "assistant" }],
  ["tool_addition", { required: ["tool"], optional: [], role: "system" }],
  ["tool_removal", { required: ["tool"], optional: [], role: "system" }],
  ["redacted_thinking", { required: ["data"], optional: [], role: "assistant" }],
  ["compaction", { required: ["content"], optional: ["cache_control", "encrypted_content"], role: "assistant" }],
  ["server_tool_use", { required: ["id", "name", "input"], optional: ["cache_control", "caller"], role: "assistant" }],
  [
    "mcp_tool_use",
    { required: ["id", "name", "server_name", "input"], optional: ["cache_control"], role: "assistant" },
  ],
  ...[
    "web_search_tool_result",
    "web_fetch_tool_result",
    "code_execution_tool_result",
    "mcp_tool_result",
    "bash_code_execution_tool_result",
    "text_editor_code_execution_tool_result",
    "tool_search_tool_result",
    "advisor_tool_result",
  ].map((type): [string, { required: string[]; optional: string[]; role: "assistant" }] => [
    type,
    { required: ["tool_use_id", "content"], optional: ["cache_control", "caller", "is_error"], role: "assistant" },
  ]),
]);
const TAGS = [...BLOCKS.keys()].map((tag) => `'${tag}'`).join(", ");

/** Endpoints of this API by other makers, which take plain reasoning text back with a marker for a signature. */
const REPLAYS_PLAIN_REASONING = /kimi|moonshot|\bk2|deepseek|mimo|minimax|glm|qwen/i;
/** Models that refuse a last message of the assistant's with or without thinking. */
const NO_PREFILL = /claude-(?:(?:opus|sonnet|haiku)-(?:4-[6-9]|[5-9])|fable|mythos)/i;
/**
 * Models that refuse a first message of the assistant's (tonyljx/TextWordExplain#2, lobehub/lobehub#1601); Sonnet 4.5
 * took one (recorded).
 */
const USER_FIRST = /claude-(?:instant|v?[123])\b/i;
/** Opus 4.8 and Fable 5 took instructions between the messages (recorded); of later models nothing is known. */
const SYSTEM_ON_TOP = /claude-(?:instant|v?[123]\b|(?:opus|sonnet|haiku)-4(?:-[0-7])?(?:$|[^-\d]|-(?:\d{8}|latest)))/i;
/** Sonnet 5 takes back thinking whose text it has left out (recorded). */
const OMITS_THINKING = /claude-sonnet-[5-9]/i;
/** Where the model is in the address. */
const MODEL_IN_ADDRESS = /amazonaws\.com$|googleapis\.com$/;

/** The rules of Anthropic's Messages API. */
export function anthropicViolations(body: unknown, context: RuleContext = {}): Violation[] {
  const found = new Findings();
  const broken = unparsable(body);
  if (broken !== undefined) {
    const why = broken === "surrogate" ? "no low surrogate in string" : "recursion limit exceeded";
    found.add("", `The request body is not valid JSON: ${why}: line 1 column 1 (char 0)`);
    return found.list;
  }
  if (!isObject(body)) {
    found.add("", "Input should be a valid dictionary");
    return found.list;
  }
  const model = shown(body["model"] ?? context.model);
  const shape = new Shape(found, body, model, MODEL_IN_ADDRESS.test(context.host ?? ""));
  shape.check();
  if (!found.clean || !Array.isArray(body["messages"])) return found.list;
  const thinking = isObject(body["thinking"]) && ["enabled", "adaptive"].includes(shown(body["thinking"]["type"]));
  const prefill = !thinking && !NO_PREFILL.test(model);
  const rules = { prefill, userFirst: USER_FIRST.test(model), claude: /claude/i.test(model) };
  checkPairing(body["messages"] as JsonObject[], rules, found);
  return found.list;
}

const isBlankText = (block: unknown): boolean =>
  isObject(block) && block["type"] === "text" && typeof block["text"] === "string" && /^\s+$/.test(block["text"]);
const isOfServer = (block: unknown): boolean =>
  isObject(block) && /^(?:server_tool_use|mcp_tool_use|.+_tool_result)$/.test(shown(block["type"]));

/** True for bytes that begin as text does (anthropics/claude-code#15004, #37111): no picture has only such. */
function isText(data: string): boolean {
  const bytes = [...Buffer.from(data, "base64").subarray(0, 64)];
  return bytes.every((byte) => (byte >= 32 && byte < 127) || byte === 9 || byte === 10 || byte === 13);
}

class Shape {
  private readonly found: Findings;
  private readonly body: JsonObject;
  private readonly plainReasoning: boolean;
  private readonly model: string;
  private readonly isInAddress: boolean;
  private readonly omitsThinking: boolean;
  private cachePoints = 0;

  constructor(found: Findings, body: JsonObject, model: string, isInAddress: boolean) {
    this.model = model;
    this.isInAddress = isInAddress;
    this.found = found;
    this.body = body;
    this.plainReasoning = REPLAYS_PLAIN_REASONING.test(model);
    // Where thinking is left out of answers, it comes back without its text too.
    this.omitsThinking =
      OMITS_THINKING.test(model) || (isObject(body["thinking"]) && body["thinking"]["display"] === "omitted");
  }

  check(): void {
    const { body, found } = this;
    if (!this.isInAddress) this.string("model", body["model"]);
    if (body["max_tokens"] === undefined) found.add("max_tokens", "max_tokens: Field required");
    else if (!Number.isInteger(body["max_tokens"]))
      found.add("max_tokens", "max_tokens: Input should be a valid integer");
    else if (Number(body["max_tokens"]) < 1) {
      found.add("max_tokens", "max_tokens: Input should be greater than or equal to 1");
    }
    if (body["stream"] !== undefined && typeof body["stream"] !== "boolean") {
      found.add("stream", "stream: Input should be a valid boolean");
    }
    this.system(body["system"]);
    this.messages(body["messages"]);
    this.tools(body["tools"]);
    if (body["thinking"] !== undefined) this.thinking(body["thinking"]);
    for (const key of Object.keys(body)) {
      if (!BODY_FIELDS.has(key)) found.add(key, `${key}: Extra inputs are not permitted`);
    }
    if (this.cachePoints > 4) {
      found.add("", `A maximum of 4 blocks with cache_control may be provided. Found ${this.cachePoints}.`);
    }
  }

  private thinking(thinking: unknown): void {
    if (!isObject(thinking)) this.found.add("thinking", "thinking: Input should be a valid dictionary");
    else if (!["enabled", "adaptive", "disabled"].includes(shown(thinking["type"]))) {
      this.found.add(
        "thinking",
        `thinking: Input tag '${shown(thinking["type"])}' found using 'type' does not match any of the expected tags: 'adaptive', 'disabled', 'enabled'`,
      );
    }
  }

  private system(system: unknown): void {
    if (system === undefined || typeof system === "string") return;
    if (!Array.isArray(system)) {
      this.found.add("system", "system: Input should be a valid list");
      return;
    }
    system.forEach((block: unknown, i) => {
      const path = `system.${i}`;
      if (!isObject(block)) this.found.add(path, `${path}: Input should be a valid dictionary`);
      else if (block["type"] !== "text") this.found.add(`${path}.type`, `${path}.type: Input should be 'text'`);
      else this.block(block, path, "text", "system");
    });
  }

  private messages(messages: unknown): void {
    if (messages === undefined) this.found.add("messages", "messages: Field required");
    else if (!Array.isArray(messages)) this.found.add("messages", "messages: Input should be a valid list");
    else if (messages.length === 0) this.found.add("messages", "messages: at least one message is required");
    else messages.forEach((message: unknown, i) => this.message(message, `messages.${i}`));
  }

  private message(message: unknown, path: string): void {
    if (!isObject(message)) {
      this.found.add(path, `${path}: Input should be a valid dictionary`);
      return;
    }
    const role = message["role"];
    if (role === undefined) this.found.add(`${path}.role`, `${path}.role: Field required`);
    else if (role === "system" && SYSTEM_ON_TOP.test(this.model)) {
      this.found.add(
        `${path}.role`,
        'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
      );
    } else if (role !== "user" && role !== "assistant" && role !== "system") {
      this.found.add(
        `${path}.role`,
        `messages: Unexpected role "${shown(role)}". Allowed roles are "user" or "assistant".`,
      );
    }
    for (const key of Object.keys(message)) {
      if (key === "role" || key === "content") continue;
      if (key === "reasoning_content" && this.plainReasoning) continue;
      this.found.add(`${path}.${key}`, `${path}.${key}: Extra inputs are not permitted`);
    }
    this.content(message["content"], path, role);
  }

  private content(content: unknown, path: string, role: unknown): void {
    if (content === undefined) this.found.add(`${path}.content`, `${path}.content: Field required`);
    else if (typeof content === "string" || Array.isArray(content)) {
      if (content.length === 0) {
        this.found.add(
          `${path}.content`,
          `${path}: all messages must have non-empty content except for the optional final assistant message`,
        );
      } else if (typeof content === "string") this.text(content, `${path}.content`);
      else {
        content.forEach((block: unknown, i) => {
          const at = `${path}.content.${i}`;
          // Recorded: the blank text that a server's tool leaves between the assistant's words.
          const isLeft = role === "assistant" && isBlankText(block) && content.some(isOfServer);
          if (!isObject(block)) this.found.add(at, `${at}: Input should be a valid dictionary`);
          else if (!isLeft) this.tagged(block, at, role);
        });
      }
    } else this.found.add(`${path}.content`, `${path}.content: Input should be a valid list`);
  }

  private tagged(block: JsonObject, path: string, role: unknown): void {
    const type = block["type"];
    if (type === undefined) {
      this.found.add(`${path}.type`, `${path}.type: Field required`);
      return;
    }
    const spec = BLOCKS.get(shown(type));
    if (spec === undefined || typeof type !== "string") {
      this.found.add(
        path,
        `${path}: Input tag '${shown(type)}' found using 'type' does not match any of the expected tags: ${TAGS}`,
      );
      return;
    }
    if (spec.role !== undefined && spec.role !== role) {
      this.found.add(path, `${path}: \`${type}\` blocks can only be in \`${spec.role}\` messages`);
    }
    this.block(block, path, type, role);
  }

  private block(block: JsonObject, path: string, type: string, role: unknown): void {
    const spec = BLOCKS.get(type);
    if (spec === undefined) return;
    const at = role === "system" ? path : `${path}.${type}`;
    for (const key of spec.required) {
      if (block[key] === undefined) this.found.add(`${at}.${key}`, `${at}.${key}: Field required`);
    }
    for (const key of Object.keys(block)) {
      if (key === "type" || spec.required.includes(key) || spec.optional.includes(key)) continue;
      this.found.add(`${at}.${key}`, `${at}.${key}: Extra inputs are not permitted`);
    }
    if (block["cache_control"] !== undefined && block["cache_control"] !== null) {
      this.cachePoints++;
      const control = block["cache_control"];
      if (!isObject(control) || control["type"] !== "ephemeral") {
        this.found.add(
          `${at}.cache_control`,
          `${at}.cache_control: Input tag found using 'type' does not match any of the expected tags: 'ephemeral'`,
        );
      }
    }
    if (type === "text" && block["text"] !== undefined) this.text(block["text"], `${at}.text`);
    else if (type === "image" && block["source"] !== undefined) this.image(block["source"], `${at}.source`);
    else if (type === "thinking") this.thinkingBlock(block, path, at);
    else if (type === "redacted_thinking" && block["data"] !== undefined) this.string(`${at}.data`, block["data"]);
    else if (type === "tool_use") this.toolUse(block, at);
    else if (type === "server_tool_use" || type === "mcp_tool_use") this.serverToolUse(block, at);
    else if (type === "tool_result") this.toolResult(block, path, at);
  }

  private text(text: unknown, path: string): void {
    const where = path.startsWith("system") ? "system" : "messages";
    if (typeof text !== "string") this.found.add(path, `${path}: Input should be a valid string`);
    else if (text === "") this.found.add(path, `${where}: text content blocks must be non-empty`);
    else if (text.trim() === "") this.found.add(path, `${where}: text content blocks must contain non-whitespace text`);
  }

  private thinkingBlock(block: JsonObject, path: string, at: string): void {
    const { thinking, signature } = block;
    if (thinking !== undefined && typeof thinking !== "string") {
      this.found.add(`${at}.thinking`, `${at}.thinking: Input should be a valid string`);
    } else if (thinking === "" && !this.omitsThinking && !this.plainReasoning) {
      this.found.add(`${at}.thinking`, `${path}.thinking: each thinking block must contain thinking`);
    }
    if (signature === undefined) return;
    if (typeof signature !== "string") {
      this.found.add(`${at}.signature`, `${at}.signature: Input should be a valid string`);
    } else if (!isSignature(signature) && !this.plainReasoning) {
      this.found.add(`${at}.signature`, `${path}: Invalid \`signature\` in \`thinking\` block`);
    }
  }

  private toolUse(block: JsonObject, at: string): void {
    if (block["id"] !== undefined) this.id(block["id"], `${at}.id`);
    const { name, input } = block;
    if (name !== undefined) {
      if (typeof name !== "string") this.found.add(`${at}.name`, `${at}.name: Input should be a valid string`);
      else if (name === "") this.found.add(`${at}.name`, `${at}.name: String should have at least 1 character`);
      else if (!NAME.test(name)) {
        this.found.add(`${at}.name`, `${at}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
      }
    }
    if (input !== undefined && !isObject(input)) {
      this.found.add(`${at}.input`, `${at}.input: Input should be a valid dictionary`);
    }
  }

  /** Ids of other makers' server tools are refused (betmoar/cc-proxy-plugin#67), by Anthropic itself. */
  private serverToolUse(block: JsonObject, at: string): void {
    const { id, name, input, type } = block;
    if (
      type === "server_tool_use" &&
      /claude/i.test(this.model) &&
      typeof id === "string" &&
      !/^srvtoolu_[a-zA-Z0-9_]+$/.test(id)
    ) {
      this.found.add(`${at}.id`, `${at}.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'`);
    } else if (id !== undefined) this.id(id, `${at}.id`);
    this.string(`${at}.name`, name);
    if (input !== undefined && !isObject(input))
      this.found.add(`${at}.input`, `${at}.input: Input should be a valid dictionary`);
  }

  private id(id: unknown, path: string): void {
    if (typeof id !== "string") this.found.add(path, `${path}: Input should be a valid string`);
    else if (!ID.test(id)) this.found.add(path, `${path}: String should match pattern '^[a-zA-Z0-9_-]+$'`);
    else if (id.length > 64) this.found.add(path, `${path}: String should have at most 64 characters`);
  }

  private toolResult(block: JsonObject, path: string, at: string): void {
    if (block["tool_use_id"] !== undefined) this.id(block["tool_use_id"], `${at}.tool_use_id`);
    const failed = block["is_error"];
    if (failed !== undefined && typeof failed !== "boolean") {
      this.found.add(`${at}.is_error`, `${at}.is_error: Input should be a valid boolean`);
    }
    const content = block["content"];
    const empty =
      content === undefined || ((typeof content === "string" || Array.isArray(content)) && content.length === 0);
    if (empty) {
      if (failed === true) this.found.add(at, `${path}.tool_result: content cannot be empty if \`is_error\` is true`);
      return;
    }
    if (typeof content === "string") return;
    if (!Array.isArray(content)) {
      this.found.add(`${at}.content`, `${at}.content: Input should be a valid list`);
      return;
    }
    content.forEach((part: unknown, i) => this.resultPart(part, `${at}.content.${i}`));
  }

  private resultPart(part: unknown, path: string): void {
    if (!isObject(part)) {
      this.found.add(path, `${path}: Input should be a valid dictionary`);
      return;
    }
    const type = part["type"];
    if (type === "text" && typeof part["text"] === "string") {
      // Output of a tool may be blank, but not empty.
      if (part["text"] === "") this.found.add(`${path}.text`, "messages: text content blocks must be non-empty");
      else if (part["text"].trim() !== "") this.block(part, path, type, "user");
    } else if (type === "tool_reference") {
      this.string(`${path}.tool_reference.tool_name`, part["tool_name"]);
    } else if (["text", "image", "document", "search_result"].includes(shown(type))) {
      this.block(part, path, shown(type), "user");
    } else {
      this.found.add(
        path,
        `${path}: Input tag '${shown(type)}' found using 'type' does not match any of the expected tags: 'document', 'image', 'search_result', 'text', 'tool_reference'`,
      );
    }
  }

  private image(source: unknown, path: string): void {
    if (!isObject(source)) {
      this.found.add(path, `${path}: Input should be a valid dictionary`);
      return;
    }
    const type = source["type"];
    if (type === "url" || type === "file") {
      this.string(`${path}.${type}.${type === "url" ? "url" : "file_id"}`, source[type === "url" ? "url" : "file_id"]);
      return;
    }
    if (type !== "base64") {
      this.found.add(
        path,
        `${path}: Input tag '${shown(type)}' found using 'type' does not match any of the expected tags: 'base64', 'file', 'url'`,
      );
      return;
    }
    const at = `${path}.base64`;
    const { media_type: mediaType, data } = source;
    if (mediaType === undefined) this.found.add(`${at}.media_type`, `${at}.media_type: Field required`);
    else if (!MEDIA_TYPES.includes(shown(mediaType))) {
      this.found.add(
        `${at}.media_type`,
        `${at}.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`,
      );
    }
    if (data === undefined) this.found.add(`${at}.data`, `${at}.data: Field required`);
    else if (typeof data !== "string") this.found.add(`${at}.data`, `${at}.data: Input should be a valid string`);
    else if (data === "") this.found.add(`${at}.data`, `${at}: image cannot be empty`);
    else if (!isBase64(data)) this.found.add(`${at}.data`, `${at}: invalid base64 data`);
    else if (/claude/i.test(this.model) && isText(data)) this.found.add(`${at}.data`, "Could not process image");
    else if (data.length > MOST_IMAGE_BYTES) {
      this.found.add(at, `${at}: image exceeds 5 MB maximum: ${data.length} bytes > ${MOST_IMAGE_BYTES} bytes`);
    }
  }

  private tools(tools: unknown): void {
    if (tools === undefined) return;
    if (!Array.isArray(tools)) {
      this.found.add("tools", "tools: Input should be a valid list");
      return;
    }
    const names = new Set<unknown>();
    tools.forEach((tool: unknown, i) => {
      const at = `tools.${i}`;
      if (!isObject(tool)) {
        this.found.add(at, `${at}: Input should be a valid dictionary`);
        return;
      }
      if (tool["cache_control"] !== undefined) this.cachePoints++;
      if (typeof tool["name"] !== "string" || !NAME.test(tool["name"])) {
        this.found.add(`${at}.name`, `${at}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
      } else if (names.has(tool["name"])) this.found.add("tools", "tools: Tool names must be unique.");
      names.add(tool["name"]);
      const custom = tool["type"] === undefined || tool["type"] === "custom";
      if (custom && !isObject(tool["input_schema"])) {
        this.found.add(
          `${at}.input_schema`,
          `${at}.custom.input_schema: ${tool["input_schema"] === undefined ? "Field required" : `Input should be a valid dictionary, got ${typeName(tool["input_schema"])}`}`,
        );
      }
    });
  }

  private string(path: string, value: unknown): void {
    if (value === undefined) this.found.add(path, `${path}: Field required`);
    else if (typeof value !== "string") this.found.add(path, `${path}: Input should be a valid string`);
    else if (value === "") this.found.add(path, `${path}: String should have at least 1 character`);
  }
}
