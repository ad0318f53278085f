import { isObject } from "../transcript/json/json.ts";
import { originOf } from "../transcript/origin.ts";

/** The model that is asked, as OpenClaw names it. */
export interface AskedModel {
  api?: unknown;
  provider?: unknown;
  id?: unknown;
}

/**
 * Whether the model that is asked now took this history a moment ago: the last answer in it is the model's own, and was
 * made with what had been said before. A refusal behind such an answer is not about that history. An answer that a
 * person stopped says nothing either way, nor, with `skipsStopped`, one that a content filter stopped.
 */
export function wasTaken(
  messages: readonly unknown[],
  { api, provider, id }: AskedModel,
  skipsStopped = false,
): boolean {
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (!isObject(message) || message.role !== "assistant" || message.stopReason === "aborted") continue;
    const { notice, withholds } = originOf(message);
    if (skipsStopped && notice === "stopped") continue;
    if (notice !== undefined || withholds === "history" || message.stopReason === "error") return false;
    return message.api === api && message.provider === provider && message.model === id;
  }
  return false;
}
