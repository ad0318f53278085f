import { wordOf } from "../../transcript/json/json.ts";
import type { AssistantMessage } from "../openclaw/stream-events.ts";

/**
 * Words in capitals alone are signs to OpenClaw (`NO_REPLY`, `HEARTBEAT_OK`), not an answer to a person. No sign is
 * longer.
 */
const SIGN = /^[\s*_`~<>/]{0,20}[A-Z][A-Z0-9_]{1,60}[\s*_`~<>/.!]{0,20}$/;

/** True when a note can stand behind this answer: a finished one in words that no program is waiting for. */
export function takesNote({ content, stopReason }: AssistantMessage): boolean {
  if (stopReason !== "stop" || content.some(({ type }) => type === "toolCall")) return false;
  const text = content
    .map((block) => (block.type === "text" ? wordOf(block.text) : ""))
    .join("")
    .trim();
  if (text === "" || SIGN.test(text) || /\b(NO_REPLY|HEARTBEAT_OK)\b/.test(text)) return false;
  return !/^(```json|[[{])/.test(text);
}
