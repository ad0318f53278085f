/**
 * Types of blocks and items: those of Anthropic's server, which OpenClaw's store does not have, and types that no known
 * form has. A provider may have made these since, and takes them back: only its refusal tells that it does not.
 */
import { isObject, wordSet, type JsonObject } from "./json/json.ts";
import { isCallBlock, isResultBlock } from "./read.ts";

/** Calls of tools that the server runs itself. */
export const SERVER_CALLS: ReadonlySet<string> = new Set(["server_tool_use", "mcp_tool_use"]);

/** Results of those calls; each is in an assistant message and names its call in `tool_use_id`. */
export const SERVER_RESULTS = wordSet(
  "web_search_tool_result web_fetch_tool_result code_execution_tool_result bash_code_execution_tool_result " +
    "text_editor_code_execution_tool_result tool_search_tool_result advisor_tool_result mcp_tool_result",
);

/** All blocks that the server makes and requires back unchanged. */
export const SERVER_BLOCKS: ReadonlySet<string> = new Set([
  ...SERVER_CALLS,
  ...SERVER_RESULTS,
  "redacted_thinking",
  "container_upload",
  "compaction",
]);

/** Returns the type of the call that a result of this type answers. */
export function callTypeFor(resultType: unknown): string {
  return resultType === "mcp_tool_result" ? "mcp_tool_use" : "server_tool_use";
}

/** The types of all known forms, but for those of calls and results and of Anthropic's server. */
const TYPES = wordSet(
  "text image document search_result tool_reference thinking redacted_thinking tool_addition tool_removal tool function " +
    "image_url video_url document_url file_url input_audio output_audio file refusal reference audio video media custom " +
    "message reasoning input_text output_text summary_text reasoning_text input_image input_file input_video " +
    "item_reference compaction context_compaction computer_screenshot web_search_call file_search_call mcp_call " +
    "code_interpreter_call image_generation_call mcp_list_tools mcp_approval_request mcp_approval_response " +
    "custom_tool_call custom_tool_call_output computer_call computer_call_output local_shell_call " +
    "local_shell_call_output shell_call shell_call_output apply_patch_call apply_patch_call_output tool_search_call " +
    "tool_search_output additional_tools function_call_result hosted_tool_call tool_call_chunk invalid_tool_call " +
    "server_tool_call server_tool_result non_standard input_json_delta json resource resource_link",
);
/** Providers name their types in words of small letters; frameworks and OpenClaw join words otherwise. */
const WORDS = /^[a-z][a-z0-9_]{0,63}$/;

/** True for a part or item with a type that no known form has. */
export function hasNewType(part: JsonObject): boolean {
  const { type } = part;
  return (
    typeof type === "string" &&
    !TYPES.has(type) &&
    !SERVER_BLOCKS.has(type) &&
    !isCallBlock(part) &&
    !isResultBlock(part) &&
    WORDS.test(type)
  );
}

/** The fields of parts that have no type, as Gemini and Converse have them, and of messages. */
const FIELDS = wordSet(
  "text inlineData inline_data fileData file_data functionCall function_call functionResponse function_response " +
    "executableCode executable_code codeExecutionResult code_execution_result toolCall tool_call toolResponse " +
    "tool_response toolUse toolResult image document video audio json reasoningContent cachePoint guardContent " +
    "citationsContent searchResult type role content parts function input output arguments args",
);

/** True for a part of Gemini's or Converse's with content in one field that no known form has. */
export function hasNewField(part: JsonObject, beside: ReadonlySet<string> = FIELDS_BESIDE): boolean {
  let found: string | undefined;
  for (const key in part) {
    if (part[key] === undefined || beside.has(key)) continue;
    if (found !== undefined || FIELDS.has(key) || !isObject(part[key])) return false;
    found = key;
  }
  return found !== undefined;
}

/** The fields beside the content of a part of Gemini's, in both spellings. */
const FIELDS_BESIDE = wordSet(
  "thought thoughtSignature thought_signature videoMetadata video_metadata partMetadata part_metadata " +
    "mediaResolution media_resolution",
);
