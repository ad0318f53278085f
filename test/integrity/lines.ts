import { OPENING_TEXT } from "../../src/transcript/repair.ts";
import { INTERRUPTED_CALL, NOT_STARTED_CALL } from "../../src/transcript/json/text.ts";

type Json = Record<string, unknown>;

/** What a history says, line by line, in either format; see oracle.ts. */
export function historyLines(messages: readonly unknown[]): string[] {
  return messages.flatMap((message) => {
    const { role, content, toolCallId } = message as Json;
    const blocks = content as Json[];
    if (role === "toolResult") return [`result:${String(toolCallId)}=${said(joinText(blocks))}`];
    const calls = blocks.filter(({ type }) => type === "tool_use" || type === "toolCall").map(({ id }) => String(id));
    if (calls.length > 0) return [`call:${calls.join(",")}`];
    return blocks.map((block) => {
      if (block.type === "tool_result")
        return `result:${String(block.tool_use_id)}=${said(typeof block.content === "string" ? block.content : joinText(block.content as Json[]))}`;
      return `${role === "assistant" ? "says" : "user"}:${String(block.text) === OPENING_TEXT ? "opening" : String(block.text)}`;
    });
  });
}

function joinText(blocks: readonly Json[]): string {
  return blocks.map(({ text }) => text).join("");
}

function said(text: string): string {
  if (text === INTERRUPTED_CALL) return "unknown";
  if (text === NOT_STARTED_CALL) return "not started";
  return text.startsWith("[This tool could not be run") ? "failed" : text;
}
