/** AI SDK 5 and later: its messages are repaired before each step, where its functions have not looked at them yet. */
import { repairAs, type RepairAsOptions } from "../lists/repair-list.ts";

export type { RepairAsOptions };

/**
 * Returns a `prepareStep` for `generateText`, `streamText` and `ToolLoopAgent`: a damaged history, from ModelMessages
 * or converted from UIMessages, is repaired before AI SDK throws its `MissingToolResultsError`, and so is what a step
 * adds. A valid one stays as it is. With a `prepareStep` of one's own, call this one with the step that it gives.
 *
 * `generateObject` has no steps, and AI SDK 5 and 6 refuse a result that is null before the first one: there the
 * messages go through `repair` of `openclaw-integrity/transcript`.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { repairStep } from "openclaw-integrity/ai-sdk";
 *
 * // generateText({ model, messages, prepareStep: repairStep() })
 * const call = { type: "tool-call", toolCallId: "c1", toolName: "pay", input: {} };
 * const messages = [{ role: "assistant", content: [call] }, { role: "user", content: "Are you there?" }];
 * const step = repairStep({ onRepairs: (changes) => console.log(changes) })({ messages });
 * assert.deepEqual(step?.messages.map(({ role }) => role), ["assistant", "tool", "user"]);
 * assert.equal(repairStep()({ messages: step.messages }), undefined); // nothing to repair
 * ```
 */
export function repairStep(
  options?: RepairAsOptions,
): <Message>(step: { readonly messages: Message[] }) => { messages: Message[] } | undefined {
  return ({ messages }) => {
    const repaired = repairAs("ai-sdk-model", messages, options);
    return repaired === messages ? undefined : { messages: repaired };
  };
}
