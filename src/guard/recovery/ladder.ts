import { isObject } from "../../transcript/json/json.ts";
import { originOf, marked, type Origin } from "../../transcript/origin.ts";
import { afterStop } from "../../recovery/after-stop.ts";
import type { HistoryFailure } from "../../recovery/choose.ts";
import { classify } from "../../recovery/classify.ts";
import type { FilteredPart, ProviderFailure } from "../../recovery/failure.ts";
import { hasImage } from "../../recovery/images.ts";
import { isSystemPrompt } from "../../recovery/one-message.ts";
import { MAX_EXTRA_REQUESTS, nextTreatment } from "../../recovery/rungs.ts";
import { refusedInARow } from "../../recovery/stopped.ts";
import { type AskedModel, routeName, wasTaken } from "../../recovery/taken.ts";
import { treat, type Treatment } from "../../recovery/treatment.ts";
import {
  CUT_SHORT,
  GO_ON_IN_PIECES,
  keptNotice,
  refusedAgainNotice,
  refusedNotice,
  resetNotice,
} from "../../recovery/words.ts";
import type { Decider, Ending, Step } from "./answer.ts";
import { CUT_OFF, errorOf, isCutOff, isCutShort, isNameless, shortReason } from "./endings.ts";
import { endedWith, ownMessage, type AssistantMessage, type StreamEvent } from "../openclaw/stream-events.ts";
import { takesNote } from "./note.ts";
import type { Run } from "./run.ts";

/** The parts of a model call that the ladder uses. */
export interface ModelCall {
  readonly model: unknown;
  /** OpenClaw's messages, prepared for the adapter. */
  readonly messages: unknown[];
  /** How many messages OpenClaw passed. */
  readonly given: number;
  /** The history in the body of the last request, in the API's form; undefined when no body was built. */
  sent(): readonly unknown[] | undefined;
  /**
   * Returns the messages prepared without what earlier calls have judged, once; undefined where that changes nothing.
   * Somebody may have changed one in a place that is not looked at again, and the adapter cannot read it.
   */
  anew(): unknown[] | undefined;
  /** Sends the request again with other messages. */
  send(messages: unknown[]): unknown;
}

/**
 * The recovery ladder of one model call. When the provider refuses the history: treat the place that the error names,
 * then send the whole tool traffic as text, then the last words alone. A route that refuses these too refuses every
 * request: nothing is changed. One that takes them answers from them, and the history is archived and reset only when
 * that has been so for hours. When a content filter stops the answer: see {@link afterStop}. Each rung is tried once in
 * a run. Other errors are passed on to OpenClaw.
 */
export class Ladder implements Decider {
  readonly #run: Run;
  readonly #call: ModelCall;
  /** The messages of the last request. */
  #messages: unknown[];
  /** The last request had the last words alone; true where the refusals before it were about the history. */
  #alone: { isHistory: boolean } | undefined;
  /** What the last request left out because a filter had refused the one before. */
  #leaves: "results" | "history" | undefined;

  constructor(run: Run, call: ModelCall) {
    this.#run = run;
    this.#call = call;
    this.#messages = call.messages;
  }

