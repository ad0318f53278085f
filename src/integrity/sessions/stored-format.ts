import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { badInput } from "../base/bad-input.ts";
import type { MessageFormat } from "../base/types.ts";

/** Fields that OpenClaw writes into every message of its kind, and Anthropic's API does not know. */
const OPENCLAW_FIELDS = ["timestamp", "stopReason", "toolCallId", "provider", "api"] as const;

/**
 * Returns the format that messages are clearly in, by their calls and results: one of them in the form of one format,
 * and nothing of the other. Returns undefined when there is none, or when they are mixed.
 */
export function detectFormat(messages: readonly unknown[]): MessageFormat | undefined {
  let [isAnthropic, isOpenClaw, hasField] = [false, false, false];
  for (const message of messages) {
    if (!isObject(message)) continue;
    isOpenClaw ||= message.role === "toolResult" || hasBlock(message, ["toolCall"]);
    isAnthropic ||= hasBlock(message, ["tool_use", "tool_result"]);
    hasField ||= OPENCLAW_FIELDS.some((field) => field in message);
    if (isAnthropic && (isOpenClaw || hasField)) return undefined;
  }
  return isAnthropic ? "anthropic" : isOpenClaw ? "openclaw" : undefined;
}

function hasBlock({ content }: JsonObject, types: readonly string[]): boolean {
  return (
    Array.isArray(content) &&
    (content as unknown[]).some((block) => isObject(block) && types.includes(block.type as string))
  );
}

/** What a file says of its format. */
interface StoredFormat {
  readonly path: string;
  /** The format in the file's first row; only `create` writes one, for Anthropic's. */
  readonly header: unknown;
  readonly messages: readonly unknown[];
}

/**
 * Returns the format in which a file is continued: the given one, else that of its header, else OpenClaw's. Throws an
 * IntegrityError `bad-input` when the file is clearly in the other one: a repair would rewrite all of it.
 */
export function storedFormat(
  given: MessageFormat | undefined,
  { path, header, messages }: StoredFormat,
): MessageFormat {
  const declared = header === "anthropic" ? header : undefined;
  const format = given ?? declared ?? "openclaw";
  const found = declared ?? detectFormat(messages);
  if (found === undefined || found === format) return format;
  const names = { anthropic: "Anthropic's format", openclaw: "OpenClaw's format" };
  throw badInput(
    `messages in ${names[format]} in ${path}${given === undefined ? ", which is the default" : ""}`,
    `messages in ${names[found]}`,
    `Pass { format: ${JSON.stringify(found)} }. The file was not changed.`,
  );
}
