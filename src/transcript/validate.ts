import { analyse } from "./analyse.ts";
import { looksHealthy } from "./healthy.ts";
import { assertSpelling, type Spelling } from "./clean.ts";
import { assertList } from "./json/list.ts";
import { asJson } from "./json/plain.ts";
import { noJson, type Violation } from "./violations.ts";

/** Options of {@link validate}. */
export interface ValidateOptions {
  /**
   * `openclaw` also reports calls and results in another spelling than OpenClaw's own, which an unpatched OpenClaw does
   * not read.
   */
  spelling?: Spelling;
}

/**
 * Returns every violation in a stored history, in the order of the messages, but those of messages
 * that are not JSON first; an empty list when there is none.
 *
 * @param messages OpenClaw's messages (roles `user`, `assistant`, `toolResult` and OpenClaw's own), or messages in an
 *   API's format: calls and results are read in every spelling. A message or block may be any value.
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
export function validate(messages: readonly unknown[], { spelling = "keep" }: ValidateOptions = {}): Violation[] {
  assertList("validate", messages);
  assertSpelling("validate", spelling);
  try {
    return violationsOf(messages, spelling);
  } catch (error) {
    // A message that is not JSON throws when it is read: it is judged by its copy.
    const { items, copied } = asJson(messages, error);
    return [...copied.map(noJson), ...violationsOf(items, spelling)];
  }
}

function violationsOf(messages: readonly unknown[], spelling: Spelling): Violation[] {
  return looksHealthy(messages, spelling) ? [] : analyse(messages, spelling).violations;
}
