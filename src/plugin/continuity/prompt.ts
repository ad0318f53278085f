import { isObject } from "../../transcript/json/json.ts";

/** The first release that sends what a plugin puts before a message and stores the message without it. */
const UNSTORED_SINCE = [2026, 5, 28] as const;

/**
 * Where a run is told of its work: before the user's message, at the end of the system prompt, or in a message of its
 * own.
 */
export type PromptPlace = "prependContext" | "appendSystemContext" | "message";

/**
 * Where the hook `before_prompt_build` puts a briefing so that no transcript holds it. Before the user's message where
 * that is not stored: all that was sent before stays in the provider's prompt cache. In earlier releases only the end
 * of the system prompt is not stored; there words count as the operator's, so that nothing that was recorded may stand
 * there.
 */
export function placeInPrompt(version = ""): Exclude<PromptPlace, "message"> {
  return isSince(version, UNSTORED_SINCE) ? "prependContext" : "appendSystemContext";
}

/**
 * Puts a briefing behind the live list of messages that releases of early 2026 hand to `before_agent_start`: it is sent
 * with the run and not stored. Not when the last message is the user's: OpenClaw is about to take that out and to begin
 * another list, so that nothing is asked for and the next run is told.
 */
export async function placeInMessages(briefing: () => Promise<string | null>, messages: unknown[]): Promise<void> {
  const last = messages.at(-1);
  if (isObject(last) && last["role"] === "user") return;
  const text = await briefing();
  if (text !== null) messages.push({ role: "user", content: [{ type: "text", text }], timestamp: Date.now() });
}

function isSince(version: string, [year, month, day]: readonly [number, number, number]): boolean {
  const [, ...found] = /^(\d+)\.(\d+)\.(\d+)/.exec(version) ?? [];
  const [y = 0, m = 0, d = 0] = found.map(Number);
  return y !== year ? y > year : m !== month ? m > month : d >= day;
}
