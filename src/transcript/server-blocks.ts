/** Blocks of Anthropic's API that OpenClaw's store does not have; used for requests and by the library. */

import { wordSet } from "./json/json.ts";

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
