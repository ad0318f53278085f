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

/** A function call of OpenAI's Chat Completions API. */
export interface ChatToolCall {
  type: "function";
  id: string;
  function: {
    name: string;
    /** A JSON object as text. */
    arguments: string;
  };
}

/** The message of an answer of OpenAI's Chat Completions API, `choices[0].message`. */
export interface ChatAnswer {
  role: "assistant";
  content?: string | readonly object[] | null | undefined;
  /** The calls, each a {@link ChatToolCall}. */
  tool_calls?: readonly object[] | null | undefined;
}

/** An answer of OpenAI's Responses API: the response, or `{ output: response.output }`. */
export interface ResponsesAnswer {
  output: readonly object[];
}

/** An answer of Gemini: the `content` of a candidate. */
export interface GeminiContent {
  role?: string | undefined;
  parts?: readonly object[] | undefined;
  content?: undefined;
  tool_calls?: undefined;
}

/** What a tool cycle can be begun with. It is stored in the session's format. */
export type GivenCall = CycleCall | ChatToolCall | ChatAnswer | ResponsesAnswer | GeminiContent;

/** The format in which a session stores its messages. */
export type MessageFormat = "anthropic" | "openclaw";
