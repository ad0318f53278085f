/**
 * Messages of other libraries that look like those of a known form, but have their calls and texts in other fields.
 * forms.ts refuses a list with one of them (`alien`) instead of reading it as an empty one.
 */
import { isObject, type JsonObject } from "../transcript/json/json.ts";

function isFilled(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0;
}

function hasObject(list: unknown, matches: (item: JsonObject) => boolean): boolean {
  return Array.isArray(list) && list.some((item) => isObject(item) && matches(item));
}

/** True for a message of AI SDK 4, whose calls have `args` and `result` instead of `input` and `output`. */
export function isOfAiSdk4({ content, parts, toolInvocations }: JsonObject): boolean {
  return (
    isFilled(toolInvocations) ||
    hasObject(parts, ({ type, toolInvocation }) => type === "tool-invocation" && isObject(toolInvocation)) ||
    hasObject(
      content,
      ({ type, args, input, result, output }) =>
        (type === "tool-call" && args !== undefined && input === undefined) ||
        (type === "tool-result" && result !== undefined && output === undefined),
    )
  );
}

/** True for a message that surely is of a library whose form is not known. */
export function isOfOtherLibrary(row: JsonObject): boolean {
  const { role, content, parts } = row;
  // The form of AI SDK 4 is not known either.
  if (isOfAiSdk4(row)) return true;
  // AG-UI, CopilotKit, and TanStack AI's messages for models.
  if (role === "assistant" && isFilled(row.toolCalls)) return true;
  if (role === "tool" && row.toolCallId !== undefined && content !== undefined && !hasTypedResult(content)) return true;
  // A2A.
  if (Array.isArray(parts) && (role === "agent" || row.kind === "message" || hasObject(parts, isOfA2a))) return true;
  if (hasObject(parts, isOfTanStack)) return true;
  // MCP's sampling.
  if (hasObject([content].flat(), isResultOfMcp)) return true;
  // LlamaIndex.
  if (hasObject(row.blocks, ({ block_type: type }) => typeof type === "string")) return true;
  // OpenAI Assistants (whose `text` is an object), and the Realtime API.
  if (row.object === "thread.message" || row.object === "realtime.item") return true;
  return hasObject(content, ({ type, text }) => type === "text" && isObject(text));
}

function hasTypedResult(content: unknown): boolean {
  return hasObject(content, ({ type }) => type === "tool-result");
}

function isResultOfMcp({ type, toolUseId, tool_use_id: id }: JsonObject): boolean {
  return type === "tool_result" && toolUseId !== undefined && id === undefined;
}

const A2A_KINDS = new Set<unknown>(["text", "file", "data"]);

function isOfA2a({ kind, type }: JsonObject): boolean {
  return type === undefined && A2A_KINDS.has(kind);
}

/** The AI SDK's part of a tool with the name `call` or `result` has a `toolCallId` and no `content`. */
function isOfTanStack({ type, toolCallId, arguments: input, text, content }: JsonObject): boolean {
  switch (type) {
    case "tool-call":
      return toolCallId === undefined && input !== undefined;
    case "tool-result":
      return content !== undefined;
    case "text":
    case "thinking":
      return text === undefined && content !== undefined;
    default:
      return false;
  }
}

/** Fields in which libraries have what is said, where a message has no `content`. */
const OTHER_CONTENTS = ["text", "message", "blocks", "parts", "body", "value"];

/** True for a message whose content is not where a known form has it: as in Mastra and MCP's sampling. */
export function hasOtherContent(row: JsonObject): boolean {
  if (isObject(row.content)) return true;
  if ((row.content ?? undefined) !== undefined || isFilled(row.tool_calls) || isObject(row.function_call)) return false;
  return OTHER_CONTENTS.some((field) => (row[field] ?? undefined) !== undefined);
}
