import { isObject } from "../transcript/json/json.ts";
import { originOf } from "../transcript/origin.ts";

/** The model of a request, as OpenClaw names it. */
export interface AskedModel {
  api?: unknown;
  provider?: unknown;
  id?: unknown;
  baseUrl?: unknown;
}

/** Returns what names the route of a request: who is asked, where, for which model. */
export function routeName({ api, provider, baseUrl, id }: AskedModel): string {
  return [api, provider, baseUrl, id].map((part) => (typeof part === "string" ? part : "")).join(" ");
}

/**
 * True when this model accepted the same history for the last answer: the answer is the model's own, and was made with
 * all earlier messages. A refusal behind such an answer is not about that history. An answer that a person aborted does
 * not count, nor, with `skipsStopped`, one that a content filter stopped.
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
