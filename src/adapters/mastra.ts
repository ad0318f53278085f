/** Mastra: the prompt that it has made of an agent's memory is repaired before each model call, the memory is not. */
import { repairAs, type RepairAsOptions } from "../lists/repair-list.ts";

export type { RepairAsOptions };

/** What Mastra calls of a processor. */
export interface PromptProcessor {
  readonly id: "openclaw-integrity";
  processLLMRequest<Message>(request: { readonly prompt: Message[] }): { prompt: Message[] } | undefined;
}

/**
 * Returns an input processor for `Agent`. Put it last: a limit on tokens or a filter of tool calls before it can leave a
 * call or a result alone. A valid prompt is passed on as the same object.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { repairPrompt } from "openclaw-integrity/mastra";
 *
 * // new Agent({ inputProcessors: [repairPrompt()] })
 * const call = { type: "tool-call", toolCallId: "c1", toolName: "pay", input: {} };
 * const prompt = [{ role: "assistant", content: [call] }, { role: "user", content: [{ type: "text", text: "Well?" }] }];
 * const repaired = repairPrompt().processLLMRequest({ prompt });
 * assert.deepEqual(repaired?.prompt.map(({ role }) => role), ["assistant", "tool", "user"]);
 * ```
 */
export function repairPrompt(options?: RepairAsOptions): PromptProcessor {
  return {
    id: "openclaw-integrity",
    processLLMRequest({ prompt }) {
      const repaired = repairAs("ai-sdk-model", prompt, options);
      return repaired === prompt ? undefined : { prompt: repaired };
    },
  };
}
