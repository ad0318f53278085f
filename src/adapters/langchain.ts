/** LangChain and LangGraph: the messages of a model call are repaired, those in the state are not. */
import { repairAs, type RepairAsOptions } from "../lists/repair-list.ts";

export type { RepairAsOptions };

/** A message of `@langchain/core`. */
export interface ChatMessage {
  toDict(): object;
}

/**
 * Returns LangChain's messages repaired: the same list where nothing is wrong, and otherwise the same object for each
 * message that has no part in what is wrong. Rejects where `@langchain/core` is missing and a message has to be made.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { repairMessages } from "openclaw-integrity/langchain";
 *
 * // model.invoke(await repairMessages(state.messages))
 * const messages = [{ toDict: () => ({ type: "human", data: { content: "Hello" } }) }]; // new HumanMessage("Hello")
 * assert.equal(await repairMessages(messages), messages);
 * ```
 */
export async function repairMessages<Message extends ChatMessage>(
  messages: Message[],
  options?: RepairAsOptions,
): Promise<Message[]> {
  const given = new Map<object, Message>(messages.map((message) => [message.toDict(), message]));
  const rows = [...given.keys()];
  const repaired = repairAs("langchain", rows, options);
  if (repaired === rows) return messages;
  const { mapStoredMessagesToChatMessages } = await import("@langchain/core/messages");
  return repaired.map((row) => given.get(row) ?? (mapStoredMessagesToChatMessages([row])[0] as Message));
}

/** What `createMiddleware` of LangChain takes. */
export interface ModelCallRepair {
  readonly name: "OpenClawIntegrity";
  wrapModelCall<Message extends ChatMessage, Request extends { messages: Message[] }, Answer>(
    request: Request & { messages: Message[] },
    handler: (request: Request) => Answer | Promise<Answer>,
  ): Promise<Answer>;
}

/**
 * Returns what makes a middleware of LangChain's `createAgent` that repairs the messages of each model call. Put it
 * last: what another middleware takes out of the messages can leave a call or a result alone.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { repairModelCall } from "openclaw-integrity/langchain";
 *
 * // createAgent({ model, tools, middleware: [createMiddleware(repairModelCall())] })
 * const request = { messages: [{ toDict: () => ({ type: "human", data: { content: "Hello" } }) }] };
 * assert.equal(await repairModelCall().wrapModelCall(request, (same) => same), request);
 * ```
 */
export function repairModelCall(options?: RepairAsOptions): ModelCallRepair {
  return {
    name: "OpenClawIntegrity",
    async wrapModelCall(request, handler) {
      const messages = await repairMessages(request.messages, options);
      return await handler(messages === request.messages ? request : { ...request, messages });
    },
  };
}

/**
 * Returns a `preModelHook` for LangGraph's `createReactAgent`, which gives the model repaired messages.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { repairHook } from "openclaw-integrity/langchain";
 *
 * // createReactAgent({ llm, tools, preModelHook: repairHook() })
 * const messages = [{ toDict: () => ({ type: "human", data: { content: "Hello" } }) }]; // new HumanMessage("Hello")
 * assert.deepEqual(await repairHook()({ messages }), { llmInputMessages: messages });
 * ```
 */
export function repairHook(
  options?: RepairAsOptions,
): <Message extends ChatMessage>(state: { messages: Message[] }) => Promise<{ llmInputMessages: Message[] }> {
  // LangGraph keeps the field: without a new one, a later step would send what an earlier one was given.
  return async ({ messages }) => ({ llmInputMessages: await repairMessages(messages, options) });
}
