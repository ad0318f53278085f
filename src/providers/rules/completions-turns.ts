import { isObject, shown } from "../json.ts";
import type { JsonObject } from "../types.ts";
import type { Findings } from "./findings.ts";

/** Servers that differ from OpenAI's own, told by the model. */
export interface Dialect {
  mistral: boolean;
  /** Of Mistral's models: those that take a user's message behind a tool's. */
  userAfterTool: boolean;
  /** OpenAI's own form, with its limits. */
  openAi: boolean;
  /** A text of the user that says nothing is taken. */
  silence: boolean;
  /** Fields that Moonshot, DashScope and LiteLLM document are taken; else they are unknown. */
  rareFields: boolean;
  /** The maker whose thinking models want their reasoning back. */
  thinking?: "deepseek" | "kimi";
  /** Chat templates that accept nothing but user, assistant, user, assistant. */
  alternating: boolean;
}

const INSTRUCTIONS = new Set<unknown>(["system", "developer"]);

/** Judges the order of the messages; their shape is already known to be right. */
export function completionsTurns(body: JsonObject, messages: JsonObject[], dialect: Dialect, found: Findings): void {
  pairing(messages, dialect, found);
  if (dialect.mistral) mistral(messages, dialect.userAfterTool, found);
  if (dialect.alternating) alternation(messages, found);
  if (dialect.thinking !== undefined) reasoning(body, messages, dialect.thinking, found);
}

function formatIds(message: JsonObject): string[] {
  const calls = message["tool_calls"];
  return Array.isArray(calls) ? calls.map((call: unknown) => (isObject(call) ? shown(call["id"]) : "")) : [];
}

function pairing(messages: JsonObject[], dialect: Dialect, found: Findings): void {
  const everyId = new Set<string>();
  let calls = new Set<string>();
  let open = new Set<string>();
  let caller = -1;
  messages.forEach((message, i) => {
    if (message["role"] === "tool") {
      const id = shown(message["tool_call_id"]);
      const path = `messages.[${i}].role`;
      if (calls.size === 0) {
        found.add(
          path,
          dialect.thinking === "deepseek"
            ? "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'"
            : "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        );
      } else if (!calls.has(id)) {
        found.add(
          `messages.[${i}].tool_call_id`,
          `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`,
        );
      } else if (!open.delete(id)) {
        found.add(`messages.[${i}].tool_call_id`, `Duplicate value for 'tool_call_id' of '${id}' in message[${i}].`);
      }
      return;
    }
    unanswered(open, caller, dialect, found);
    const ids = message["role"] === "assistant" ? formatIds(message) : [];
    for (const id of ids) {
      if (everyId.has(id)) {
        found.add(`messages.[${i}].tool_calls`, `Duplicate value for 'tool_call_id' of '${id}' in message[${i}].`);
      }
      everyId.add(id);
    }
    calls = new Set(ids);
    open = new Set(ids);
    caller = i;
  });
  unanswered(open, caller, dialect, found);
}

function unanswered(open: Set<string>, caller: number, dialect: Dialect, found: Findings): void {
  if (open.size === 0) return;
  found.add(
    `messages.[${caller + 1}].role`,
    dialect.mistral
      ? "Not the same number of function calls and responses"
      : `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(", ")}`,
    dialect.mistral ? "3230" : undefined,
  );
  open.clear();
}

function mistral(messages: JsonObject[], userAfterTool: boolean, found: Findings): void {
  messages.forEach((message, i) => {
    if (!userAfterTool && message["role"] === "user" && messages[i - 1]?.["role"] === "tool") {
      found.add(`messages[${i}].role`, "Unexpected role 'user' after role 'tool'", "3230");
    }
  });
  const last = messages.at(-1);
  if (last?.["role"] === "assistant" && last["prefix"] !== true && formatIds(last).length === 0) {
    found.add(
      "messages",
      "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
      "3230",
    );
  }
}

/** As the chat templates do it: instructions first, tool traffic aside, then user and assistant in turn. */
function alternation(messages: JsonObject[], found: Findings): void {
  let expected = "user";
  let toolTurn = false;
  messages.forEach((message, i) => {
    const role = message["role"];
    if (INSTRUCTIONS.has(role)) return;
    if (role === "tool") {
      toolTurn = true;
      return;
    }
    // The assistant speaks again after its results.
    if (toolTurn && role === "assistant") expected = "assistant";
    toolTurn = false;
    if (role !== expected) {
      found.add(`messages[${i}].role`, "Conversation roles must alternate user/assistant/user/assistant/...");
    }
    expected = role === "user" ? "assistant" : "user";
  });
}

/** Thinking is on when the body says so, or when it already brings reasoning back. */
function thinkingOn(body: JsonObject, messages: JsonObject[]): boolean {
  const { thinking, reasoning_effort: effort } = body;
  if (isObject(thinking)) return thinking["type"] !== "disabled";
  if (effort !== undefined && effort !== null) return effort !== "none";
  return messages.some(
    (message) => message["role"] === "assistant" && typeof message["reasoning_content"] === "string",
  );
}

function reasoning(body: JsonObject, messages: JsonObject[], maker: "deepseek" | "kimi", found: Findings): void {
  if (!thinkingOn(body, messages)) return;
  messages.forEach((message, i) => {
    if (message["role"] !== "assistant" || formatIds(message).length === 0) return;
    if (typeof message["reasoning_content"] === "string") return;
    found.add(
      `messages[${i}].reasoning_content`,
      maker === "deepseek"
        ? "The reasoning_content in the thinking mode must be passed back to the API."
        : `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${i}`,
    );
  });
}
