import { isObject } from "../json.ts";
import type { JsonObject } from "../types.ts";
import type { Findings } from "./findings.ts";

/** What a model asks of the roles. */
export interface TurnRules {
  prefill: boolean;
  userFirst: boolean;
  inTurn: boolean;
}

/** True for a call that the server ran itself. */
export function isServerCall(block: unknown): block is { toolUse: JsonObject } {
  const use = isObject(block) ? block["toolUse"] : undefined;
  return isObject(use) && use["type"] === "server_tool_use";
}

/** Judges the order of the turns of a conversation whose shape is known to be right. */
export function bedrockTurns(messages: JsonObject[], { prefill, userFirst, inTurn }: TurnRules, found: Findings): void {
  if (userFirst && messages[0]?.["role"] !== "user") {
    found.add(
      "messages",
      "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
    );
  }
  const seen = new Set<unknown>();
  messages.forEach((message, m) => {
    if (inTurn && m > 0 && message["role"] === messages[m - 1]?.["role"]) {
      found.add(
        `messages.${m}`,
        "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.",
      );
    }
    if (message["role"] === "assistant") calls(message, messages[m + 1], m, seen, found);
    else results(message, messages[m - 1], m, found);
  });
  if (!prefill && messages.at(-1)?.["role"] === "assistant") {
    found.add(
      "messages",
      "The model returned the following errors: This model does not support assistant message prefill. The conversation must end with a user message.",
    );
  }
}

function listIds(message: JsonObject | undefined, kind: "toolUse" | "toolResult"): unknown[] {
  if (!Array.isArray(message?.["content"])) return [];
  return message["content"].flatMap((block: unknown) => {
    const value = isObject(block) ? block[kind] : undefined;
    return isObject(value) && !isServerCall(block) ? [value["toolUseId"]] : [];
  });
}

function calls(
  message: JsonObject,
  next: JsonObject | undefined,
  m: number,
  seen: Set<unknown>,
  found: Findings,
): void {
  const ids = listIds(message, "toolUse");
  const twice = ids.filter((id) => seen.size === seen.add(id).size);
  if (twice.length > 0) {
    found.add(
      `messages.${m}.content`,
      `The toolUse blocks at messages.${m}.content contain duplicate Ids: ${twice.join(", ")}`,
    );
  }
  const answered = new Set(leadingResults(next));
  const missing = ids.filter((id) => !answered.has(id));
  if (missing.length > 0) {
    found.add(
      `messages.${m + 1}.content`,
      `Expected toolResult blocks at messages.${m + 1}.content for the following Ids: ${missing.join(", ")}, but found: ${[...answered].join(", ")}`,
    );
  }
}

/** Results in front of everything else: one behind a text counts as missing. */
function leadingResults(message: JsonObject | undefined): unknown[] {
  if (message?.["role"] !== "user" || !Array.isArray(message["content"])) return [];
  const end = message["content"].findIndex((block: unknown) => !isObject(block) || block["toolResult"] === undefined);
  return listIds({ content: end < 0 ? message["content"] : message["content"].slice(0, end) }, "toolResult");
}

function results(message: JsonObject, previous: JsonObject | undefined, m: number, found: Findings): void {
  const ids = listIds(message, "toolResult");
  if (ids.length === 0) return;
  const seen = new Set<unknown>();
  const twice = ids.filter((id) => seen.size === seen.add(id).size);
  if (twice.length > 0) {
    found.add(
      `messages.${m}.content`,
      `The toolResult blocks at messages.${m}.content contain duplicate Ids: ${twice.join(", ")}`,
    );
  }
  const asked = new Set(previous?.["role"] === "assistant" ? listIds(previous, "toolUse") : []);
  const foreign = [...seen].filter((id) => !asked.has(id));
  if (seen.size > asked.size) {
    found.add(
      `messages.${m}.content`,
      `The number of toolResult blocks at messages.${m}.content exceeds the number of toolUse blocks of previous turn.`,
    );
  } else if (foreign.length > 0) {
    found.add(
      `messages.${m}.content`,
      `messages.${m}.content: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${foreign.join(", ")}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
    );
  }
}
