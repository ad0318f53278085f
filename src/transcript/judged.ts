import { looksHealthyFrom } from "./healthy.ts";
import { isObject } from "./json/json.ts";
import { SYNTHETIC_MARK } from "./invented.ts";

/** A longer history is judged anew each time, so that what is remembered of one stays below some 20 MB. */
const MAX_REMEMBERED = 200_000;

/**
 * Judges one history again and again while it grows: only messages behind those that were found healthy before are
 * judged. What was judged is known by the messages themselves: the same objects, in the same order, with the same
 * values in every field that the rules read. Of values inside of a call's arguments, a result's details and fields that
 * no rule names, only the rule that a value nests not too deeply depends; such a value that somebody changes in place
 * is not seen here, and is judged in the finished body.
 */
export class JudgedHistory {
  /** What the messages had in the fields that the rules read, message by message. */
  readonly #stamps: unknown[] = [];
  /** The ids of the calls among the messages. */
  readonly #ids = new Set<string>();
  #count = 0;
  #at = 0;

  /**
   * The same as `looksHealthy` with OpenClaw's own spelling, for a history that has also to be fit otherwise. `isFit` is
   * asked for the messages from `from` on; what it says of a message depends on the messages behind `from` only.
   */
  looksHealthy(history: readonly unknown[], isFit: (from: number) => boolean): boolean {
    if (this.#count > 0 && !this.#isContinued(history)) this.#forget();
    const from = this.#count;
    if (!looksHealthyFrom(history, "openclaw", from, this.#ids) || !isFit(from)) {
      this.#forget();
      return false;
    }
    if (history.length > MAX_REMEMBERED) this.#forget();
    else this.#remember(history);
    return true;
  }

  /** True when the history begins with the remembered messages, and nothing of them was changed. */
  #isContinued(history: readonly unknown[]): boolean {
    if (history.length < this.#count) return false;
    this.#at = 0;
    for (let at = 0; at < this.#count; at++) if (!this.#look(history[at])) return false;
    return true;
  }

  #remember(history: readonly unknown[]): void {
    this.#at = this.#stamps.length;
    for (let at = this.#count; at < history.length; at++) this.#look(history[at]);
    this.#count = history.length;
  }

  #forget(): void {
    this.#stamps.length = 0;
    this.#ids.clear();
    this.#count = 0;
  }

  /** Compares a message with its stamp; behind the last stamp it makes one. */
  #look(message: unknown): boolean {
    if (!this.#sees(message) || !isObject(message)) return false;
    const { role, content } = message;
    if (!this.#sees(role) || !this.#sees(content)) return false;
    if (role === "assistant") {
      if (!this.#sees(message.stopReason) || !this.#sees(message.api) || !this.#sees(message.tool_calls)) return false;
    } else if (role === "toolResult") {
      const { details } = message;
      if (!this.#sees(message.toolCallId) || !this.#sees(message.toolName) || !this.#sees(message.isError))
        return false;
      if (!this.#sees(details) || !this.#sees(isObject(details) ? details[SYNTHETIC_MARK] : undefined)) return false;
    }
    if (!Array.isArray(content)) return true;
    const { length } = content;
    if (!this.#sees(length)) return false;
    for (let at = 0; at < length; at++) if (!this.#looksAtBlock(content[at])) return false;
    return true;
  }

  #looksAtBlock(block: unknown): boolean {
    // A message of a role that OpenClaw puts into words itself may have anything as content.
    if (!this.#sees(block)) return false;
    if (!isObject(block)) return true;
    const { type } = block;
    if (!this.#sees(type)) return false;
    switch (type) {
      case "text":
        return this.#sees(block.text);
      case "toolCall":
        return (
          this.#sees(block.id) && this.#sees(block.name) && this.#sees(block.arguments) && this.#sees(block.partialJson)
        );
      case "thinking":
        return this.#sees(block.thinking) && this.#sees(block.thinkingSignature);
      default:
        return this.#sees(block.data) && this.#sees(block.mimeType);
    }
  }

  /** True for the value that the stamp has in this place; behind the last stamp the value becomes part of one. */
  #sees(value: unknown): boolean {
    const at = this.#at++;
    if (at === this.#stamps.length) {
      this.#stamps.push(value);
      return true;
    }
    return this.#stamps[at] === value;
  }
}
