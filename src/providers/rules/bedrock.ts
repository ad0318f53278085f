import { isBase64, isObject, isSignature, shown, typeName, unparsable } from "../json.ts";
import type { JsonObject, RuleContext, Violation } from "../types.ts";
import { bedrockFamilies } from "./bedrock-families.ts";
import { bedrockTurns, isServerCall, type TurnRules } from "./bedrock-turns.ts";
import { Findings } from "./findings.ts";

const BLOCK_KEYS = [
  "text",
  "image",
  "document",
  "video",
  "audio",
  "toolUse",
  "toolResult",
  "guardContent",
  "cachePoint",
  "reasoningContent",
  "citationsContent",
  "searchResult",
];
const RESULT_KEYS = ["text", "json", "image", "document", "video", "searchResult"];
const IMAGE_FORMATS = ["png", "jpeg", "gif", "webp"];

/** The rules of Bedrock's Converse and ConverseStream. */
export function bedrockViolations(body: unknown, context: RuleContext = {}): Violation[] {
  const found = new Findings();
  const broken = unparsable(body);
  if (broken !== undefined) {
    found.add(
      "",
      broken === "surrogate" ? "Invalid UTF-8 in the request body" : "The request body is nested too deeply",
    );
    return found.list;
  }
  if (!isObject(body)) {
    found.add("", `Expected a JSON object, but the request body is ${typeName(body)}`);
    return found.list;
  }
  const model = context.model ?? shown(body["modelId"] ?? "");
  new Shape(found, model).check(body);
  if (!found.clean || !Array.isArray(body["messages"])) return found.list;
  const extra = body["additionalModelRequestFields"];
  const thinking = isObject(extra) ? extra["thinking"] : undefined;
  const on = isObject(thinking) && ["enabled", "adaptive"].includes(shown(thinking["type"]));
  bedrockTurns(body["messages"] as JsonObject[], turnRules(model, on), found);
  bedrockFamilies(body["messages"] as JsonObject[], context.model ?? shown(body["modelId"]), found);
  return found.list;
}

/** AWS counts the members of a list from 1 where a constraint of the model fails, and from 0 in its own checks. */
function member(message: number, block: number): string {
  return `messages.${message + 1}.member.content.${block + 1}.member`;
}

/** Claude 4 lets the assistant begin, Titan one role speak twice, and Nova continues an answer (recorded). */
function turnRules(model: string, thinking: boolean): TurnRules {
  const noPrefill = /claude-(?:(?:opus|sonnet|haiku)-(?:4-[6-9]|[5-9])|fable|mythos)/i;
  return {
    prefill: !thinking && !noPrefill.test(model),
    userFirst: model !== "" && !/claude-(?:opus|sonnet|haiku|fable|mythos)/i.test(model),
    inTurn: model !== "" && !/titan/i.test(model),
  };
}

class Shape {
  private readonly found: Findings;
  private readonly claude: boolean;
  /** Recorded: Kimi's own ids are taken from Kimi. */
  private readonly ids: RegExp;

  constructor(found: Findings, model: string) {
    this.found = found;
    this.claude = /claude/i.test(model);
    this.ids = model === "" || /kimi|moonshot/i.test(model) ? /^[a-zA-Z0-9_.:-]+$/ : /^[a-zA-Z0-9_-]+$/;
  }

  check(body: JsonObject): void {
    const { messages, system, toolConfig } = body;
    if (messages === undefined) this.constraint("messages", null, "Member must not be null");
    else if (!Array.isArray(messages)) this.type("messages", "List", messages);
    else if (messages.length === 0) {
      this.found.add("messages", "The messages field is empty. Add a message to the messages field and try again.");
    } else messages.forEach((message: unknown, i) => this.message(message, i));
    if (system !== undefined) this.system(system);
    if (toolConfig !== undefined) this.tools(toolConfig);
  }

  private message(message: unknown, m: number): void {
    const path = `messages.${m}`;
    if (!isObject(message)) {
      this.type(path, "Structure", message);
      return;
    }
    const { role, content } = message;
    if (role !== "user" && role !== "assistant") {
      this.constraint(
        `messages.${m + 1}.member.role`,
        role,
        role === undefined ? "Member must not be null" : "Member must satisfy enum value set: [user, assistant]",
      );
    }
    if (content === undefined) this.constraint(`messages.${m + 1}.member.content`, null, "Member must not be null");
    else if (!Array.isArray(content)) this.type(`${path}.content`, "List", content);
    else if (content.length === 0) {
      this.found.add(
        `${path}.content`,
        `The content field in the Message object at ${path} is empty. Add a ContentBlock object to the content field and try again.`,
      );
    } else {
      const about: Beside = {
        saysMore: content.some(saysMore),
        ofServer: new Set(content.filter((block) => isServerCall(block)).map((block) => block.toolUse.toolUseId)),
      };
      content.forEach((block: unknown, b) => this.block(block, m, b, role, about));
    }
  }

