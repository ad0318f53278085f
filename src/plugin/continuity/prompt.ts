import { isObject } from "../../transcript/json/json.ts";
import { marked } from "../../transcript/origin.ts";

/** The first release that sends a plugin's `prependContext` with a message and stores the message without it. */
const UNSTORED_SINCE = [2026, 5, 28] as const;

/**
 * Where a run gets its briefing: before the user's message, at the end of the system prompt, or in a message of its
 * own.
 */
export type PromptPlace = "prependContext" | "appendSystemContext" | "message";

/**
 * Returns where the hook `before_prompt_build` puts a briefing so that no transcript stores it. Preferred is the place
 * before the user's message, because everything sent earlier stays in the provider's prompt cache. Releases before
 * 2026.5.28 store that text; in them only the end of the system prompt is not stored. Text there counts as the
 * operator's, so a caller may put only its own fixed words there, never what was recorded.
 */
export function placeInPrompt(version = ""): Exclude<PromptPlace, "message"> {
  return isSince(version, UNSTORED_SINCE) ? "prependContext" : "appendSystemContext";
}

/**
 * Appends a briefing to the live list of messages that releases of early 2026 pass to `before_agent_start`: the
 * briefing is sent with the run and not stored. Appends nothing when the last message is the user's: OpenClaw then
 * removes that message and starts another list, so the briefing is left to the next run.
 */
export async function placeInMessages(briefing: () => Promise<string | null>, messages: unknown[]): Promise<void> {
  const last = messages.at(-1);
  if (isObject(last) && last["role"] === "user") return;
  const text = await briefing();
  if (text === null) return;
  const message = { role: "user", content: [{ type: "text", text }], timestamp: Date.now() };
  messages.push(marked(message, { passing: true }));
}

function isSince(version: string, [year, month, day]: readonly [number, number, number]): boolean {
  const [, ...found] = /^(\d+)\.(\d+)\.(\d+)/.exec(version) ?? [];
  const [y = 0, m = 0, d = 0] = found.map(Number);
  return y !== year ? y > year : m !== month ? m > month : d >= day;
}
