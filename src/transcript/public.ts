/**
 * The public functions of this room. They also take histories in the form of an API, which the internal ones, for
 * OpenClaw's stores, convert.
 */
import { instructionsOf, readApiForm, writeApiForm, type ReadHistory } from "./api-form.ts";
import { looksHealthy } from "./healthy.ts";
import { assertList } from "./json/list.ts";
import { assertStrategy, repair as repairStored, type RepairOptions, type RepairResult } from "./repair.ts";
import { validate as validateStored, type ValidateOptions } from "./validate.ts";
import type { Violation } from "./violations.ts";

/**
 * A valid history made of `messages`: {@link validate} finds nothing in the outcome, repairing it again returns the
 * same object, and the same input always gives the same bytes. A result whose call exists is never dropped: it is moved
 * behind the call, under a new id where ids clash; text of any block is kept. Stored messages are not changed, changed
 * ones are copies.
 *
 * A history in the form of OpenAI Chat Completions or Anthropic Messages stays in that form, with its instructions
 * (roles `system` and `developer`) where they are, unless `spelling` is `openclaw`. One in any other form, and one that
 * mixes forms, is converted to OpenClaw's: for the requests of Gemini, Bedrock or OpenAI Responses use `heal` of
 * `openclaw-integrity/wire`.
 *
 * Throws a TypeError when `messages` is no array or the strategy or spelling is unknown; nothing inside the messages makes it
 * throw.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { repair, validate } from "openclaw-integrity/transcript";
 *
 * const stored = [
 *   { role: "user", content: "List the files." },
 *   { role: "assistant", content: [{ type: "toolCall", id: "call_1", name: "exec", arguments: { command: "ls" } }] },
 *   { role: "user", content: "Are you there?" },
 * ];
 * const { messages, repairs } = repair(stored);
 * assert.deepEqual(
 *   repairs.map(({ kind, action, messageIndex }) => [kind, action, messageIndex]),
 *   [["missing_tool_result", "add_result", 1]],
 * );
 * assert.deepEqual(validate(messages), []);
 * assert.equal(repair(messages).messages, messages); // a valid history stays the same object
 * ```
 */
export function repair(messages: readonly unknown[], options: RepairOptions = {}): RepairResult {
  assertList("repair", messages);
  assertStrategy(options.strategy);
  const read = inApiForm(messages, options.spelling);
  if (read === "valid") return { messages, repaired: false, repairs: [] };
  if (!read) return repairStored(messages, options);
  const { instructions } = read;
  const { messages: repaired, repairs } = repairStored(read.messages, options);
  if (repaired === read.messages) return { messages, repaired: false, repairs };
  const written = writeApiForm(read, repaired);
  const all = repairs.map(behind(read));
  // Instructions behind messages that were removed are instructions before the history now: its beginning is another.
  if (instructionsOf(written) <= instructions.length) return { messages: written, repaired: true, repairs: all };
  const again = repair(written, options);
  const places = again.repairs.map((found) => ({ ...found, messageIndex: placeOf(written[found.messageIndex]) }));
  return { messages: again.messages, repaired: true, repairs: [...all, ...places] };

  function placeOf(message: unknown): number {
    return Math.max(messages.indexOf(message), instructions.length);
  }
}

/**
 * Returns every violation in a stored history, in the order of the messages, but those of messages
 * that are not JSON first; an empty list when there is none.
 *
 * @param messages OpenClaw's messages (roles `user`, `assistant`, `toolResult` and OpenClaw's own), or messages in the
 *   form of OpenAI Chat Completions or Anthropic Messages. In other forms calls and results are read in every spelling,
 *   but what OpenClaw does not read is a violation: use `check` of `openclaw-integrity/wire` for request bodies. A
 *   message or block may be any value.
 * @returns kind, message index, block index (-1: the message itself) and id of each violation. The rules are those of
 *   the provider APIs and of OpenClaw's adapters.
 * @throws TypeError when `messages` is not an array or the spelling is unknown; nothing inside the messages makes it throw.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { validate } from "openclaw-integrity/transcript";
 *
 * const violations = validate([
 *   { role: "user", content: "Hello" },
 *   { role: "toolResult", toolCallId: "call_gone", toolName: "exec", content: [], isError: false },
 * ]);
 * assert.deepEqual(violations, [
 *   { kind: "orphaned_tool_result", messageIndex: 1, blockIndex: -1, id: "call_gone" },
 * ]);
 * ```
 */
export function validate(messages: readonly unknown[], options: ValidateOptions = {}): Violation[] {
  const read = inApiForm(messages, options.spelling);
  if (read === "valid") return [];
  return read ? validateStored(read.messages, options).map(behind(read)) : validateStored(messages, options);
}

/** Reads a history in an API's form that is to keep it; one that is valid in the stored form is told without. */
function inApiForm(messages: readonly unknown[], spelling: unknown): ReadHistory | "valid" | undefined {
  try {
    if (!Array.isArray(messages) || (spelling !== undefined && spelling !== "keep")) return undefined;
    return looksHealthy(messages, "keep") ? "valid" : readApiForm(messages);
  } catch {
    // A message is no JSON: it is read as a copy, in the stored form.
    return undefined;
  }
}

/** Counts the instructions before the history too. */
function behind({ instructions }: ReadHistory): <Found extends Violation>(found: Found) => Found {
  return (found) => ({ ...found, messageIndex: found.messageIndex + instructions.length });
}
