/** The messages of the Layer 0 specification, and of OpenClaw's store. */

/** Text, by either side. */
export interface TextContent {
  type: "text";
  text: string;
  /** Marks the system prompt where it is stored as a message; such messages outlive a reset. */
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
  /** Text, or the blocks that the tool gave. */
  content: string | unknown[];
  is_error?: boolean;
}

/** A message in Anthropic's format. Blocks of other types (images, thinking) pass unchanged. */
export interface Message {
  role: string;
  content: string | readonly object[];
}

/** An assistant's message with one or more tool calls in it, in either format. */
export interface AssistantMessage {
  role: "assistant";
  content: readonly object[];
}

/** What starts a tool cycle: one call, or the assistant's whole message with its text and all its calls. */
export type CycleCall = ToolUseContent | ToolCallContent | AssistantMessage;

/** In which of the two formats a session keeps its messages. */
export type MessageFormat = "anthropic" | "openclaw";