  private block(block: unknown, m: number, b: number, role: unknown, beside: Beside): void {
    const path = `messages.${m}.content.${b}`;
    const kind = this.union(block, path, BLOCK_KEYS, "ContentBlock");
    if (kind === undefined || !isObject(block)) return;
    const value = block[kind];
    if (kind === "text") {
      if (typeof value !== "string") this.type(`${path}.text`, "String", value);
      else if (value.trim() === "" && !(value !== "" && beside.saysMore)) {
        this.found.add(
          `${path}.text`,
          `The text field in the ContentBlock object at ${path} is blank. Add text to the text field, and try again.`,
        );
      }
      return;
    }
    if (!isObject(value)) {
      this.type(`${path}.${kind}`, "Structure", value);
      return;
    }
    const owner =
      kind === "toolUse" || kind === "reasoningContent"
        ? "assistant"
        : kind === "toolResult" || kind === "image"
          ? "user"
          : role;
    // Recorded: Nova's own tools have call and result in one message.
    if (kind === "toolResult" && beside.ofServer.has(value["toolUseId"])) return;
    if (owner !== role) {
      this.found.add(path, `The ${kind} block at ${path} is not allowed in a message with the ${shown(role)} role.`);
    }
    if (kind === "toolUse") this.toolUse(value, path, member(m, b));
    else if (kind === "toolResult") this.toolResult(value, path, member(m, b));
    else if (kind === "image") this.image(value, `${path}.image`);
    else if (kind === "reasoningContent") this.reasoning(value, `${path}.reasoningContent`);
    else if (kind === "cachePoint") this.cachePoint(value, `${path}.cachePoint`);
  }

  private union(value: unknown, path: string, keys: string[], what: string): string | undefined {
    if (!isObject(value)) {
      this.type(path, "Structure", value);
      return undefined;
    }
    const set = Object.keys(value).filter((key) => value[key] !== null);
    const only = set[0];
    if (set.length === 1 && only !== undefined && keys.includes(only)) return only;
    this.found.add(
      path,
      `The ${what} object at ${path} must set exactly one of the following keys: ${keys.join(", ")}. It sets: ${set.join(", ") || "none"}.`,
    );
    return undefined;
  }

  private toolUse(use: JsonObject, path: string, constraintPath: string): void {
    this.id(use["toolUseId"], `${constraintPath}.toolUse.toolUseId`, this.ids);
    this.id(use["name"], `${constraintPath}.toolUse.name`);
    if (!isObject(use["input"])) {
      this.found.add(
        `${path}.toolUse.input`,
        `The format of the value at ${path}.toolUse.input is invalid. Provide a json object for the field and try again.`,
      );
    }
  }

  private id(value: unknown, path: string, pattern = /^[a-zA-Z0-9_-]+$/): void {
    if (value === undefined || value === null) this.constraint(path, null, "Member must not be null");
    else if (typeof value !== "string") this.type(path, "String", value);
    else if (value.length < 1) this.constraint(path, value, "Member must have length greater than or equal to 1");
    else if (value.length > 64) this.constraint(path, value, "Member must have length less than or equal to 64");
    else if (!pattern.test(value)) {
      this.constraint(path, value, "Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+");
    }
  }

  private toolResult(result: JsonObject, path: string, constraintPath: string): void {
    this.id(result["toolUseId"], `${constraintPath}.toolResult.toolUseId`, this.ids);
    const { content, status } = result;
    if (status !== undefined && status !== "success" && status !== "error") {
      this.constraint(
        `${constraintPath}.toolResult.status`,
        status,
        "Member must satisfy enum value set: [success, error]",
      );
    }
    if (content === undefined) {
      this.constraint(`${constraintPath}.toolResult.content`, null, "Member must not be null");
    } else if (!Array.isArray(content)) this.type(`${path}.toolResult.content`, "List", content);
    else {
      // Seen in aws-samples/sample-multi-agent-orchestration-chat-on-agentcore#15.
      if (content.length === 0 && status === "error") {
        this.found.add(
          `${path}.toolResult`,
          `The content field at ${path}.toolResult cannot be empty when status value is error.`,
        );
      }
      // Measured by others against the live service: an empty list and blank text are taken here, unlike in a message.
      content.forEach((part: unknown, i) => {
        const at = `${path}.toolResult.content.${i}`;
        const kind = this.union(part, at, RESULT_KEYS, "ToolResultContentBlock");
        if (kind === undefined || !isObject(part)) return;
        if (kind === "text" && typeof part["text"] !== "string") this.type(`${at}.text`, "String", part["text"]);
        else if (kind === "json" && !isObject(part["json"])) {
          this.found.add(
            `${at}.json`,
            `The format of the value at ${at}.json is invalid. Provide a json object for the field and try again.`,
          );
        } else if (kind === "image") this.image(part["image"], `${at}.image`);
      });
    }
  }

