import { isShapelyAndSays } from "./clean.ts";
import { looksNamed } from "./healthy.ts";
import { SYNTHETIC_MARK } from "./invented.ts";
import { isObject } from "./json/json.ts";

/** A longer history is judged anew each time. A message of one block is remembered in some 100 bytes. */
const MAX_REMEMBERED = 200_000;

/** Tells whether a healthy message is fit otherwise too, by itself; undefined where all are. */
type Fitness = ((message: unknown) => boolean) | undefined;

/** In place of the type of what is no block. */
const NO_BLOCK = Symbol("no block");

/** A history is long enough to tell whether remembering is of use. */
const MIN_TELLING = 32;

/**
 * Judges one history again and again while it grows: only messages behind those that were found healthy before are
 * judged, and those that are no longer the same.
 *
 * A message is the same when it is the same object with the same values in every field that the rules name. Of values
 * inside of a call's arguments, a result's details and fields that no rule names, only the rules depend that a value
 * nests not too deeply and is JSON: such a value that somebody changes in place is not seen here. The finished body is
 * judged whole, and after an error all messages are.
 * OpenClaw 2026.9 copies the messages of users for each call, which are judged anew; OpenClaw 2026.2 copies all
 * messages, so that nothing is remembered.
 */
export class JudgedHistory {
  /** What the messages had in the fields that the rules read, message by message. */
  readonly #stamps: unknown[] = [];
  /** The ids of the calls among the messages. */
  readonly #ids = new Set<string>();
  #count = 0;
  #at = 0;
  #isRenewing = false;
  /** The messages of the first time. Nothing else is remembered of them: most runs ask a model only once. */
  #first: readonly unknown[] | undefined;
  /** Most messages are other objects each time. */
  #isUseless = false;

  /** The same as `looksNamed`, for a history whose messages have also to be fit otherwise. */
  looksNamed(history: readonly unknown[], isFit: Fitness): boolean {
    const isFirst = this.#first === undefined;
    if (isFirst) this.#first = history.slice();
    else if (this.#count === 0) {
      this.#isUseless ||= areOthers(this.#first!, history);
      // Copies that are compared with no more need not stay in memory.
      this.#first = [];
    }
    if (isFirst || this.#isUseless) return looksNamed(history) && isFitFrom(history, 0, isFit);
    if (this.#count > 0 && !this.#isContinued(history, isFit)) this.#forget();
    const from = this.#count;
    if (!looksNamed(history, from, this.#ids) || !isFitFrom(history, from, isFit)) {
      this.#forget();
      return false;
    }
    if (history.length > MAX_REMEMBERED || this.#isUseless) this.#forget();
    else this.#remember(history);
    return true;
  }

  /** True when the history begins with the remembered messages, or with others that say the same and are healthy. */
  #isContinued(history: readonly unknown[], isFit: Fitness): boolean {
    if (history.length < this.#count) return false;
    let renewed = 0;
    this.#at = 0;
    for (let index = 0; index < this.#count; index++) {
      const message = history[index];
      const at = this.#at;
      if (this.#look(message)) continue;
      this.#at = at;
      if (!this.#renew(message) || !isShapelyAndSays(message, "openclaw") || isFit?.(message) === false) return false;
      renewed++;
    }
    if (areMost(renewed, this.#count)) this.#isUseless = true;
    return true;
  }

  #remember(history: readonly unknown[]): void {
    this.#at = this.#stamps.length;
    for (let index = this.#count; index < history.length; index++) this.#look(history[index]);
    this.#count = history.length;
  }

  #forget(): void {
    this.#stamps.length = 0;
    this.#ids.clear();
    this.#count = 0;
  }

  /** Takes another message in the place of one with the same role, blocks, calls and ends; false for any other. */
  #renew(message: unknown): boolean {
    this.#isRenewing = true;
    try {
      return this.#look(message);
    } finally {
      this.#isRenewing = false;
    }
  }

  /** Compares a message with its stamp; behind the last stamp it makes one. */
  #look(message: unknown): boolean {
    if (!this.#sees(message) || !isObject(message)) return false;
    const { role, content } = message;
    if (!this.#isFact(role) || !this.#sees(content)) return false;
    if (role === "assistant") {
      if (!this.#isFact(message.stopReason) || !this.#sees(message.api) || !this.#sees(message.tool_calls))
        return false;
    } else if (role === "toolResult") {
      const { details } = message;
      if (!this.#isFact(message.toolCallId) || !this.#isFact(message.toolName) || !this.#sees(message.isError))
        return false;
      if (!this.#sees(details) || !this.#sees(isObject(details) ? details[SYNTHETIC_MARK] : undefined)) return false;
    }
    if (!Array.isArray(content)) return this.#isFact(-1);
    const { length } = content;
    if (!this.#isFact(length)) return false;
    for (let at = 0; at < length; at++) if (!this.#looksAtBlock(content[at])) return false;
    return true;
  }

  #looksAtBlock(block: unknown): boolean {
    if (!this.#sees(block)) return false;
    // A message of a role that OpenClaw puts into words itself may have anything as content.
    if (!isObject(block)) return this.#isFact(NO_BLOCK);
    const { type } = block;
    if (!this.#isFact(type)) return false;
    switch (type) {
      case "text":
        return this.#sees(block.text);
      case "toolCall":
        return (
          this.#isFact(block.id) &&
          this.#isFact(block.name) &&
          this.#sees(block.arguments) &&
          this.#isFact(block.partialJson)
        );
      case "thinking":
        return this.#sees(block.thinking) && this.#sees(block.thinkingSignature);
      default:
        // OpenClaw looks for its own words in the text of any block.
        return this.#sees(block.data) && this.#sees(block.mimeType) && this.#sees(block.text);
    }
  }

  /** True for the value that the stamp has in this place, which no other message may change. */
  #isFact(value: unknown): boolean {
    const at = this.#at++;
    if (at < this.#stamps.length) return this.#stamps[at] === value;
    this.#stamps.push(value);
    return true;
  }

  /** The same for a value that may be another one where the message is judged anew. */
  #sees(value: unknown): boolean {
    const at = this.#at++;
    if (at === this.#stamps.length) this.#stamps.push(value);
    else if (this.#stamps[at] !== value) {
      if (!this.#isRenewing) return false;
      this.#stamps[at] = value;
    }
    return true;
  }
}

/** True when most messages are other objects than before, in a history that is long enough to tell. */
function areOthers(before: readonly unknown[], history: readonly unknown[]): boolean {
  const others = before.reduce<number>((count, message, at) => count + Number(message !== history[at]), 0);
  return areMost(others, before.length);
}

function areMost(others: number, count: number): boolean {
  return count > MIN_TELLING && others * 2 > count;
}

/** True when all messages from this one on are fit. */
export function isFitFrom(history: readonly unknown[], from: number, isFit: Fitness): boolean {
  if (isFit) for (let index = from; index < history.length; index++) if (!isFit(history[index])) return false;
  return true;
}
