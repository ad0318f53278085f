import { isObject } from "../../transcript/json/json.ts";
import { fileMemory } from "../base/memory.ts";

/** How many characters OpenClaw counts as one token. */
const PER_TOKEN = 4;
/** Chinese, Japanese and Korean, of which OpenClaw counts each character as a token. */
const DENSE = /[\u2E80-\u9FFF\uAC00-\uD7AF\uF900-\uFAFF\uFF00-\uFFEF\u{20000}-\u{3FFFF}]/gu;
/** By how much OpenClaw raises its count. */
const MARGIN = 1.2;
/** The tokens of a window that nobody declares. */
const WINDOW = 200_000;
/** What OpenClaw leaves free of a window for the answer. */
const RESERVED = 20_000;

/**
 * Has OpenClaw send what it would refuse by its own count before any request (2026.4 to 2026.7): a message that is
 * larger than the model's window, or a history whose last messages are, which no compaction leaves out. For this
 * attempt at a turn, the window is larger by what they count. All else is counted and compacted as before, and the wire
 * gate shortens what the provider refuses. Also done where a compaction of the same run has not made room. `attempt` is
 * what OpenClaw passes to an attempt; anything else is left as it is.
 */
export function leaveRoom(sessionFile: string, attempt: unknown): void {
  if (!isObject(attempt) || typeof attempt.prompt !== "string") return;
  const { prompt, runId, contextTokenBudget, model } = attempt;
  const memory = fileMemory(sessionFile);
  const isLaterAttempt = runId !== undefined && memory.openedFor === runId;
  memory.openedFor = runId;
  const window = contextTokenBudget ?? (isObject(model) ? model.contextWindow : undefined) ?? WINDOW;
  if (typeof window !== "number") return;
  const kept = memory.checked?.kept.size ?? 0;
  const counted = Math.ceil((countTokens(prompt) + kept / PER_TOKEN) * MARGIN);
  if (isLaterAttempt || counted > window - Math.min(RESERVED, window / 2))
    Reflect.set(attempt, "contextTokenBudget", window + counted);
}

function countTokens(text: string): number {
  return text.length / PER_TOKEN + (text.match(DENSE)?.length ?? 0);
}
