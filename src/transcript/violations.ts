/** The kinds of violations that {@link validate} finds in a stored history. */
export type ViolationKind =
  /** A tool result whose call is not in the history. */
  | "orphaned_tool_result"
  /** A tool call whose result is not in the history. */
  | "missing_tool_result"
  /** A further result for a call that is answered already. */
  | "duplicate_tool_result"
  /** The id of a tool call was used by an earlier call. */
  | "duplicate_tool_call_id"
  /** A result that is not directly behind the message of its call. */
  | "displaced_tool_result"
  /** The id of a call or result has a wrong type, is too long, or has characters that no API accepts. */
  | "invalid_id"
  /** A call or result without an id. */
  | "empty_id"
  /** A call that was cut off while it was streamed (`partialJson`). */
  | "incomplete_tool_call"
  /** A call in an assistant turn that failed and is left out of requests. */
  | "skipped_tool_call"
  /** A message without content that could be sent. */
  | "empty_message"
  /** A block, message or field of a type that OpenClaw's adapters do not know. */
  | "foreign_block"
  /** A message that nests so deeply that reading or sending it would overflow the stack. */
  | "too_deep";

/** A violation in a history, and its place. */
export interface Violation {
  kind: ViolationKind;
  /** Index in the given list of messages. */
  messageIndex: number;
  /**
   * Index in the message's content, behind which calls in `tool_calls` are counted; -1 when the violation concerns the
   * message as a whole.
   */
  blockIndex: number;
  /** Id of the call or result, `""` where there is none. */
  id: string;
}

/** Records a violation. */
export type Report = (kind: ViolationKind, messageIndex: number, blockIndex: number, id?: unknown) => void;

/** Returns the violation for a message that is no JSON: a getter in it throws, or it contains itself. */
export function noJson(messageIndex: number): Violation {
  return { kind: "foreign_block", messageIndex, blockIndex: -1, id: "" };
}
