import type { Origin } from "../transcript/origin.ts";
import type { FilteredPart } from "./failure.ts";
import { asLastWords } from "./forms/one-message.ts";
import type { AskedModel } from "./route-name.ts";
import { withoutNewest, withoutRefused } from "./withhold.ts";
import {
  ANSWER_WITHOUT,
  DO_IT_DIFFERENTLY,
  GO_ON_WITHOUT,
  STOPPED_AGAIN,
  STOPPED_ANSWER,
  STOPPED_REQUEST,
  STOPPED_RESULTS,
  STOPPED_SILENTLY,
  STOPPED_WITH_HISTORY,
} from "./words.ts";

/** An answer that a content filter, or the model itself, refused to give. */
export interface Stop {
  part: FilteredPart;
  /** A part of the answer has been streamed. */
  begun: boolean;
  /** The provider gave no reason. */
  isSilent: boolean;
  /** The messages of the request. */
  messages: unknown[];
  /** The model that was asked; any where none is given. */
  asked?: AskedModel;
}

/**
 * What another request leaves out: `refused_before`: what the filter had refused in an earlier turn; `results`: those
 * of tools since the last answer; `history`: all but the newest messages.
 */
export type Leaves = "refused_before" | "results" | "history";

/** Earlier stops of the turn. */
export interface StopsBefore {
  /** Another request may be sent in this turn. */
  mayResend: boolean;
  /** The stop may pass, so that the same request is worth another try. */
  mayPass?: boolean;
  /** An answer of this turn was stopped before, and the agent was asked to find another way. */
  wasStopped: boolean;
}

/** What is done about a {@link Stop}. */
export type StopDecision =
  /** The request is sent again, as it was or without what `leaves` names. */
  | { do: "resend"; messages: unknown[]; leaves?: Leaves }
  /** The answer ends with this text; with `hint` the agent is asked to continue in another way. */
  | { do: "end"; words: string; origin: Origin; hint?: string };

/**
 * Decides what is done when a content filter stops an answer. What was refused is sent once more in the next turn, and
 * no more when the filter stops that one too. Before an answer has begun, the request is sent again without what an
 * earlier turn's refusal was for, as it was, without the results of tools, or without the history, one after the other.
 * Behind streamed words the agent gets one more try. Nothing that was sent last is blamed before the newest messages
 * were refused alone, or the second try was stopped too. Pure and deterministic.
 */
export function afterStop(
  { part, begun, isSilent, messages, asked }: Stop,
  { mayResend, mayPass = false, wasStopped }: StopsBefore,
): StopDecision {
  const unsuspected = withoutRefused(messages, "all", asked);
  const results = withoutNewest(messages, "results");
  if (!begun && mayResend) {
    if (unsuspected !== messages) return { do: "resend", messages: unsuspected, leaves: "refused_before" };
    if (mayPass) return { do: "resend", messages };
    if (results !== messages) return { do: "resend", messages: results, leaves: "results" };
    const newest = asLastWords(messages, false);
    if (newest !== messages) return { do: "resend", messages: newest, leaves: "history" };
  }
  if (begun && unsuspected !== messages) return end(STOPPED_ANSWER, { confirms: true }, ANSWER_WITHOUT);
  if (begun && wasStopped) return end(STOPPED_AGAIN, { withholds: "all" });
  const isOfRequest = !begun || part === "refusal" || part === "prompt";
  if (isOfRequest && !wasStopped && results !== messages)
    return end(STOPPED_RESULTS, { withholds: "results" }, GO_ON_WITHOUT);
  if (begun) return end(STOPPED_ANSWER, {}, DO_IT_DIFFERENTLY);
  // It may have been a fault as well.
  if (isSilent) return end(STOPPED_SILENTLY, {});
  // The newest messages were not refused alone: what was before may be the reason.
  if (asLastWords(messages, false) !== messages) return end(STOPPED_WITH_HISTORY, {});
  return end(STOPPED_REQUEST, { withholds: "all" });
}

function end(words: string, origin: Origin, hint?: string): StopDecision {
  return { do: "end", words, origin: { notice: "stopped", ...origin }, ...(hint !== undefined && { hint }) };
}
