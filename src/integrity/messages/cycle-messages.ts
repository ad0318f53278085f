/** Makes the messages that a finished tool cycle appends to a history. */
import { OPENING_TEXT } from "../../transcript/repair.ts";
import { readCall } from "../../transcript/read.ts";
import { inAnthropicForm } from "./anthropic-form.ts";
import { assertFormat, assertMessages } from "../base/bad-input.ts";
import { callBlocks, callsIn, isAssistantMessage } from "./calls.ts";
import type { AssistantMessage, CycleCall, MessageFormat, ToolResultContent } from "../base/types.ts";

/** The history to which a finished cycle is appended. */
export interface CycleTarget {
  format: MessageFormat;
  /** The current history. */
  messages: readonly unknown[];
}

/**
 * Returns the messages that a finished tool cycle adds to a history: the assistant message with the calls, then their
 * results. Returns only the results when the history ends with these calls still open. For an empty history a user
 * message comes first, because some models refuse a history that begins with the assistant. Throws an IntegrityError
 * `bad-call`, or `bad-input` for a target without a format or messages.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { cycleMessages } from "openclaw-integrity/integrity";
 *
 * const call = { type: "tool_use", id: "toolu_1", name: "clock", input: {} } as const;
 * const result = { type: "tool_result", tool_use_id: "toolu_1", content: "12:00" } as const;
 * const hello = { role: "user", content: "What time is it?" };
 * assert.deepEqual(cycleMessages({ format: "anthropic", messages: [hello] }, call, [result]), [
 *   { role: "assistant", content: [call] },
 *   { role: "user", content: [result] },
 * ]);
 * ```
 */
export function cycleMessages(target: CycleTarget, cycle: CycleCall, results: readonly ToolResultContent[]): unknown[] {
  const { format, messages } = target ?? {};
  assertFormat(format);
  assertMessages(messages);
  const timestamp = Date.now();
  const names = new Map(callsIn(cycle).map(({ id, name }) => [id, name]));
  const added = isOpenEnd(messages, names) ? [] : [toAssistant(cycle, format, timestamp)];
  const opening =
    messages.length === 0
      ? [{ role: "user", content: [{ type: "text", text: OPENING_TEXT }], ...(format === "openclaw" && { timestamp }) }]
      : [];
  return [...opening, ...added, ...resultMessages(format, results, (id) => names.get(id) ?? "unknown_tool", timestamp)];
}

/** Returns results as messages of a format. */
export function resultMessages(
  format: MessageFormat,
  results: readonly ToolResultContent[],
  toName: (id: string) => string,
  timestamp: number,
): unknown[] {
  if (format === "anthropic") return results.length === 0 ? [] : [{ role: "user", content: [...results] }];
  return results.map(({ tool_use_id, content, is_error }) => ({
    role: "toolResult",
    toolCallId: tool_use_id,
    toolName: toName(tool_use_id),
    content: typeof content === "string" ? [{ type: "text", text: content }] : content,
    isError: is_error === true,
    timestamp,
  }));
}

/** Returns whether the last message has exactly these calls, and no result yet. */
function isOpenEnd(messages: readonly unknown[], names: ReadonlyMap<string, string>): boolean {
  const blocks = callBlocks(messages.at(-1));
  return blocks.length === names.size && blocks.every((block) => names.has(readCall(block).id as string));
}

function toAssistant(cycle: CycleCall, format: MessageFormat, timestamp: number): AssistantMessage | object {
  if (isAssistantMessage(cycle)) return format === "anthropic" ? ofAnthropic(cycle) : cycle;
  if (format === "anthropic") {
    const [call] = callsIn(cycle);
    return {
      role: "assistant",
      content: [
        cycle.type === "tool_use" ? cycle : { type: "tool_use", id: call!.id, name: call!.name, input: call!.input },
      ],
    };
  }
  const [call] = callsIn(cycle);
  const block =
    cycle.type === "toolCall" ? cycle : { type: "toolCall", id: call!.id, name: call!.name, arguments: call!.input };
  return { role: "assistant", content: [block], stopReason: "toolUse", timestamp };
}

/**
 * Returns the message in the form of Anthropic's API, its calls last. A message that this conversion would split stays
 * unchanged, for a later repair.
 */
function ofAnthropic(message: AssistantMessage): AssistantMessage | object {
  const formed = inAnthropicForm([message]);
  return formed.length === 1 ? (formed[0] as object) : message;
}
