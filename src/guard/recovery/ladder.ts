import { isObject } from "../../transcript/json/json.ts";
import { originOf, marked, type Origin } from "../../transcript/origin.ts";
import { afterStop } from "../../recovery/after-stop.ts";
import type { HistoryFailure } from "../../recovery/choose.ts";
import { classify } from "../../recovery/classify.ts";
import type { FilteredPart } from "../../recovery/failure.ts";
import { MAX_EXTRA_REQUESTS, nextTreatment } from "../../recovery/rungs.ts";
import { refusedInARow } from "../../recovery/stopped.ts";
import { type AskedModel, wasTaken } from "../../recovery/taken.ts";
import { treat, type Treatment } from "../../recovery/treatment.ts";
import { CUT_SHORT, GO_ON_IN_PIECES, keptNotice, refusedNotice, resetNotice } from "../../recovery/words.ts";
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
  /** Sends other messages only to see whether they are taken; `signal` ends that request. */
  try(messages: unknown[], signal: AbortSignal): unknown;
}

interface Trial {
  message: AssistantMessage;
  text: string;
  request: AbortController;
}

/**
 * The recovery ladder of one model call. When the provider refuses the history: treat the place that the error names,
 * then send the whole tool traffic as text, then archive and reset. A provider that gives no reason, in two turns in a
 * row, may be down: there is a reset only when such a one takes the last words alone. When a content filter stops the
 * answer: see {@link afterStop}. Each rung is tried once in a run. Other errors are passed on to OpenClaw.
 */
export class Ladder implements Decider {
  readonly #run: Run;
  readonly #call: ModelCall;
  /** The messages of the last request. */
  #messages: unknown[];
  /** The refusal after which the last words are sent alone, and the request with them. */
  #trial: Trial | undefined;
  /** What the last request left out because a filter had refused the one before. */
  #leaves: "results" | "history" | undefined;

  constructor(run: Run, call: ModelCall) {
    this.#run = run;
    this.#call = call;
    this.#messages = call.messages;
  }

