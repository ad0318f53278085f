/** Messages in Anthropic's format and in that of OpenClaw's store. */

/** Text of the user or the assistant. */
export interface TextContent {
  type: "text";
  text: string;
  /** Marks a stored system prompt; messages with this mark survive a reset. */
  isSystemPrompt?: boolean;
}

/** A tool call in Anthropic's format. */
export interface ToolUseContent {
  type: "tool_use";
  id: string;
  name: string;
  input: unknown;
}

/** A tool call in OpenClaw's stored format. */
export interface ToolCallContent {
  type: "toolCall";
  id: string;
  name: string;
  arguments: unknown;
}

/** A tool's result in Anthropic's format. */
export interface ToolResultContent {
  type: "tool_result";
  tool_use_id: string;
  /** Text, or the blocks that the tool returned. */
  content: string | unknown[];
  is_error?: boolean;
}

/** A message in Anthropic's format. Blocks of other types (images, thinking) are kept unchanged. */
export interface Message {
  role: string;
  content: string | readonly object[];
}

/** An assistant message with one or more tool calls, in either format. */
export interface AssistantMessage {
  role: "assistant";
  content: readonly object[];
}

/** The start of a tool cycle: one call, or the whole assistant message with its text and all its calls. */
export type CycleCall = ToolUseContent | ToolCallContent | AssistantMessage;

/** The format in which a session stores its messages. */
export type MessageFormat = "anthropic" | "openclaw";
