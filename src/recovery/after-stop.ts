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

/** An answer that a content filter or the model itself refused to give. */
export interface Stop {
  part: FilteredPart;
  /** Whether something of the answer has been seen. */
  begun: boolean;
  /** Whether the provider gave no word of a reason. */
  isSilent: boolean;
  /** The messages of the request. */
  messages: unknown[];
  /** Whether the model took this history before, but for what was said last. */
  isTaken: () => boolean;
  /** How many turns in a row ended with a refusal of what was sent. */
  refusedInARow: () => number;
}

/** What the turn has gone through already. */
export interface StopsBefore {
  /** Whether the turn may cost another request. */
  mayResend: boolean;
  /** Whether an answer of this turn was stopped before, and the agent was told to find another way. */
  wasStopped: boolean;
  /** Whether the request was made without what earlier turns were stopped for. */
  isWithoutEarlier: boolean;
}

/** What is done about a {@link Stop}. */
export type StopDecision =
  /** The request is made again, without what is left out. */
  | { do: "resend"; messages: unknown[]; leaves: "earlier" | "results" | "history" }
  /** The answer ends with these words; with `hint` the agent is told to go on in another way. */
  | { do: "end"; words: string; origin: Origin; hint?: string };

/** Refusals in a row from which on it is not what was said last that the filter refuses. */
const MAX_IN_A_ROW = 2;

/**
 * Decides what is done when a content filter stops an answer. What a request was refused for is never sent again:
 * results of tools are left out and the request is made again, a person's words are left out from the next request on.
 * Where the provider says that it blocked what it was about to answer, the agent gets one more try. A history that this
 * model has never taken, or that every message is refused with, is left out as a whole, for this request only. Pure and
 * deterministic.
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
  return {
    do: "end",
    words: isSilent ? STOPPED_SILENTLY : STOPPED_REQUEST,
    origin: { notice: "stopped", withholds: "all" },
  };
}
