import { isObject } from "../../transcript/json/json.ts";
import { marked, type Origin } from "../../transcript/origin.ts";
import { afterStop, type Leaves } from "../../recovery/after-stop.ts";
import type { HistoryFailure } from "../../recovery/choose.ts";
import { classify } from "../../recovery/errors/classify.ts";
import type { FilteredPart, ProviderError } from "../../recovery/failure.ts";
import { readError } from "../../recovery/errors/read-error.ts";
import {
  type WordsAbout,
  type Ladder,
  interpretFailure,
  type Meaning,
  OF_ROUTE,
  UNSPECIFIED,
} from "../../recovery/ladder.ts";
import { type AskedModel, routeName } from "../../recovery/route-name.ts";
import { treat, type Treatment } from "../../recovery/forms/treatment.ts";
import {
  CUT_BEFORE_WORDS,
  CUT_SHORT,
  GO_ON_IN_PIECES,
  LEFT_UNANSWERED,
  refusedAgainNotice,
  SAY_IT,
  STOPPED_SILENTLY,
  refusedNotice,
  resetNotice,
  withReason,
} from "../../recovery/words.ts";
import type { Decider, Ending, Step } from "./answer.ts";
import {
  atLimit,
  CUT_OFF,
  endsTurn,
  readEndingError,
  isCutOff,
  isCutShort,
  isEmpty,
  isNameless,
  shortReason,
} from "./endings.ts";
import { type AskedQuestion, isSameQuestion, questionIn } from "./question.ts";
import { endedWith, ownMessage, type AssistantMessage, type StreamEvent } from "../openclaw/stream-events.ts";
import { countAsSaid } from "../history/forgotten.ts";
import { routeMemory } from "../base/memory.ts";
import { takesNote } from "./takes-note.ts";
import { forgetTaken, toRoute } from "../routes/routes.ts";
import { countQuestions, hasToldNothing, isSilentSign, isWordless } from "./silence.ts";
import { measureAnswered } from "../routes/window.ts";
import { hasHistory, notice } from "./notices.ts";
import type { ModelCall } from "./port.ts";
import { makeLadder } from "./make-ladder.ts";
import type { Run } from "./run.ts";
import { requestSize, shortenRefused } from "./shorten-refused.ts";
import type { DueSearch } from "./search.ts";

/** A stop without a word of why. */
const SILENT: ProviderError = { text: "" };

/**
 * The recovery of one model call. When the provider refuses the request, the {@link Ladder} chooses what is sent next;
 * the refused part of a history is searched for behind the turn, and the history is archived and reset only when no
 * half of it has been taken for hours. When the request is too large, as much as fits is sent. When a content filter
 * stops the answer, {@link afterStop} decides. Other errors are passed on to OpenClaw.
 */
export class CallRecovery implements Decider {
  readonly #run: Run;
  readonly #call: ModelCall;
  readonly #ladder: Ladder;
  /** The messages of the last request. */
  #messages: unknown[];
  /** How often the request was made smaller. */
  #fits = 0;
  /** The request was sent a second time as it was, because nothing was answered. */
  #isAskedAgain = false;
  /** What the last request left out because a filter had refused the one before. */
  #leaves: Leaves | undefined;

  constructor(run: Run, call: ModelCall) {
    this.#run = run;
    this.#call = call;
    this.#messages = call.messages;
    this.#ladder = makeLadder(run, call, () => this.#messages);
    run.questions ??= countQuestions(call.messages);
  }

  after(given: Ending, begun: boolean): Step {
    const ending = atLimit(given);
    const step = this.#after(ending, begun);
    return step.do === "pass" && ending !== given && "message" in ending
      ? { do: "end", message: ending.message, words: [], event: ending.event }
      : step;
  }