  after(ending: Ending, begun: boolean): Step {
    if (this.#trial) return this.#tried(ending, this.#trial);
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
    // In a compaction the answer is the summary: a text of the guard would replace the whole conversation.
    if (failure.kind === "content_filter" && !this.#run.isCompaction)
      return isNameless(failure.part, error.text, this.#model)
        ? this.#stopped("unknown", message, "", begun)
        : this.#stopped(failure.part, message, error.text, begun);
    // A provider that has begun to answer has accepted the request, whatever the error reports.
    if (begun) return { do: "pass" };
    if (failure.kind === "unknown")
      return this.#refused(
        { kind: "history", problem: failure.suspect ?? "unspecified", ids: [] },
        message,
        error.text,
        false,
      );
    return failure.kind === "history" ? this.#refused(failure, message, error.text) : { do: "pass" };
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
    if (this.#run.confirm(this.#call.messages)) this.#run.incident.close("answered");
    if (this.#leaves !== undefined) {
      this.#run.madeWithout(this.#leaves);
      this.#run.incident.close("answered");
    }
    const said = this.#leaves === undefined ? message : marked(message, { withholds: this.#leaves });
    const words = takesNote(message) ? this.#run.dueNotes : [];
    if (words.length > 0) this.#run.userInformed();
    return words.length === 0 && said === message ? { do: "pass" } : { do: "end", message: said, words, event };
  }

  /** True for an empty answer of no tokens to a user: how OpenClaw 2026.2 reports a prompt that Gemini blocks. */
  #isNothing({ content, stopReason, usage }: AssistantMessage): boolean {
    if (this.#run.isCompaction || content.length > 0 || stopReason !== "stop" || !isObject(usage) || usage.output !== 0)
      return false;
    const last = this.#messages.at(-1);
    return isObject(last) && last.role === "user";
  }

  /**
   * Decides after a refusal. `isHistory` is false when the error's text is unknown: the history is then sent in another
   * form, but never reset.
   */
  #refused(failure: HistoryFailure, message: AssistantMessage, text: string, isHistory = true): Step {
    const { incident, memory } = this.#run;
    incident.refused(failure, text);
    this.#run.wasUnexplained = !isHistory || failure.problem === "unspecified";
    const refused = { failure, messages: this.#messages, sent: this.#call.sent() ?? [] };
    // The second such turn in a row sends the plainest form only, and keeps a request for the last words.
    if (isHistory && this.#run.wasUnexplained && memory.refusals > 0) this.#run.healed = true;
    const treatment = this.#run.extra < MAX_EXTRA_REQUESTS ? nextTreatment(this.#run, refused) : undefined;
    if (treatment) {
      incident.rung(treatment.kind);
      return this.#again(treatment);
    }
    this.#run.forget();
    const end =
      isHistory && (!this.#run.wasUnexplained || this.#run.isRefusedAgain())
        ? this.#putAside(message, text)
        : undefined;
    if (end?.do !== "try") incident.close("refused");
    return end ?? { do: "pass" };
  }

  #again(treatment: Treatment): Step {
    this.#run.apply(treatment);
    return this.#resend(treat(this.#messages, treatment));
  }

  #resend(messages: unknown[]): Step {
    this.#run.extra++;
    this.#messages = messages;
    return { do: "send", send: () => this.#call.send(messages) };
  }

  /**
   * The last rung, a reset; after a refusal without a reason, once the provider has taken the last words alone. Ends with a
   * notice for the user; undefined when OpenClaw shall report the error itself.
   */
  #putAside(message: AssistantMessage, text: string): Step | undefined {
    const { messages } = this.#call;
    const run = this.#run;
    if (run.isCompaction) return undefined;
    const reason = shortReason(text);
    // No model has answered in this conversation yet: the provider refuses something else than its history.
    if (!hasHistory(messages))
      return run.wasReset() ? notice(message, refusedNotice(reason), { notice: "refused" }) : undefined;
    const because = run.mayNotReset(messages, this.#model);
    if (because) return notice(message, keptNotice(because, reason), { notice: "refused" });
    if (!run.wasUnexplained) return this.#reset(message, text);
    if (run.extra >= MAX_EXTRA_REQUESTS) return notice(message, refusedNotice(reason), { notice: "refused" });
    if (!run.canReset) return undefined;
    run.extra++;
    run.incident.rung("last_words");
    const request = new AbortController();
    this.#trial = { message, text, request };
    return { do: "try", send: () => this.#call.try(run.lastWords(messages), request.signal) };
  }

  #reset(message: AssistantMessage, text: string): Step | undefined {
    const reset = this.#run.reset(this.#call.messages, this.#call.given);
    if (!reset) return undefined;
    this.#run.incident.close("reset", reset.archive);
    const words = resetNotice(reset.archiveId, shortReason(text));
    return notice(message, words, { notice: "reset", resetId: reset.resetId });
  }

  /**
   * Decides after the last words were sent alone. A provider that refuses them too does not refuse the history: it is
   * down, or refuses something else of each request.
   */
  #tried(ending: Ending, { message, text, request }: Trial): Step {
    const run = this.#run;
    this.#trial = undefined;
    request.abort();
    if ("taken" in ending || ("message" in ending && ending.event.type === "done")) {
      const reset = this.#reset(message, text);
      if (reset) return reset;
      run.incident.close("refused");
      return {
        do: "end",
        message: { ...message, stopReason: "error", errorMessage: text },
        words: [],
        event: { type: "error", reason: "error" },
      };
    }
    const error = errorOf(ending);
    const { kind } = classify(error);
    run.incident.close("refused");
    if ("message" in ending && ending.message.stopReason === "aborted") return { do: "pass" };
    return kind === "history" || kind === "unknown"
      ? notice(message, refusedNotice(shortReason(error.text)), { notice: "refused" })
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
