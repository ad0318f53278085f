/** pi-agent-core: an agent's messages are repaired before each model call; those that it keeps stay as they are. */
import { repairAs, type RepairAsOptions } from "../lists/repair-list.ts";
import { isObject } from "../transcript/json/json.ts";
import { mapChanged } from "../transcript/json/list.ts";

export type { RepairAsOptions };

/**
 * Returns a `transformContext` for `Agent` and `agentLoop`. Messages that an application has added to the agent's own
 * are left where they are, and a valid list is the same object.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { repairContext } from "openclaw-integrity/pi-agent-core";
 *
 * // new Agent({ transformContext: repairContext() })
 * const content = [{ type: "text", text: "a.txt" }];
 * const result = { role: "toolResult", toolCallId: "c1", toolName: "ls", content, isError: false, timestamp: 1 };
 * const messages = await repairContext()([result]);
 * assert.equal(messages.length, 2); // the result has a call now
 * assert.equal(await repairContext()(messages), messages);
 * ```
 */
export function repairContext(options?: RepairAsOptions): <Message>(messages: Message[]) => Promise<Message[]> {
  return async (messages) => mapChanged(repairAs("openclaw", messages, options), withUsage);
}

/** Of an answer without usage, such as one that a repair has made, pi-ai reads the tokens and throws. */
function withUsage<Message>(message: Message): Message {
  if (!isObject(message) || message.role !== "assistant" || isObject(message.usage)) return message;
  const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  return { ...message, usage: { ...none, totalTokens: 0, cost: { ...none, total: 0 } } };
}
