/** What the readings of the APIs' answers share. */
import { valueInline } from "../../base/quoted.ts";
import { isBlank, isObject, type JsonObject } from "../../transcript/json/json.ts";
import { integrityError } from "../base/errors.ts";
import type { CycleCall, MessageFormat } from "../base/types.ts";

/** A given cycle in a form that is stored. */
export interface ReadCycle {
  cycle: CycleCall;
  /** Calls whose arguments cannot be read, by their place among the calls: why. */
  unreadable: ReadonlyMap<number, string>;
}

/** Reads the calls of an answer, one after the other, into blocks of a format. */
export class CallReader {
  readonly #format: MessageFormat;
  readonly #unreadable = new Map<number, string>();
  #count = 0;

  constructor(format: MessageFormat) {
    this.#format = format;
  }

  /** Returns the block of a call whose arguments are an object or its JSON; `kept` are further fields of the block. */
  read({ id, name, given }: { id: unknown; name: unknown; given: unknown }, kept: object = {}): JsonObject {
    const input = this.#parse(given, this.#count++);
    return this.#format === "anthropic"
      ? { type: "tool_use", id, name, input }
      : { type: "toolCall", id, name, arguments: input, ...kept };
  }

  /** Returns the message with this content. */
  finish(content: readonly object[]): ReadCycle {
    return { cycle: { role: "assistant", content }, unreadable: this.#unreadable };
  }

  #parse(given: unknown, at: number): unknown {
    // Several servers send nothing or an empty text for a tool without arguments.
    if (given === undefined || given === null || (typeof given === "string" && isBlank(given))) return {};
    try {
      const value: unknown = typeof given === "string" ? JSON.parse(given) : given;
      if (isObject(value)) return value;
      this.#unreadable.set(at, "The arguments of the call are not a JSON object.");
    } catch {
      this.#unreadable.set(at, "The arguments of the call are not valid JSON.");
    }
    return given;
  }
}

/** Builds the error for an answer with something that is no call of a tool of the program. */
export function badAnswer(expected: string, found: unknown): Error {
  return integrityError("bad-call", {
    expected,
    found: isObject(found) ? `one of the type ${valueInline(found.type)}` : valueInline(found),
    todo: "Answer a call of another kind yourself. No tool was run and nothing was stored.",
  });
}

/** Throws an IntegrityError `bad-call` for what the next request must have and Anthropic's format has no place for. */
export function assertHolds(format: MessageFormat, found: string): void {
  if (format === "openclaw") return;
  throw integrityError("bad-call", {
    expected: 'text and function calls, which is all that a session of the format "anthropic" can hold of this answer',
    found,
    todo: 'Create the session with { format: "openclaw" }. No tool was run and nothing was stored.',
  });
}

const OWN_BLOCKS = new Set<unknown>(["text", "thinking", "toolCall"]);

/**
 * Returns the blocks of an assistant message of OpenClaw's format, without blank texts; undefined for any other
 * message.
 */
export function readBlocks(message: unknown): readonly JsonObject[] | undefined {
  if (!isObject(message) || message.role !== "assistant" || !Array.isArray(message.content)) return undefined;
  const blocks = message.content as unknown[];
  return blocks.every((block): block is JsonObject => isObject(block) && OWN_BLOCKS.has(block.type))
    ? blocks.filter(({ type, text }) => type !== "text" || (typeof text === "string" && !isBlank(text)))
    : undefined;
}
