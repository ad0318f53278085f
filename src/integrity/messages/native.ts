import { isObject, toWord, type JsonObject } from "../../transcript/json/json.ts";
import { mapChanged } from "../../transcript/json/list.ts";
import { isJson, plainCopy } from "../../transcript/json/plain.ts";
import { repair, type RepairOptions, type RepairResult } from "../../transcript/repair.ts";
import { SERVER_BLOCKS } from "../../transcript/block-types.ts";
import { validate } from "../../transcript/validate.ts";
import type { Violation } from "../../transcript/violations.ts";
import { RESULT_MEDIA, USER_MEDIA } from "../../wire/anthropic/blocks.ts";
import { inAnthropicForm } from "./anthropic-form.ts";
import { healedForAnthropic, furtherRefusals, toRepairs } from "./anthropic-rules.ts";
import type { MessageFormat } from "../base/types.ts";

/**
 * Blocks of Anthropic's API that OpenClaw's store does not know. The rules for stored histories would turn them into
 * text, so text blocks replace them while these rules are applied.
 */
const NATIVE_BLOCKS = new Set([...SERVER_BLOCKS, ...USER_MEDIA, ...RESULT_MEDIA].filter((type) => type !== "image"));

/**
 * Returns the violations of a history of this format: of the rules for stored histories, and of the rules for what is
 * sent (Anthropic's format to Anthropic's API, OpenClaw's format by its adapters).
 */
export function violationsIn(format: MessageFormat, messages: readonly unknown[]): Violation[] {
  if (format !== "anthropic") return validate(messages, { spelling: "openclaw" });
  return inJson(messages, (given) => {
    const found = validate(new Veil().over(given));
    return [...found, ...furtherRefusals(found, given)].toSorted(
      (a, b) => a.messageIndex - b.messageIndex || a.blockIndex - b.blockIndex,
    );
  });
}

/**
 * Repairs a history of this format, into this format. Guarantees the same as `repair`, and {@link violationsIn} finds
 * nothing in the outcome.
 */
export function repairIn(
  format: MessageFormat,
  messages: readonly unknown[],
  options: RepairOptions = {},
): RepairResult {
  if (format !== "anthropic") return repair(messages, { ...options, spelling: "openclaw" });
  return inJson(messages, (given) => repairAnthropic(given, options));
}

function repairAnthropic(messages: readonly unknown[], options: RepairOptions): RepairResult {
  const veil = new Veil();
  const outcome = repair(veil.over(messages), options);
  const refused = furtherRefusals(outcome.repairs, messages);
  if (!outcome.repaired && refused.length === 0) return { messages, repaired: false, repairs: [] };
  const formed = inAnthropicForm(outcome.repaired ? veil.lift(outcome.messages) : messages);
  return { messages: healedForAnthropic(formed), repaired: true, repairs: [...outcome.repairs, ...toRepairs(refused)] };
}

/** Runs `work` on the messages; when reading one that is not JSON throws, on a plain copy. */
function inJson<T>(messages: readonly unknown[], work: (messages: readonly unknown[]) => T): T {
  try {
    return work(messages);
  } catch (error) {
    if (error instanceof TypeError && !Array.isArray(messages)) throw error;
    return work(messages.map((message) => (isJson(message) ? message : plainCopy(message))));
  }
}

/**
 * Replaces blocks that only Anthropic's API knows by text, and restores them in the messages that were made from the
 * text.
 */
class Veil {
  readonly #messages = new Map<unknown, unknown>();
  readonly #blocks = new Map<unknown, unknown>();

  /** Returns the messages with such blocks hidden; the same array when there are none. */
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
      const content = mapChanged(message.content as unknown[], (block) =>
        this.#blocks.has(block) ? this.#blocks.get(block) : block,
      );
      return content === message.content ? message : { ...message, content };
    });
  }

  #veiled(message: unknown): unknown {
    if (!isObject(message)) return message;
    const { role, content } = message;
    // Anthropic accepts an assistant's text without an array around it.
    if (role === "assistant" && typeof content === "string")
      return { ...message, content: [{ type: "text", text: content }] };
    if (!Array.isArray(content)) return message;
    const hidden = mapChanged(content as unknown[], (block) => (isNative(block) ? this.#hidden(block) : block));
    return hidden === content ? message : { ...message, content: hidden };
  }

  #hidden(block: JsonObject): JsonObject {
    const placeholder = { type: "text", text: `[${toWord(block.type)}]` };
    this.#blocks.set(placeholder, block);
    return placeholder;
  }
}

function isNative(block: unknown): block is JsonObject {
  return isObject(block) && NATIVE_BLOCKS.has(block.type as string);
}
