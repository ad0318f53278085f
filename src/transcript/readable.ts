import { isObject, toJson, type JsonObject } from "./json/json.ts";
import { isResultRole, readResult } from "./read.ts";
import { isCustomMessage } from "./look.ts";
import { readText } from "./json/text.ts";

/**
 * True when OpenClaw can read the message as it is: 2026.9.6 accepts such a row, and 2026.2.3 does not crash on it.
 */
export function isReadableMessage(message: unknown): boolean {
  if (!isObject(message) || typeof message.role !== "string") return false;
  const { role, content } = message;
  switch (role) {
    case "toolResult":
      return (
        typeof message.toolCallId === "string" &&
        typeof message.toolName === "string" &&
        typeof message.isError === "boolean" &&
        isBlockList(content)
      );
    case "bashExecution":
      return typeof message.command === "string" && typeof message.output === "string";
    case "assistant":
      return isBlockList(content);
    case "user":
    case "custom":
    case "hookMessage":
      return typeof content === "string" || isBlockList(content);
    default:
      return isCustomMessage(message);
  }
}

function isBlockList(content: unknown): boolean {
  if (!Array.isArray(content)) return false;
  for (const block of content) if (!isObject(block) || typeof block.type !== "string") return false;
  return true;
}

/**
 * Converts a message to one that OpenClaw can read, without losing content: the content becomes a list of blocks with a
 * type, the fields of a result get their types. Unknown types of blocks are left to the gates, which come later.
 */
export function readableMessage(message: unknown): JsonObject {
  if (isReadableMessage(message)) return message as JsonObject;
  if (!isObject(message)) return { role: "user", content: blockList(message) };
  const { role } = message;
  if (isResultRole(role)) {
    const { id, name, content, isError } = readResult(message);
    return {
      ...message,
      role: "toolResult",
      toolCallId: typeof id === "string" ? id : id === undefined ? "" : toJson(id),
      toolName: typeof name === "string" ? name : "unknown_tool",
      content: blockList(content),
      isError,
    };
  }
  const assistant = role === "assistant" || role === "model" || role === "ai";
  const said = isCustomMessage(message) || !("content" in message) ? otherFields(message) : message.content;
  return { ...message, role: assistant ? "assistant" : "user", content: blockList(said) };
}

/** Returns the fields of a message without its role and time; undefined when there are none. */
function otherFields({ role: _role, timestamp: _timestamp, ...rest }: JsonObject): unknown {
  return Object.keys(rest).length > 0 ? rest : undefined;
}

function blockList(content: unknown): JsonObject[] {
  const blocks: unknown[] = Array.isArray(content) ? content : [content];
  return blocks.flatMap((block) => {
    if (isObject(block) && typeof block.type === "string") return [block];
    const text = readText(block);
    return text === "" ? [] : [{ type: "text", text }];
  });
}
