import { isObject, wordOf, type JsonObject } from "../transcript/json.ts";
import { mapChanged } from "../transcript/list.ts";
import { withoutMarks } from "../transcript/origin.ts";
import { repair, type RepairOptions, type RepairResult } from "../transcript/repair.ts";
import { validate } from "../transcript/validate.ts";
import type { Violation } from "../transcript/violations.ts";
import type { MessageFormat } from "./types.ts";

/**
 * Blocks of Anthropic's API that OpenClaw's store does not know. The rules for stored histories would turn them into text, so they are
 * hidden behind a text while these rules are at work.
 */
const NATIVE_BLOCKS = new Set([
  "redacted_thinking", "document", "search_result", "container_upload", "compaction", "server_tool_use", "mcp_tool_use", "mcp_tool_result",
  "web_search_tool_result", "web_fetch_tool_result", "code_execution_tool_result", "bash_code_execution_tool_result",
  "text_editor_code_execution_tool_result", "tool_search_tool_result",
]);

/** What is wrong with a history of this format. */
export function violationsIn(format: MessageFormat, messages: readonly unknown[]): Violation[] {
  return validate(format === "anthropic" ? new Veil().over(messages) : messages);
}

/** `repair` of a history of this format; the same guarantees. */
export function repairIn(format: MessageFormat, messages: readonly unknown[], options: RepairOptions = {}): RepairResult {
  if (format !== "anthropic") return repair(messages, options);
  const veil = new Veil();
  const outcome = repair(veil.over(messages), options);
  // Anthropic's API refuses a field that it does not know.
  return { ...outcome, messages: withoutMarks(outcome.repaired ? veil.lift(outcome.messages) : messages) };
}

/** Hides what is native to Anthropic's API, and shows it again in what became of the messages. */
class Veil {
  readonly #messages = new Map<unknown, unknown>();
  readonly #blocks = new Map<unknown, unknown>();

  /** The same list where there is nothing to hide. */
  over(messages: readonly unknown[]): readonly unknown[] {
    return mapChanged(messages as unknown[], (message) => {
      const veiled = this.#veiled(message);
      if (veiled !== message) this.#messages.set(veiled, message);
      return veiled;
    });
  }

  lift(messages: readonly unknown[]): unknown[] {
    return messages.map((message) => {
      if (this.#messages.has(message)) return this.#messages.get(message);
      if (!isObject(message) || !Array.isArray(message.content)) return message;
      const content = mapChanged(message.content as unknown[], (block) => (this.#blocks.has(block) ? this.#blocks.get(block) : block));
      return content === message.content ? message : { ...message, content };
    });
  }

  #veiled(message: unknown): unknown {
    if (!isObject(message)) return message;
    const { role, content } = message;
    // Anthropic takes an assistant's words without a list around them.
    if (role === "assistant" && typeof content === "string") return { ...message, content: [{ type: "text", text: content }] };
    if (!Array.isArray(content)) return message;
    const hidden = mapChanged(content as unknown[], (block) => (isNative(block) ? this.#hidden(block) : block));
    return hidden === content ? message : { ...message, content: hidden };
  }

  #hidden(block: JsonObject): JsonObject {
    const stand = { type: "text", text: `[${wordOf(block.type)}]` };
    this.#blocks.set(stand, block);
    return stand;
  }
}

function isNative(block: unknown): block is JsonObject {
  return isObject(block) && NATIVE_BLOCKS.has(block.type as string);
}
