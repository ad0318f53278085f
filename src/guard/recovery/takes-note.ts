import { textIn, type AssistantMessage } from "../openclaw/stream-events.ts";

/**
 * An answer of one word in capitals is a signal to OpenClaw (`NO_REPLY`, `HEARTBEAT_OK`), not a text for a person. No
 * such signal is longer than this pattern allows.
 */
const SIGNAL = /^[\s*_`~<>/]{0,20}[A-Z][A-Z0-9_]{1,60}[\s*_`~<>/.!]{0,20}$/;

/** True when a note may be appended to this answer: a finished text that is neither a signal nor JSON for a program. */
export function takesNote({ content, stopReason }: AssistantMessage): boolean {
  if (stopReason !== "stop" || content.some(({ type }) => type === "toolCall")) return false;
  const text = textIn(content);
  if (text === "" || SIGNAL.test(text) || /\b(NO_REPLY|HEARTBEAT_OK)\b/.test(text)) return false;
  // JSON, or what may be: a missing note does less harm than a broken program.
  return !/^(```json|[[{])/.test(text);
}
