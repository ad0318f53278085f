import type { Origin } from "../transcript/origin.ts";
import type { FilteredPart } from "./failure.ts";
import { asLastWords } from "./forms/one-message.ts";
import { withoutNewest } from "./stopped.ts";
import {
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
}

/** Earlier stops of the turn. */
export interface StopsBefore {
  /** Another request may be sent in this turn. */
  mayResend: boolean;
  /** An answer of this turn was stopped before, and the agent was asked to find another way. */
  wasStopped: boolean;
}

/** What is done about a {@link Stop}. */
export type StopDecision =
  /** The request is sent again; `leaves` names what is left out. */
  | { do: "resend"; messages: unknown[]; leaves: "results" | "history" }
  /** The answer ends with this text; with `hint` the agent is asked to continue in another way. */
  | { do: "end"; words: string; origin: Origin; hint?: string };

/**
 * Decides what is done when a content filter stops an answer. Refused content is never sent again: tool results are
 * left out and the request is sent once more; a user's message is left out from the next request on. Where the provider
 * reports that it blocked the answer, the agent gets one more try. Nothing that was sent last is blamed before the newest
 * messages were refused alone: where they are taken, the history is left out as a whole, for this request only. Pure and
 * deterministic.
 */
export function afterStop(
  { part, begun, isSilent, messages }: Stop,
  { mayResend, wasStopped }: StopsBefore,
): StopDecision {
  if (!begun && mayResend) {
    const results = withoutNewest(messages, "results");
    if (results !== messages) return { do: "resend", messages: results, leaves: "results" };
    const newest = asLastWords(messages, false);
    if (newest !== messages) return { do: "resend", messages: newest, leaves: "history" };
  }
  if (begun && part !== "refusal" && part !== "prompt") {
    if (wasStopped) return { do: "end", words: STOPPED_AGAIN, origin: { notice: "stopped", withholds: "all" } };
    return { do: "end", words: STOPPED_ANSWER, origin: { notice: "stopped" }, hint: DO_IT_DIFFERENTLY };
  }
  if (!wasStopped && withoutNewest(messages, "results") !== messages) {
    return {
      do: "end",
      words: STOPPED_RESULTS,
      origin: { notice: "stopped", withholds: "results" },
      hint: GO_ON_WITHOUT,
    };
  }
  // It may have been a fault as well: what was sent last is left out only when the provider does it again.
  if (isSilent) return { do: "end", words: STOPPED_SILENTLY, origin: { notice: "stopped" } };
  // The newest messages were not refused alone: what was before may be the reason. Behind words that are streamed
  // nothing can be asked, in no later turn either.
  if (!begun && asLastWords(messages, false) !== messages)
    return { do: "end", words: STOPPED_WITH_HISTORY, origin: { notice: "stopped" } };
  return { do: "end", words: STOPPED_REQUEST, origin: { notice: "stopped", withholds: "all" } };
}
