/** What Anthropic's API refuses in a session beyond the rules for stored histories, and its repair. */
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { mapChanged } from "../../transcript/json/list.ts";
import type { Repair } from "../../transcript/repair.ts";
import type { Violation } from "../../transcript/violations.ts";
import { ANTHROPIC_LIMITS } from "../../wire/anthropic/blocks.ts";
import { check, heal } from "../../wire/heal.ts";
import type { WireViolation } from "../../wire/model.ts";
import { CONTINUE_TEXT } from "../../wire/turns.ts";
import { callsOfHistory } from "./calls.ts";

/** The API in whose format an Anthropic session stores its messages. */
export const ANTHROPIC_API = "anthropic-messages";

/** Rules on pairing and roles, for which the rules for stored histories are more exact. */
const PAIRING = new Set([
  "missing_tool_result",
  "unexpected_tool_result",
  "duplicate_tool_use_id",
  "first_role",
  "last_role",
  "final_whitespace",
]);

/** Rules on the end of a request, of which a stored history is only the beginning. */
const ENDS = new Set(["last_role", "final_whitespace"]);

/**
 * Returns what Anthropic's API refuses in a session's messages beyond `found`: fields and blocks, and pairing only when
 * `found` is empty. A history may end with the assistant and with open calls; callers decide whether its turn is over.
 */
export function furtherRefusals(found: readonly Violation[], messages: readonly unknown[]): Violation[] {
  if (messages.length === 0) return [];
  const known = new Set(found.map(({ messageIndex, blockIndex }) => `${messageIndex}.${blockIndex}`));
  return refusals(messages).flatMap((refusal) => {
    if (found.length > 0 && PAIRING.has(refusal.rule)) return [];
    const violation = toViolation(refusal, messages);
    return known.has(`${violation.messageIndex}.${violation.blockIndex}`) ? [] : [violation];
  });
}

/**
 * Returns the API rules that these messages break in the form in which they are sent, except those of an unfinished
 * turn.
 */
function refusals(messages: readonly unknown[]): WireViolation[] {
  const sent = withoutOwnMarks(messages);
  const last = `messages.${messages.length - 1}`;
  const found = check(ANTHROPIC_API, { messages: sent });
  const unfinished = found.some(({ path }) => path === last) && callsOfHistory(messages).openEnd.size > 0;
  return found.filter(
    ({ rule, path }) => !ENDS.has(rule) && !(unfinished && rule === "missing_tool_result" && path === last),
  );
}

function toViolation({ rule, path }: WireViolation, messages: readonly unknown[]): Violation {
  const [, message, , block] = path.split(".").map(Number);
  const messageIndex = Number.isInteger(message) ? message! : 0;
  const blockIndex = Number.isInteger(block) ? block! : -1;
  const { content } = (messages[messageIndex] ?? {}) as JsonObject;
  const id = readId(Array.isArray(content) && blockIndex >= 0 ? (content as unknown[])[blockIndex] : undefined);
  const isId = typeof id === "string" && !ANTHROPIC_LIMITS.id.test(id);
  const kind =
    rule === "blank_text" || rule === "empty_message" ? "empty_message" : isId ? "invalid_id" : "foreign_block";
  return { kind, messageIndex, blockIndex, id: typeof id === "string" ? id : "" };
}

function readId(block: unknown): unknown {
  if (!isObject(block)) return undefined;
  return block.type === "tool_result" ? block.tool_use_id : block.type === "tool_use" ? block.id : undefined;
}

/**
 * Returns the repair of each violation: the id is replaced, or the block is converted to a form that the API accepts.
 */
export function toRepairs(violations: readonly Violation[]): Repair[] {
  return violations.map((violation) => ({
    ...violation,
    action:
      violation.kind === "invalid_id"
        ? "rekey"
        : violation.kind === "empty_message"
          ? "remove_empty_message"
          : "convert_block",
  }));
}

/**
 * Returns the messages, which must be valid by the rules for stored histories, without anything that the API refuses.
 * The messages before the turn with the first refusal stay the same objects where possible. Nothing is appended to a
 * history that ends with the assistant.
 */
export function healedForAnthropic(messages: readonly unknown[]): readonly unknown[] {
  if (refusals(messages).length === 0) return messages;
  return healed(messages);
}

function healed(messages: readonly unknown[]): unknown[] {
  const marked = new Map<unknown, unknown>();
  const { messages: written } = heal(ANTHROPIC_API, { messages: withoutOwnMarks(messages, marked) });
  const whole = endsWithAssistant(messages) && isContinue(written.at(-1)) ? written.slice(0, -1) : written;
  return marked.size === 0 ? whole : mapBlocks(whole, (block) => marked.get(block) ?? block);
}

function endsWithAssistant(messages: readonly unknown[]): boolean {
  const last = messages.at(-1);
  return isObject(last) && last.role === "assistant";
}

/** Returns whether a message is the user turn that `heal` appends after the assistant's. */
function isContinue(message: unknown): boolean {
  if (!isObject(message) || message.role !== "user" || !Array.isArray(message.content) || message.content.length !== 1)
    return false;
  const [block] = message.content as unknown[];
  return isObject(block) && block.text === CONTINUE_TEXT;
}

/**
 * Returns the messages without the mark of a stored system prompt, which the API does not know; the same array when
 * there is none. `marked` receives the blocks that had a mark, by their replacements.
 */
export function withoutOwnMarks(messages: readonly unknown[], marked?: Map<unknown, unknown>): unknown[] {
  return mapBlocks(messages, (block) => {
    if (!isObject(block) || block.type !== "text" || !("isSystemPrompt" in block)) return block;
    const { isSystemPrompt: _mark, ...sent } = block;
    marked?.set(sent, block);
    return sent;
  });
}

function mapBlocks(messages: readonly unknown[], change: (block: unknown) => unknown): unknown[] {
  return mapChanged(messages as unknown[], (message) => {
    if (!isObject(message) || !Array.isArray(message.content)) return message;
    const content = mapChanged(message.content as unknown[], change);
    return content === message.content ? message : { ...message, content };
  });
}