  #after(ending: Ending, begun: boolean): Step {
    const message = "message" in ending ? ending.message : ownMessage(this.#call.model);
    // A provider that begins to answer has taken the request, however the answer ends.
    if (begun || ("message" in ending && ending.event.type === "done")) countAsSaid(this.#run.memory);
    if (message.stopReason === "aborted") return { do: "pass" };
    const { summariser } = this.#run;
    if (summariser) summariser.isAnswered = "message" in ending && ending.event.type === "done";
    if ("message" in ending) {
      if (isCutShort(message))
        return this.#endWithoutCalls(message, CUT_SHORT, { notice: "cut_short" }, GO_ON_IN_PIECES);
      if (ending.event.type === "done") return this.#answered(message, ending.event);
    }
    // In whatever words an adapter reports that.
    if (this.#call.isAborted) return { do: "pass" };
    const error = readEndingError(ending, this.#model.api);
    if (summariser) summariser.error = error;
    const failure = classify(error);
    const taught = begun ? undefined : this.#ladder.taught(failure);
    if (taught) return this.#again(taught, OF_ROUTE, error.text);
    const meaning = interpretFailure(failure, begun, this.#messages);
    // In a compaction the answer is the summary: a text of the guard would replace the whole conversation.
    if (meaning.of === "stop" && !this.#run.isCompaction)
      return isNameless(meaning.part, error.text, this.#model)
        ? this.#stopped("unknown", message, SILENT, begun)
        : this.#stopped(meaning.part, message, error, begun);
    if (begun) return { do: "pass" };
    switch (meaning.of) {
      case "refusal":
        return this.#refused(meaning, message, error.text);
      case "outage":
        return this.#failed(error);
      case "size":
        return this.#tooLarge(error);
      default:
        return this.#passed();
    }
  }

  /** Sends a request that is too large as far as its route takes it. */
  #tooLarge(error: ProviderError): Step {
    const messages = shortenRefused(this.#run, this.#call, this.#messages, error, ++this.#fits);
    return messages ? this.#resend(messages) : this.#passed();
  }

  /** Passes an error on that no other form of the history changes. */
  #passed(): Step {
    if (!this.#run.tries.isFromLastWords) return { do: "pass" };
    this.#run.memory.refusedAlone = { ...this.#lastQuestion, isPassed: true };
    this.#run.tries.drop();
    this.#run.incident.close("refused");
    return { do: "pass" };
  }

  #failed(error: ProviderError): Step {
    const treatment = this.#ladder.failed(error, this.#isRefusedAlone);
    return treatment ? this.#again(treatment, UNSPECIFIED, error.text) : this.#passed();
  }

  #answered(message: AssistantMessage, event: StreamEvent): Step {
    if (isCutOff(message))
      return {
        do: "end",
        message: { ...message, stopReason: "error", errorMessage: CUT_OFF },
        words: [],
        event: { type: "error", reason: "error" },
      };
    if (this.#isNothing(message)) return this.#nothing(message);
    const silence = this.#describeSilence(message);
    if (silence !== undefined) return this.#inWords(message, event, silence);
    routeMemory(routeName(this.#model)).answeredAt = Date.now();
    measureAnswered(toRoute(this.#model), message.usage, () => requestSize(this.#call, this.#messages).characters);
    this.#run.answered(message);
    if (this.#run.tries.isFromLastWords) return this.#answeredFromLastWords(message, event);
    forgetTaken(toRoute(this.#model), { messages: this.#messages, body: this.#call.body() });
    if (this.#fits > 0) this.#run.tellWindow();
    if (this.#run.confirm(this.#call.messages, toRoute(this.#model)) || this.#fits > 0)
      this.#run.incident.close("answered");
    else if (this.#leaves === undefined) this.#searchOn();
    if (this.#leaves !== undefined) {
      this.#run.madeWithout(this.#leaves);
      if (this.#leaves === "history") this.#search(false);
      this.#run.incident.close("answered");
    }
    return this.#told(message, event, this.#leaves);
  }

  /** Passes an answer on, with the notes that are due behind it and the mark of what was left out of its request. */
  #told(message: AssistantMessage, event: StreamEvent, leaves: Leaves | undefined): Step {
    const said = leaves === undefined ? message : marked(message, toMark(leaves));
    const route = routeName(this.#model);
    const words = takesNote(message) ? this.#run.dueNotes(route) : [];
    if (words.length > 0) this.#run.userInformed(route);
    return words.length === 0 && said === message ? { do: "pass" } : { do: "end", message: said, words, event };
  }

  /** An answer to the last words: the route refuses the history, and not every request. */
  #answeredFromLastWords(message: AssistantMessage, event: StreamEvent): Step {
    const run = this.#run;
    run.tookLastWords(routeName(this.#model));
    this.#search(run.tries.isServerError);
    const isLast = endsTurn(message);
    const mayReset = run.mayReset(routeName(this.#model));
    const reset = isLast && mayReset ? run.reset(this.#call.messages, this.#call.given) : undefined;
    if (isLast || !mayReset) run.incident.close(reset ? "reset" : "answered", reset?.archive);
    if (!reset) return this.#told(message, event, "history");
    const words = [resetNotice(reset.archiveId, run.reason)];
    return { do: "end", message: marked(message, { notice: "reset", resetId: reset.resetId }), words, event };
  }

  /** Has the refused part of the history searched for when the run has ended. */
  #search(isServerError: boolean): void {
    this.#searchLater({ messages: this.#call.messages, isServerError, isRefused: true });
  }

  /** Has an earlier search go on behind an answer to the history, so that less of it is left out. */
  #searchOn(): void {
    const { search } = this.#run.memory;
    if (search?.route !== routeName(this.#model) || search.search.isOver) return;
    this.#searchLater({ messages: this.#call.whole, isServerError: search.isServerError, isRefused: false });
  }

  #searchLater(due: Pick<DueSearch, "messages" | "isServerError" | "isRefused">): void {
    this.#run.dueSearch ??= {
      ...due,
      route: routeName(this.#model),
      api: this.#model.api,
      probe: (list, signal) => this.#call.probe(list, signal),
      areWordsRefused: this.#run.tries.isPlain,
    };
  }

  /**
   * Asks once more, as later releases do by themselves: an empty answer is a fault more often than a filter's doing.
   */
  #nothing(message: AssistantMessage): Step {
    const run = this.#run;
    if (this.#isAskedAgain || !run.tries.mayResend) return this.#stopped("unknown", message, SILENT, false);
    this.#isAskedAgain = true;
    run.tries.extra++;
    return this.#resend(this.#messages);
  }

  /** Has the agent say something to the user; once in a run, then the user gets this notice. */
  #inWords(message: AssistantMessage, event: StreamEvent, silence: string): Step {
    const run = this.#run;
    if (!run.wasHinted && this.#hints(SAY_IT)) {
      run.wasSilent = true;
      return { do: "end", message: marked(message, { hinted: true }), words: [], event };
    }
    // OpenClaw would take a sign of silence for the whole answer, whatever comes behind it.
    const kept = message.content.filter(({ type }) => type !== "text");
    return { do: "end", message: marked(endedWith(message, kept), { notice: "stopped" }), words: [silence] };
  }

  /** True for an empty answer to a user with which the turn would end without a word. */
  #isNothing(message: AssistantMessage): boolean {
    return this.#endsSilently && isEmpty(message);
  }

  /**
   * The notice for an answer with which a turn would end before its user was told anything; undefined for any other.
   */
  #describeSilence(message: AssistantMessage): string | undefined {
    const run = this.#run;
    const { messages } = this.#call;
    const isUnheard = run.isOfPerson && !run.asksAgain && hasToldNothing(messages);
    if (isWordless(message) && (isUnheard || this.#endsSilently))
      return message.stopReason === "length" ? CUT_BEFORE_WORDS : STOPPED_SILENTLY;
    // What came into the run later may be OpenClaw's, of a sub-agent that has ended, and may be left without an answer.
    const isOfQuestion = run.wasSilent || countQuestions(messages) === run.questions;
    return isUnheard && isOfQuestion && isSilentSign(message) ? LEFT_UNANSWERED : undefined;
  }

  /** True where OpenClaw ends a user's turn with whatever comes. */
  get #endsSilently(): boolean {
    const last = this.#messages.at(-1);
    return !this.#run.isOfNobody && !this.#run.asksAgain && isObject(last) && last.role === "user";
  }

  #refused(meaning: Extract<Meaning, { of: "refusal" }>, message: AssistantMessage, text: string): Step {
    const run = this.#run;
    // OpenClaw's next try.
    if (run.tries.extra === 0 && this.#isRefusedAlone) return { do: "pass" };
    const rung = this.#ladder.refused(meaning);
    if (rung.send) return this.#again(rung.send, meaning.failure, text);
    run.incident.refused(meaning.failure, text);
    run.reason = shortReason(text);
    run.tries.drop();
    run.incident.close("refused");
    return this.#refusedInEachForm(rung.end, meaning.words, message);
  }

  #refusedInEachForm(end: "endpoint" | "refused", words: WordsAbout, message: AssistantMessage): Step {
    const run = this.#run;
    if (run.isCompaction) return { do: "pass" };
    if (end === "endpoint") run.memory.refusedAlone = { ...this.#lastQuestion, isPassed: words === "other" };
    // What the words say is then true, and OpenClaw's own way with them is not in doubt.
    if (words === "other") return { do: "pass" };
    if (end === "endpoint") return notice(message, refusedNotice(run.reason), { notice: "refused" });
    return hasHistory(this.#call.messages) && !run.tries.wasUnexplained
      ? notice(message, refusedAgainNotice(run.reason), { notice: "refused" })
      : { do: "pass" };
  }

  /** Sends the request as the ladder has chosen: the last words of the whole conversation, or another form. */
  #again(treatment: Treatment, failure: HistoryFailure, text: string): Step {
    const { incident } = this.#run;
    incident.refused(failure, text);
    incident.rung(treatment.kind);
    this.#run.reason = shortReason(text);
    return this.#resend(treat(treatment.kind === "last_words" ? this.#call.messages : this.#messages, treatment));
  }

  #resend(messages: unknown[]): Step {
    this.#messages = messages;
    return { do: "send", send: () => this.#call.send(messages) };
  }

  /** True where this route has refused the newest question alone, in an earlier try of OpenClaw's. */
  get #isRefusedAlone(): boolean {
    return isSameQuestion(this.#run.memory.refusedAlone, this.#lastQuestion);
  }

  get #lastQuestion(): AskedQuestion {
    return questionIn(this.#call.messages, routeName(this.#model));
  }

  get #model(): AskedModel {
    return isObject(this.#call.model) ? this.#call.model : {};
  }

  #stopped(part: FilteredPart, message: AssistantMessage, error: ProviderError, begun: boolean): Step {
    const run = this.#run;
    const stop = { part, begun, isSilent: error.text === "", messages: this.#messages, asked: this.#model };
    const decision = afterStop(stop, {
      mayResend: run.tries.mayResend,
      // Where a provider has refused nothing by a status, later releases ask again by themselves.
      mayPass: run.asksAgain && !this.#isAskedAgain && readError(error).status === undefined,
      wasStopped: run.wasStopped,
    });
    if (decision.do === "resend") {
      const { leaves } = decision;
      run.tries.extra++;
      if (leaves === undefined) this.#isAskedAgain = true;
      else {
        run.incident.stopped(part, error.text);
        run.incident.rung(`without_${leaves}`);
        this.#leaves = leaves;
      }
      return this.#resend(decision.messages);
    }
    run.incident.stopped(part, error.text);
    run.incident.close("told");
    if (decision.origin.confirms) run.madeWithout("refused_before");
    const words = begun ? decision.words : withReason(decision.words, shortReason(error.text));
    return this.#endWithoutCalls(message, words, decision.origin, decision.hint);
  }

  /** Sends the agent a hint, which costs a request; false where that is not possible. */
  #hints(words: string): boolean {
    const run = this.#run;
    const isHinted = run.tries.mayResend && run.hintAgent(words);
    if (isHinted) run.tries.extra++;
    return isHinted;
  }

  /**
   * Ends with the part of the answer before it was stopped, without its calls. With `hint` the agent is asked, once in
   * a run, to continue in another way in the same turn.
   */
  #endWithoutCalls(message: AssistantMessage, words: string, origin: Origin, hint?: string): Step {
    const run = this.#run;
    // What OpenClaw 2026.9 has begun to run while the answer was coming is no longer ours to take back.
    const kept = message.content.filter((block) => block.type === "text" || block.async === true);
    const isHinted = hint !== undefined && !run.wasStopped && this.#hints(hint);
    run.wasStopped ||= isHinted;
    return {
      do: "end",
      message: marked(endedWith(message, kept), { ...origin, ...(isHinted && { hinted: true }) }),
      words: [words],
    };
  }
}

/** The mark of an answer that was made without something. */
function toMark(leaves: Leaves): Origin {
  return leaves === "refused_before" ? { confirms: true } : { withholds: leaves };
}