  after(ending: Ending, begun: boolean): Step {
    const message = "message" in ending ? ending.message : ownMessage(this.#call.model);
    if ("message" in ending) {
      if (message.stopReason === "aborted") return { do: "pass" };
      if (isCutShort(message))
        return this.#endWithoutCalls(message, CUT_SHORT, { notice: "cut_short" }, GO_ON_IN_PIECES);
      if (ending.event.type === "done") return this.#answered(message, ending.event);
    }
    const anew = begun || this.#run.extra >= MAX_EXTRA_REQUESTS ? undefined : this.#call.anew();
    if (anew) return this.#resend(anew);
    const error = errorOf(ending);
    const failure = classify(error);
    const alone = this.#alone;
    this.#alone = undefined;
    // In a compaction the answer is the summary: a text of the guard would replace the whole conversation.
    if (failure.kind === "content_filter" && !this.#run.isCompaction)
      return isNameless(failure.part, error.text, this.#model)
        ? this.#stopped("unknown", message, "", begun)
        : this.#stopped(failure.part, message, error.text, begun);
    // A provider that has begun to answer has accepted the request, whatever the error reports.
    if (begun) return { do: "pass" };
    if (alone) return this.#refusedAlone(failure.kind, message, error.text, alone.isHistory);
    if (failure.kind === "unknown")
      return this.#refused(
        { kind: "history", problem: failure.suspect ?? "unspecified", ids: [] },
        message,
        error.text,
        false,
      );
    return failure.kind === "history" && !this.#isOfNoPicture(failure)
      ? this.#refused(failure, message, error.text)
      : { do: "pass" };
  }

  /** True for a refusal of pictures without a place, where the history has none: what is refused is elsewhere. */
  #isOfNoPicture({ problem, message }: HistoryFailure): boolean {
    return problem === "media" && message === undefined && !this.#messages.some(hasImage);
  }

  #answered(message: AssistantMessage, event: StreamEvent): Step {
    if (isCutOff(message))
      return {
        do: "end",
        message: { ...message, stopReason: "error", errorMessage: CUT_OFF },
        words: [],
        event: { type: "error", reason: "error" },
      };
    if (this.#isNothing(message)) return this.#stopped("unknown", message, "", false);
    this.#run.answered(message);
    if (this.#run.isFromLastWords) return this.#answeredFromLastWords(message, event);
    if (this.#run.confirm(this.#call.messages, routeName(this.#model))) this.#run.incident.close("answered");
    if (this.#leaves !== undefined) {
      this.#run.madeWithout(this.#leaves);
      this.#run.incident.close("answered");
    }
    return this.#told(message, event, this.#leaves);
  }

  /** Passes an answer on, with the notes that are due behind it and the mark of what was left out of its request. */
  #told(message: AssistantMessage, event: StreamEvent, leaves: "results" | "history" | undefined): Step {
    const said = leaves === undefined ? message : marked(message, { withholds: leaves });
    const words = takesNote(message) ? this.#run.dueNotes : [];
    if (words.length > 0) this.#run.userInformed();
    return words.length === 0 && said === message ? { do: "pass" } : { do: "end", message: said, words, event };
  }

  /** An answer to the last words: the route refuses the history, and not every request. */
  #answeredFromLastWords(message: AssistantMessage, event: StreamEvent): Step {
    const run = this.#run;
    run.tookLastWords(routeName(this.#model));
    const isLast = message.stopReason === "stop" && !message.content.some(({ type }) => type === "toolCall");
    const { mayReset } = run;
    const reset = isLast && mayReset ? run.reset(this.#call.messages, this.#call.given) : undefined;
    if (isLast || !mayReset) run.incident.close(reset ? "reset" : "answered", reset?.archive);
    if (!reset) return this.#told(message, event, "history");
    const words = [resetNotice(reset.archiveId, run.reason)];
    return { do: "end", message: marked(message, { notice: "reset", resetId: reset.resetId }), words, event };
  }

  /**
   * True for an empty answer of no tokens to a user, with which the turn would end without a word: how OpenClaw 2026.2
   * reports a prompt that Gemini blocks.
   */
  #isNothing({ content, stopReason, usage }: AssistantMessage): boolean {
    if (
      this.#run.isCompaction ||
      this.#run.asksAgain ||
      content.length > 0 ||
      stopReason !== "stop" ||
      !isObject(usage) ||
      usage.output !== 0
    )
      return false;
    const last = this.#messages.at(-1);
    return isObject(last) && last.role === "user";
  }

  /** Decides after a refusal. `isHistory` is false when the error's text is unknown. */
  #refused(failure: HistoryFailure, message: AssistantMessage, text: string, isHistory = true): Step {
    const run = this.#run;
    const sent = this.#call.sent() ?? [];
    run.incident.refused(failure, text);
    run.reason = shortReason(text);
    run.wasUnexplained = !isHistory || failure.problem === "unspecified";
    run.isAtFault = run.memory.atFault?.route === routeName(this.#model);
    // No form of the history changes the system prompt.
    if (isSystemPrompt(sent[failure.message ?? -1])) run.healed = run.flattened = true;
    const refused = { failure, messages: this.#messages, sent };
    const treatment = run.extra < MAX_EXTRA_REQUESTS ? nextTreatment(run, refused) : undefined;
    if (treatment) return this.#again(this.#messages, treatment);
    run.forget();
    const end = this.#onTheWhole(message, isHistory);
    if (end?.do !== "send") run.incident.close("refused");
    return end ?? { do: "pass" };
  }

  #again(messages: unknown[], treatment: Treatment): Step {
    this.#run.incident.rung(treatment.kind);
    this.#run.apply(treatment);
    return this.#resend(treat(messages, treatment));
  }

  #resend(messages: unknown[]): Step {
    this.#run.extra++;
    this.#messages = messages;
    return { do: "send", send: () => this.#call.send(messages) };
  }

  /**
   * Decides when no form of the history is left to be sent. Undefined when OpenClaw shall report the error itself: the
   * history may not be the reason.
   */
  #onTheWhole(message: AssistantMessage, isHistory: boolean): Step | undefined {
    const { messages } = this.#call;
    const run = this.#run;
    if (run.isCompaction) return undefined;
    const isCertain = isHistory && !run.wasUnexplained;
    // No model has answered in this conversation yet: the provider refuses something else than its history.
    if (!hasHistory(messages) && !run.wasReset()) return undefined;
    if (wasTaken(messages, this.#model))
      return isCertain ? notice(message, keptNotice(run.reason), { notice: "refused" }) : undefined;
    if (run.extra < MAX_EXTRA_REQUESTS && !run.isAlone) {
      run.isAlone = true;
      this.#alone = { isHistory };
      return this.#again(messages, { kind: "last_words" });
    }
    return isCertain ? notice(message, refusedAgainNotice(run.reason), { notice: "refused" }) : undefined;
  }

  /**
   * Decides after a refusal of the last words alone: the provider is down, or refuses something else of each request.
   */
  #refusedAlone(kind: ProviderFailure["kind"], message: AssistantMessage, text: string, isHistory: boolean): Step {
    const run = this.#run;
    run.forget();
    run.extra = MAX_EXTRA_REQUESTS;
    run.incident.close("refused");
    return isHistory && (kind === "history" || kind === "unknown")
      ? notice(message, refusedNotice(shortReason(text)), { notice: "refused" })
      : { do: "pass" };
  }

  get #model(): AskedModel {
    return isObject(this.#call.model) ? this.#call.model : {};
  }

  #stopped(part: FilteredPart, message: AssistantMessage, text: string, begun: boolean): Step {
    const run = this.#run;
    run.incident.stopped(part, text);
    const messages = this.#messages;
    const isTaken = (): boolean => wasTaken(messages, this.#model, true);
    const stop = {
      part,
      begun,
      isSilent: text === "",
      messages,
      isTaken,
      refusedInARow: () => refusedInARow(messages),
    };
    const decision = afterStop(stop, {
      mayResend: run.extra < MAX_EXTRA_REQUESTS,
      wasStopped: run.wasStopped,
      isWithoutEarlier: run.memory.withoutStopped,
    });
    if (decision.do === "resend") {
      run.incident.rung(`without_${decision.leaves}`);
      if (decision.leaves === "earlier") run.memory.withoutStopped = true;
      else this.#leaves = decision.leaves;
      return this.#resend(decision.messages);
    }
    run.incident.close("told");
    return this.#endWithoutCalls(message, decision.words, decision.origin, decision.hint);
  }

  /**
   * Ends with the part of the answer before it was stopped, without its calls. With `hint` the agent is asked, once in
   * a run, to continue in another way in the same turn.
   */
  #endWithoutCalls(message: AssistantMessage, words: string, origin: Origin, hint?: string): Step {
    const run = this.#run;
    // What OpenClaw 2026.9 has begun to run while the answer was coming is no longer ours to take back.
    const kept = message.content.filter((block) => block.type === "text" || block.async === true);
    const isHinted = hint !== undefined && !run.wasStopped && run.extra < MAX_EXTRA_REQUESTS && run.hintAgent(hint);
    if (isHinted) run.extra++;
    return {
      do: "end",
      message: marked(endedWith(message, kept), { ...origin, ...(isHinted && { hinted: true }) }),
      words: [words],
    };
  }
}

function notice(message: AssistantMessage, words: string, origin: Origin): Step {
  return { do: "end", message: marked(endedWith(message, []), origin), words: [words] };
}

/** True when the messages hold an assistant message that is not a notice of the guard. */
function hasHistory(messages: readonly unknown[]): boolean {
  return messages.some((message) => isObject(message) && message.role === "assistant" && !isOwnNotice(message));
}

/** True for an assistant message that consists only of a notice of the guard. */
function isOwnNotice(message: Record<string, unknown>): boolean {
  return originOf(message).notice !== undefined && Array.isArray(message.content) && message.content.length <= 1;
}
