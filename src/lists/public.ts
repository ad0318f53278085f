/** The functions of `openclaw-integrity/transcript` that take a list of messages in any known form. */
import { assertList, assertSpelling, type Spelling } from "../transcript/options.ts";
import { assertStrategy } from "../transcript/repair.ts";
import { selectMembers } from "./foreign-rows.ts";
import { detectForm } from "./forms.ts";
import {
  asOpenClaw,
  changesBetween,
  inList,
  repaired,
  violationsOfRows,
  type ListChange,
  type RepairAsOptions,
} from "./repair-list.ts";
import type { ListRepair, ListViolation } from "./violations.ts";

export type { ListChange };

/** Options of {@link validate}. */
export interface ValidateOptions {
  /**
   * `openclaw` judges the list as OpenClaw's: it also reports calls and results in another spelling than OpenClaw's
   * own, which an unpatched OpenClaw does not read.
   */
  spelling?: Spelling;
}

/** Options of {@link repair}. */
export interface RepairOptions extends RepairAsOptions {
  /** `openclaw` turns a list of messages with roles into OpenClaw's own spelling; the default is to keep the form. */
  spelling?: Spelling;
}

/** The outcome of {@link repair}. */
export interface RepairResult<T = unknown> {
  /** The given list itself when there was no violation. */
  messages: T[];
  repaired: boolean;
  repairs: ListRepair[];
}

/**
 * Returns a valid list made of `messages`: {@link validate} finds nothing in the outcome, repairing it again returns
 * the same object, and the same input always gives the same bytes. A valid list is returned as the same object. The
 * given messages are not changed, changed ones are copies.
 *
 * The list keeps its form: OpenClaw's messages or rows, Anthropic Messages, OpenAI Chat Completions, OpenAI Responses
 * items, Gemini contents, Bedrock Converse messages, the AI SDK's ModelMessage or UIMessage, LangChain's stored
 * messages, or openai-agents items. A row that is no message of its form stays where it is. No text, call or result is
 * dropped: a result moves to its call, one without a call gets a placeholder call, a call without a result gets one
 * that says that its outcome is unknown. The exception, in OpenClaw's forms: calls without a result in turns that
 * failed (`stopReason` `error` or `aborted`), and failed turns that say nothing, are left out, as OpenClaw's own
 * adapters do.
 *
 * Throws a TypeError when `messages` is no list or a list in no known form, and for an unknown strategy or spelling;
 * nothing inside the messages makes it throw.
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
export function repair<T>(messages: readonly T[], options: RepairOptions = {}): RepairResult<T> {
  const { strategy = "reconstruct", spelling = "keep", onRepairs } = options;
  assertList("repair", messages);
  assertStrategy(strategy);
  assertSpelling("repair", spelling);
  const { rows, repairs } = repaired(messages, detectForm("repair", messages), strategy, spelling);
  if (rows !== messages && onRepairs) onRepairs(changesBetween(messages, rows, repairs));
  return { messages: rows as T[], repaired: rows !== messages, repairs: [...repairs] };
}

/**
 * Returns every violation in a list of messages, in their order; an empty list when there is none.
 *
 * @param messages A list in one of the forms that {@link repair} names. It is judged by what every provider of its form
 *   refuses; for the rules of one model or host use `check` of `openclaw-integrity/wire`. Rows that are no messages of
 *   the form are not judged. A block may be any value.
 * @returns kind, message index, block index (-1: the message itself; calls in `tool_calls` are counted behind the
 *   blocks) and id of each violation.
 * @throws TypeError when `messages` is no list or a list in no known form, or the spelling is unknown; nothing inside
 *   the messages makes it throw.
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
export function validate(messages: readonly unknown[], options: ValidateOptions = {}): ListViolation[] {
  const { spelling = "keep" } = options;
  assertList("validate", messages);
  assertSpelling("validate", spelling);
  const detected = detectForm("validate", messages);
  if (!detected) return [];
  const form = spelling === "openclaw" ? asOpenClaw("validate", detected.form) : detected.form;
  const members = selectMembers(messages, detected.isMember);
  return violationsOfRows(form, members.rows, spelling).map((found) => inList(found, members));
}
