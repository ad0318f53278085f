import { isObject } from "../transcript/json.ts";
import { chooseTreatment, type HistoryFailure } from "../recovery/choose.ts";
import { classify } from "../recovery/classify.ts";
import type { ProviderFailure } from "../recovery/failure.ts";
import { withoutRefused } from "../recovery/stopped.ts";
import { treat, type Treatment } from "../recovery/treatment.ts";
import { CUT_SHORT, DO_IT_DIFFERENTLY, GO_ON_IN_PIECES, isOwnNotice, refusedNotice, resetNotice, STOPPED_AGAIN, STOPPED_ANSWER, STOPPED_REQUEST, STOPPED_SILENTLY } from "../recovery/words.ts";
import type { Decider, Ending, Step } from "./answer.ts";
import { CUT_OFF, errorOf, isCutOff, isCutShort, shortReason } from "./endings.ts";
import { endedWith, ownMessage, type AssistantMessage, type StreamEvent } from "./events.ts";
import { takesNote } from "./note.ts";
import type { Run } from "./run.ts";

/** A model call as the ladder sees it. */
export interface ModelCall {
  readonly model: unknown;
  /** Messages as OpenClaw gave them, made ready for the adapter. */
  readonly messages: unknown[];
  /** How many messages OpenClaw gave. */
  readonly given: number;
  /** The history as it went out in the last request, in the API's form; undefined when no body was built. */
  sent(): readonly unknown[] | undefined;
  /** Makes the request again, with other messages. */
  send(messages: unknown[]): unknown;
}

type StoppedPart = Extract<ProviderFailure, { kind: "content_filter" }>["part"];

/** Requests beyond the first that a turn may cost. */
const MAX_EXTRA = 2;

/**
 * The recovery ladder of one model call: what is done when the provider refuses the history (heal at the place it names, then all
 * tool traffic as text, then archive and reset) and when a content filter stops the answer. Each rung once a turn. Other errors
 * are OpenClaw's own business. DESIGN, "The recovery ladder"; issue 4.
 */
export class Ladder implements Decider {
  readonly #run: Run;
  readonly #call: ModelCall;
  /** The messages of the last request. */
  #messages: unknown[];

  constructor(run: Run, call: ModelCall) {
    this.#run = run;
    this.#call = call;
    this.#messages = call.messages;
  }

