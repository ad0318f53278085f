/** Mastra: what an agent's memory and its prompt are repaired to, the memory itself is not. */
import { repairAs, type RepairAsOptions } from "../lists/repair-list.ts";
import { isObject } from "../transcript/json/json.ts";
import { mapChanged } from "../transcript/json/list.ts";
import { sizesBetween } from "../transcript/json/sizes.ts";
import { UNKNOWN_OUTCOME } from "../transcript/json/text.ts";

export type { RepairAsOptions };

/** A message as Mastra keeps it. */
export interface MemoryMessage {
  role: string;
  content: { parts: object[]; metadata?: object };
}

/** What Mastra calls of a processor. */
export interface RepairProcessor {
  readonly id: "openclaw-integrity";
  processInputStep<Message extends MemoryMessage>(step: {
    readonly messages: Message[];
    readonly stepNumber: number;
  }): { messages: Message[] } | undefined;
  processLLMRequest<Message>(request: { readonly prompt: Message[] }): { prompt: Message[] } | undefined;
}

/**
 * Returns an input processor for `Agent`: a call of an earlier run that has no result, which Mastra leaves out of the
 * prompt, gets one that says that its outcome is unknown; then the prompt is repaired. Put it last: a limit on tokens or a
 * filter of tool calls before it can leave a call or a result alone. What is valid is passed on as the same object.
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
export function repairPrompt(options?: RepairAsOptions): RepairProcessor {
  return {
    id: "openclaw-integrity",
    processInputStep({ messages, stepNumber }) {
      // In later steps an open call may be one that this run has made.
      const answered = stepNumber === 0 ? answerOpenCalls(messages, options) : messages;
      return answered === messages ? undefined : { messages: answered };
    },
    processLLMRequest({ prompt }) {
      const repaired = repairAs("ai-sdk-model", prompt, options);
      return repaired === prompt ? undefined : { prompt: repaired };
    },
  };
}

/** Gives the calls before the last question a result; those that Mastra itself waits for stay open. */
function answerOpenCalls<Message extends MemoryMessage>(messages: Message[], options?: RepairAsOptions): Message[] {
  const end = messages.findLastIndex(({ role }) => role === "user");
  const places: (readonly [message: number, part: number])[] = [];
  const answered = mapChanged(messages, (message, at) => {
    const { content } = message;
    if (at >= end || message.role !== "assistant" || !Array.isArray(content?.parts) || waits(content)) return message;
    const parts = mapChanged(content.parts, (given, part) => {
      const call = isObject(given) && given.type === "tool-invocation" ? given.toolInvocation : undefined;
      if (!isObject(call) || call.state !== "call") return given;
      places.push([at, part]);
      return { ...given, toolInvocation: { ...call, state: "result", result: UNKNOWN_OUTCOME, isError: true } };
    });
    return parts === content.parts ? message : { ...message, content: { ...content, parts } };
  });
  if (places.length === 0) return messages;
  const sizes = sizesBetween(messages, answered);
  const kind = "missing_tool_result";
  options?.onRepairs?.(places.map(([at, part]) => ({ kind, path: `${at}.${part}`, ...sizes(at) })));
  return answered;
}

/** True for a message with a call that a person is asked about, or that is suspended. */
function waits({ metadata }: MemoryMessage["content"]): boolean {
  return isObject(metadata) && (isObject(metadata.pendingToolApprovals) || isObject(metadata.suspendedTools));
}
