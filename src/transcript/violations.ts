/** Everything that {@link validate} can find wrong with a stored history. */
export type ViolationKind =
  /** A tool result whose call is nowhere in the history. */
  | "orphaned_tool_result"
  /** A tool call whose result is nowhere in the history. */
  | "missing_tool_result"
  /** A further result for a call that is answered already. */
  | "duplicate_tool_result"
  /** The id of a tool call was used by an earlier call. */
  | "duplicate_tool_call_id"
  /** A result that does not stand right behind the message of its call. */
  | "displaced_tool_result"
  /** A call's or result's id is of a wrong type, too long, or has characters that no API takes. */
  | "invalid_id"
  /** A call or result without an id. */
  | "empty_id"
  /** A call that was cut off while it was streamed (`partialJson`). */
  | "incomplete_tool_call"
  /** A call in an assistant turn that failed and is left out of requests. */
  | "skipped_tool_call"
  /** A message with nothing in it that could be sent. */
  | "empty_message"
  /** A block, message or field of a type that OpenClaw's adapters do not know. */
  | "foreign_block"
  /** A message that nests so deep that what reads or sends it overflows its stack. */
  | "too_deep"
  /** The history does not begin with a user's message. */
  | "wrong_role_order";

/** One thing wrong with a history, and where. */
export interface Violation {
  kind: ViolationKind;
  /** Index in the list of messages that was given. */
  messageIndex: number;
  /** Index in the message's content; -1 when it is about the message as a whole. */
  blockIndex: number;
  /** Id of the call or result, `""` where there is none. */
  id: string;
}

/** Takes down a violation. */
export type Report = (kind: ViolationKind, messageIndex: number, blockIndex: number, id?: unknown) => void;

/** What is said of a message that is no JSON: a property of it throws, or it contains itself. */
export function noJson(messageIndex: number): Violation {
  return { kind: "foreign_block", messageIndex, blockIndex: -1, id: "" };
}
