import type { Origin } from "../transcript/origin.ts";
import type { FilteredPart } from "./failure.ts";
import { newestOnly, withoutNewest, withoutRefused } from "./stopped.ts";
import {
  DO_IT_DIFFERENTLY,
  GO_ON_WITHOUT,
  STOPPED_AGAIN,
  STOPPED_ANSWER,
  STOPPED_REQUEST,
  STOPPED_RESULTS,
  STOPPED_SILENTLY,
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
  /** Returns whether the model accepted this history before, apart from the newest messages. */
  isTaken: () => boolean;
  /** Returns how many turns in a row ended with a refusal of the request. */
  refusedInARow: () => number;
}

/** Earlier stops of the turn. */
export interface StopsBefore {
  /** Another request may be sent in this turn. */
  mayResend: boolean;
  /** An answer of this turn was stopped before, and the agent was asked to find another way. */
  wasStopped: boolean;
  /** The request was already made without the messages that earlier turns were stopped for. */
  isWithoutEarlier: boolean;
}

/** What is done about a {@link Stop}. */
export type StopDecision =
  /** The request is sent again; `leaves` names what is left out. */
  | { do: "resend"; messages: unknown[]; leaves: "earlier" | "results" | "history" }
  /** The answer ends with this text; with `hint` the agent is asked to continue in another way. */
  | { do: "end"; words: string; origin: Origin; hint?: string };

/** From so many refusals in a row on, the filter's reason is taken to be the history, not the newest message. */
const MAX_IN_A_ROW = 2;

/**
 * Decides what is done when a content filter stops an answer. Refused content is never sent again: tool results are
 * left out and the request is sent once more; a user's message is left out from the next request on. Where the provider
 * reports that it blocked the answer, the agent gets one more try. A history that this model has never accepted, or
 * with which every message is refused, is left out as a whole, for this request only. Pure and deterministic.
 */
export function afterStop(
  { part, begun, isSilent, messages, isTaken, refusedInARow }: Stop,
  { mayResend, wasStopped, isWithoutEarlier }: StopsBefore,
): StopDecision {
  if (!begun && mayResend) {
    const sent = withoutRefused(messages);
    const earlier = isWithoutEarlier ? sent : withoutRefused(sent, true);
    if (earlier !== sent) return { do: "resend", messages: earlier, leaves: "earlier" };
    const results = withoutNewest(sent, "results");
    if (results !== sent) return { do: "resend", messages: results, leaves: "results" };
    const newest = !isTaken() || refusedInARow() >= MAX_IN_A_ROW ? newestOnly(messages) : undefined;
    if (newest) return { do: "resend", messages: newest, leaves: "history" };
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
  return { do: "end", words: STOPPED_REQUEST, origin: { notice: "stopped", withholds: "all" } };
}