  private image(image: unknown, path: string): void {
    const source = isObject(image) ? image["source"] : undefined;
    if (!isObject(image)) this.type(path, "Structure", image);
    else if (!IMAGE_FORMATS.includes(shown(image["format"]))) {
      this.constraint(`${path}.format`, image["format"], "Member must satisfy enum value set: [png, jpeg, gif, webp]");
    } else if (!isObject(source)) this.type(`${path}.source`, "Structure", source);
    else if (source["s3Location"] === undefined) {
      const bytes = source["bytes"];
      if (typeof bytes !== "string" || !isBase64(bytes)) {
        this.found.add(
          `${path}.source.bytes`,
          `The image source bytes at ${path} are blank or not valid base64. Provide an image and try again.`,
        );
      }
    }
  }

  private reasoning(reasoning: JsonObject, path: string): void {
    const { reasoningText, redactedContent } = reasoning;
    if (redactedContent !== undefined) {
      if (typeof redactedContent !== "string" || !isBase64(redactedContent)) {
        this.found.add(`${path}.redactedContent`, `The redactedContent at ${path} is not valid base64.`);
      }
      return;
    }
    const at = `${path}.reasoningText`;
    if (!isObject(reasoningText)) {
      this.found.add(
        path,
        `The ReasoningContentBlock object at ${path} must set one of the following keys: reasoningText, redactedContent.`,
      );
      return;
    }
    const { text, signature } = reasoningText;
    if (typeof text !== "string") this.type(`${at}.text`, "String", text);
    else if (text.trim() === "") {
      this.found.add(
        `${at}.text`,
        `The text field in the ReasoningTextBlock object at ${path} is blank. Add text to the text field, and try again.`,
      );
    }
    const valid = typeof signature === "string" && isSignature(signature);
    if (this.claude && signature === undefined)
      this.found.add(`${at}.signature`, `${path}.thinking.signature: Field required`);
    else if (signature !== undefined && !valid) {
      this.found.add(`${at}.signature`, `${path}: Invalid \`signature\` in \`thinking\` block`);
    } else if (!this.claude && signature !== undefined) {
      this.found.add(
        `${at}.signature`,
        "This model doesn't support the reasoningContent.reasoningText.signature field. Remove reasoningContent.reasoningText.signature and try again.",
      );
    }
  }

  private cachePoint(point: JsonObject, path: string): void {
    if (point["type"] !== "default") {
      this.constraint(`${path}.type`, point["type"], "Member must satisfy enum value set: [default]");
    }
  }

  private system(system: unknown): void {
    if (!Array.isArray(system)) {
      this.type("system", "List", system);
      return;
    }
    system.forEach((block: unknown, i) => {
      const path = `system.${i}`;
      const kind = this.union(block, path, ["text", "cachePoint", "guardContent"], "SystemContentBlock");
      if (kind !== "text" || !isObject(block)) return;
      if (typeof block["text"] !== "string") this.type(`${path}.text`, "String", block["text"]);
      else if (block["text"].trim() === "") {
        this.found.add(
          path,
          `The text field in the SystemContentBlock object at ${path} is blank. Add text to the text field, and try again.`,
        );
      }
    });
  }

  private tools(config: unknown): void {
    const tools = isObject(config) ? config["tools"] : undefined;
    if (!Array.isArray(tools)) {
      this.type("toolConfig.tools", "List", tools);
      return;
    }
    tools.forEach((tool: unknown, i) => {
      const spec = isObject(tool) ? tool["toolSpec"] : undefined;
      if (isObject(tool) && spec === undefined) return;
      if (!isObject(spec)) this.type(`toolConfig.tools.${i}.toolSpec`, "Structure", spec);
      else this.id(spec["name"], `toolConfig.tools.${i + 1}.member.toolSpec.name`);
    });
  }

  private constraint(path: string, value: unknown, rule: string): void {
    const quoted = value === null || value === undefined ? "null" : `'${shown(value)}'`;
    this.found.add(
      path,
      `1 validation error detected: Value ${quoted} at '${path}' failed to satisfy constraint: ${rule}`,
    );
  }

  private type(path: string, expected: string, value: unknown): void {
    this.found.add(path, `The value at ${path} is ${typeName(value)}, which can not be converted to a ${expected}`);
  }
}

/** What stands beside a block in its message. */
interface Beside {
  saysMore: boolean;
  ofServer: ReadonlySet<unknown>;
}

/** True for content beside which blank text was taken (recorded). */
function saysMore(block: unknown): boolean {
  return (
    isObject(block) &&
    (isObject(block["document"]) || (typeof block["text"] === "string" && block["text"].trim() !== ""))
  );
}
