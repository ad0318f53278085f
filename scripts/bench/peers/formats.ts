/** OpenClaw's messages in the formats of other projects. */

import { isObject } from "../../../src/transcript/json/json.ts";

type Json = Record<string, unknown>;

/** A message of OpenClaw, as far as the benchmark's histories have them. */
export interface Message extends Json {
  readonly role: string;
  readonly content: string | readonly Json[];
  readonly toolCallId?: string;
  readonly toolName?: string;
}

/** The classes of LangChain that a history consists of. */
export interface LangChainMessages {
  readonly HumanMessage: new (fields: object) => unknown;
  readonly AIMessage: new (fields: object) => unknown;
  readonly ToolMessage: new (fields: object) => unknown;
}

function toBlocks({ content }: Message): readonly Json[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isObject) : [];
}

function joinText(message: Message): string {
  return toBlocks(message)
    .map(({ text }) => (typeof text === "string" ? text : ""))
    .join("");
}

const listCalls = (message: Message): readonly Json[] => toBlocks(message).filter(({ type }) => type === "toolCall");

/** The messages of LangChain, which deepagents has too. */
export function asLangChain(messages: readonly Message[], classes: LangChainMessages): unknown[] {
  return messages.map((message, index) => {
    const id = `m${index}`;
    if (message.role === "user") return new classes.HumanMessage({ id, content: joinText(message) });
    if (message.role === "toolResult")
      return new classes.ToolMessage({
        id,
        content: joinText(message),
        name: message.toolName,
        tool_call_id: message.toolCallId,
      });
    const calls = listCalls(message).map((call) => ({ id: call["id"], name: call["name"], args: call["arguments"] }));
    return new classes.AIMessage({ id, content: joinText(message), tool_calls: calls });
  });
}

/** LangChain's messages as it stores them. */
export function asDictionaries(history: unknown): readonly unknown[] {
  return (history as readonly { toDict: () => unknown }[]).map((message) => message.toDict());
}

/** The model messages of Vercel's `ai`. */
export function asModelMessages(messages: readonly Message[]): Json[] {
  return messages.map((message) => {
    const { role, toolCallId, toolName } = message;
    if (role === "user") return { role, content: joinText(message) };
    if (role === "toolResult") {
      const output = { type: "text", value: joinText(message) };
      return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] };
    }
    const content = toBlocks(message).map((block) =>
      block["type"] === "toolCall"
        ? { type: "tool-call", toolCallId: block["id"], toolName: block["name"], input: block["arguments"] }
        : { type: "text", text: String(block["text"] ?? block["thinking"] ?? "") },
    );
    return { role: "assistant", content };
  });
}

/** The items of OpenAI's agents. */
export function asItems(messages: readonly Message[]): Json[] {
  return messages.flatMap((message): Json[] => {
    const { role, toolCallId: callId, toolName: name } = message;
    if (role === "user") return [{ type: "message", role, content: joinText(message) }];
    if (role === "toolResult") {
      const output = { type: "text", text: joinText(message) };
      return [{ type: "function_call_result", callId, name, status: "completed", output }];
    }
    const said = joinText(message);
    const content = [{ type: "output_text", text: said }];
    return [
      ...(said === "" ? [] : [{ type: "message", role, status: "completed", content }]),
      ...listCalls(message).map((call) => ({
        type: "function_call",
        callId: call["id"],
        name: call["name"],
        status: "completed",
        arguments: JSON.stringify(call["arguments"]),
      })),
    ];
  });
}

const CALL_TYPES: readonly unknown[] = ["toolCall", "tool-call", "tool_use", "function_call"];
const RESULT_TYPES: readonly unknown[] = ["tool-result", "tool_result", "function_call_result"];

/** The ids of calls and results in a history of any of the formats. */
export function collectIds(history: readonly unknown[]): { calls: Set<string>; results: Set<string> } {
  const calls = new Set<string>();
  const results = new Set<string>();
  for (const one of history as readonly Json[]) {
    const parts = Array.isArray(one["content"]) ? (one["content"] as Json[]) : [];
    for (const part of [one, ...parts]) {
      const { type, role, id, callId, toolCallId } = part;
      const answered = part["tool_call_id"] ?? part["tool_use_id"] ?? callId ?? toolCallId;
      if (CALL_TYPES.includes(type)) calls.add(String(callId ?? toolCallId ?? id));
      else if (RESULT_TYPES.includes(type) || role === "toolResult" || part["tool_call_id"] !== undefined)
        results.add(String(answered));
    }
    // LangChain keeps calls beside the content.
    for (const call of (one["tool_calls"] as Json[] | undefined) ?? []) calls.add(String(call["id"]));
  }
  return { calls, results };
}
