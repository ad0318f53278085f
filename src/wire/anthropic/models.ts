/**
 * What Anthropic's models differ in. Endpoints of other makers have models of other names, of which nothing is known.
 */
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import type { Target } from "../target.ts";

/** True for Anthropic's own models; endpoints of other providers use other ids. */
export function isClaude({ model }: Target): boolean {
  return /claude/i.test(model);
}

/** True for models that refuse a history which begins with the assistant: Claude 3.5 and earlier. */
export function beginsWithUser({ model }: Target): boolean {
  return /claude-(?:instant|v?[123])\b/i.test(model);
}

/** True for models that refuse instructions between the messages: Claude 4.7 and earlier. */
export function takesNoInstructions(target: Target): boolean {
  return (
    beginsWithUser(target) ||
    /claude-(?:opus|sonnet|haiku)-4(?:-[0-7])?(?:$|[^-\d]|-(?:\d{8}|latest))/i.test(target.model)
  );
}

/** Models that do not continue an answer: Claude 4.6 and later. */
const NO_PREFILL = /claude-(?:(?:opus|sonnet|haiku)-(?:4-[6-9]|[5-9])|fable|mythos)/i;

/** True where the history must not end with the assistant, unless its turn is paused. */
export function mayNotEnd({ thinking }: JsonObject, target: Target): boolean {
  const isThinking = isObject(thinking) && (thinking.type === "enabled" || thinking.type === "adaptive");
  return target.neverPrefills || isThinking || NO_PREFILL.test(target.model);
}