  after(ending: Ending, begun: boolean): Step {
    const message = "message" in ending ? ending.message : ownMessage(this.#call.model);
    if ("message" in ending) {
      if (message.stopReason === "aborted") return { do: "pass" };
      if (isCutShort(message)) return this.#endWithoutCalls(message, CUT_SHORT, GO_ON_IN_PIECES);
      if (ending.event.type === "done") return this.#answered(message, ending.event);
    }
    const error = errorOf(ending);
    const failure = classify(error);
    // A summary of ours would stand for the whole conversation; and what has begun to answer has let the request pass, whatever the error says.
    if (failure.kind === "content_filter" && !this.#run.isCompaction) return this.#stopped(begun ? "answer" : failure.part, message, error.text, begun);
    if (begun) return { do: "pass" };
    if (failure.kind === "unknown") return this.#refused({ kind: "history", problem: "unspecified", ids: [] }, message, error.text, false);
    return failure.kind === "history" ? this.#refused(failure, message, error.text) : { do: "pass" };
  }

  #answered(message: AssistantMessage, event: StreamEvent): Step {
    if (isCutOff(message)) return { do: "end", message: { ...message, stopReason: "error", errorMessage: CUT_OFF }, words: [], event: { type: "error", reason: "error" } };
    if (this.#isNothing(message)) return this.#stopped("unknown", message, "", false);
    this.#run.answered(message);
    if (this.#run.confirm()) this.#run.incident.close("answered");
    const words = this.#run.dueNotes;
    if (words.length === 0 || !takesNote(message)) return { do: "pass" };
    this.#run.told();
    return { do: "end", message, words, event };
  }

  /** True for no word and no token in answer to a person: what OpenClaw 2026.2 makes of a prompt that Gemini blocks. */
  #isNothing({ content, stopReason, usage }: AssistantMessage): boolean {
    if (this.#run.isCompaction || content.length > 0 || stopReason !== "stop" || !isObject(usage) || usage.output !== 0) return false;
    const last = this.#messages.at(-1);
    return isObject(last) && last.role === "user";
  }

  /** `isHistory` is false when the words of the refusal are not known: it is worth another form of the history, not a reset. */
  #refused(failure: HistoryFailure, message: AssistantMessage, text: string, isHistory = true): Step {
    const { incident } = this.#run;
    incident.refused(failure, text);
    this.#run.isHunch = failure.problem === "unspecified";
    const treatment = this.#run.extra < MAX_EXTRA ? this.#nextTreatment(failure) : undefined;
    if (treatment) {
      incident.rung(treatment.kind);
      return this.#again(treatment);
    }
    this.#run.forget();
    const words = isHistory && (!this.#run.isHunch || this.#run.isRefusedAgain()) ? this.#putAside(text) : undefined;
    incident.close("refused");
    return words === undefined ? { do: "pass" } : { do: "end", message: endedWith(message, []), words: [words] };
  }

  /** Rung 2, then rung 3, each once a turn. */
  #nextTreatment(failure: HistoryFailure): Treatment | undefined {
    const run = this.#run;
    if (!run.healed) {
      run.healed = true;
      const chosen = chooseTreatment({ failure, messages: this.#messages, sent: this.#call.sent() ?? [] });
      if (chosen) return chosen;
    }
    if (run.flattened) return undefined;
    run.flattened = true;
    const flat: Treatment[] = [{ kind: "flat", keepMedia: failure.problem !== "image" }, { kind: "one_message" }];
    return flat.find((treatment) => treat(this.#messages, treatment) !== this.#messages);
  }

  #again(treatment: Treatment): Step {
    const run = this.#run;
    run.extra++;
    run.apply(treatment);
    this.#messages = treat(this.#messages, treatment);
    return { do: "send", send: () => this.#call.send(this.#messages) };
  }

  /** Rung 4. The words for the user, or undefined when OpenClaw shall say the error itself. */
  #putAside(text: string): string | undefined {
    const { messages, given } = this.#call;
    const reason = shortReason(text);
    // Nobody answered in this conversation yet: what is refused is not its history.
    if (!hasHistory(messages)) return !this.#run.isCompaction && this.#run.wasReset(messages) ? refusedNotice(reason) : undefined;
    const archive = this.#run.reset(messages, given);
    if (archive === undefined) return undefined;
    this.#run.incident.close("reset", archive);
    return resetNotice(archive, reason);
  }

  #stopped(part: StoppedPart, message: AssistantMessage, text: string, begun: boolean): Step {
    const run = this.#run;
    run.incident.stopped(part, text);
    const left = withoutRefused(this.#messages, true);
    if (left !== this.#messages && !run.memory.withoutStopped) {
      // It was stopped in an earlier turn and still stands in the history: what is asked now may not be the reason.
      run.memory.withoutStopped = true;
      if (!begun && run.extra < MAX_EXTRA) {
        run.extra++;
        this.#messages = left;
        return { do: "send", send: () => this.#call.send(left) };
      }
    }
    run.incident.close("told");
    if (part === "prompt") return this.#endWithoutCalls(message, STOPPED_REQUEST);
    const words = text === "" ? STOPPED_SILENTLY : STOPPED_ANSWER;
    return this.#endWithoutCalls(message, run.wasStopped ? STOPPED_AGAIN : words, DO_IT_DIFFERENTLY);
  }

  /** The answer up to where it was stopped, without its calls; the agent may find another way in the same turn. */
  #endWithoutCalls(message: AssistantMessage, words: string, hint?: string): Step {
    const run = this.#run;
    // What OpenClaw 2026.9 has begun to run while the answer was coming is no longer ours to take back.
    const kept = message.content.filter((block) => block.type === "text" || block.async === true);
    if (hint !== undefined && !run.wasStopped && run.extra < MAX_EXTRA && run.tellAgent(hint)) run.extra++;
    return { do: "end", message: endedWith(message, kept), words: [words] };
  }
}

/** True when the assistant has said something in this conversation that was not the guard's own. */
function hasHistory(messages: readonly unknown[]): boolean {
  return messages.some((message) => isObject(message) && message.role === "assistant" && !isOwnNotice(message));
}
