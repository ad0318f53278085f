import type { Leaves } from "../../recovery/after-stop.ts";
import type { ProviderError } from "../../recovery/failure.ts";
import { tookHistory, tookLastWords } from "../../recovery/ladder.ts";
import { remember, treatBeginning } from "../../recovery/remembered.ts";
import { RESET_AFTER_MS, RESET_PAUSE_MS } from "../../recovery/rungs.ts";
import { Tries } from "../../recovery/tries.ts";
import { findTreatedEnd, latestTime } from "../../recovery/forms/times.ts";
import { leavesMediaOut } from "../../recovery/forms/treatment.ts";
import {
  EXTRACT_NOTE,
  FITTED_NOTE,
  LAST_WORDS_NOTE,
  PART_NOTE,
  STOPPED_BEFORE_NOTE,
  WITHOUT_EARLIER_NOTE,
  WITHOUT_HISTORY_NOTE,
  WITHOUT_RESULTS_NOTE,
} from "../../recovery/words.ts";
import { movedNote, unreadMessagesNote } from "../base/words.ts";
import { isIncognito } from "../../store/sessions/session-coordinates.ts";
import { isObject } from "../../transcript/json/json.ts";
import { plainText } from "../../transcript/json/text.ts";
import { commitCheckpoint, isDue, makeCheckpoint } from "../cycles/checkpoints.ts";
import {
  answersPerson,
  isCompaction,
  isOccasion,
  type GuardContext,
  type GuardedSession,
  OWN_TYPE,
} from "../openclaw/session.ts";
import { CycleLog } from "../cycles/cycle-log.ts";
import { isBefore } from "../../store/openclaw/release.ts";
import type { AssistantMessage } from "../openclaw/stream-events.ts";
import { Incident } from "./incident.ts";
import { logFailure } from "../base/log.ts";
import { sessionMemory, type SessionMemory } from "../base/memory.ts";
import type { KnownParts } from "../../recovery/search/known-parts.ts";
import { hasParts } from "../../recovery/search/refused-parts.ts";
import { factsBehind, isOfHistory } from "../../recovery/routes/lesson.ts";
import { writeNotes } from "../../recovery/routes/note.ts";
import { toBudget } from "../../recovery/size/budget.ts";
import type { FittedSession } from "../../recovery/size/fitted.ts";
import { measureMessages, type Size } from "../../recovery/size/measure.ts";
import type { Excess } from "../../recovery/size/read-excess.ts";
import { findFitted, noteFitted, noteTold } from "../routes/fitted.ts";
import { fitTo, isQuestionTooLarge } from "../../recovery/size/smaller.ts";
import { isJustCompacted, newestCompaction } from "../routes/compactions.ts";
import { tellWindow } from "../routes/tell-window.ts";
import { declaredWindow, isTold, findWindow, type Window } from "../routes/window.ts";
import { knownParts } from "../routes/refused-parts.ts";
import { learn, type Route } from "../routes/routes.ts";
import type { DueSearch } from "./search.ts";
import { lastResetAt, type Reset, resetSession } from "./reset-session.ts";

/** 2026.4, the first release that asks again after an empty answer, and ends all requests with the run. */
const LATER = 2026_04_00;

/** What the model that is asked for a summary was last heard to say. */
export interface Summariser {
  isAnswered?: boolean;
  error?: ProviderError;
}

/** How far above its window a request has to be to be refused for sure: the measure is of other requests. */
const SURELY = 1.15;

/** One run of the agent: what its recovery has used up, and which treatments its later model calls must repeat. */
export class Run {
  readonly memory: SessionMemory;
  readonly tries = new Tries();
  /** Journals the tool calls of this run; undefined for a session that is not stored. */
  readonly cycles: CycleLog | undefined;
  /** The search for the refused part that is due when the run has ended. */
  dueSearch: DueSearch | undefined;
  /** The provider's own words of the last refusal, shortened. */
  reason = "";
  /** A request of this run was made smaller. */
  isFitted = false;
  /** Set while OpenClaw makes a summary of this session. */
  summariser: Summariser | undefined;
  /** A filter stopped an answer of this run, and the agent was asked to find another. */
  wasStopped = false;
  /** The agent was given a hint in this run. */
  wasHinted = false;
  /** An answer of this run said nothing to the user, and the agent was asked for words. */
  wasSilent = false;
  /** How many messages of users the first model call of this run had. */
  questions: number | undefined;
  /** What an answer of this run left out, and the user has yet to be informed of. */
  #without = new Set<Leaves | "but_last_words">();
  /** A reset archived the messages of the run before this index; the tail replaces them. */
  #cut: { index: number; tail: unknown } | undefined;
  #incident: Incident | undefined;
  /** The checkpoint before the tool calls that are being executed. */
  #batchCheckpoint: string | undefined;
  readonly #session: GuardedSession;
  readonly #context: GuardContext;

  constructor(session: GuardedSession, context: GuardContext) {
    this.#session = session;
    this.#context = context;
    const sessionId = this.isCompaction ? undefined : context.sessionId;
    this.memory = sessionMemory(sessionId);
    if (this.isCompaction && context.sessionId !== undefined) {
      // A compaction keeps a memory of its own, and leaves out what the turns leave out.
      const { unexplained } = sessionMemory(context.sessionId);
      if (unexplained) this.memory.unexplained = unexplained;
    }
    if (sessionId !== undefined && !isIncognito(context.sessionKey)) this.cycles = new CycleLog(sessionId);
  }

  /**
   * Handles a complete answer. Its calls are journalled before OpenClaw sees the answer's end; without calls the turn
   * is over and its checkpoint is committed. Never throws.
   */
  answered(message: AssistantMessage): void {
    const { cycles, memory } = this;
    const { sessionId } = this.#context;
    if (!cycles || sessionId === undefined) return;
    const { sessionManager } = this.#session;
    try {
      cycles.commitStored(sessionManager);
      commitCheckpoint(sessionId, this.#batchCheckpoint, "tool_cycle");
      this.#batchCheckpoint = undefined;
      const calls = message.content.filter(({ type }) => type === "toolCall").length;
      if (calls > 0) {
        if (isDue(memory, calls))
          this.#batchCheckpoint = makeCheckpoint(sessionId, sessionManager, memory, "tool_cycle");
        cycles.answered(message, this.#batchCheckpoint);
      } else {
        commitCheckpoint(sessionId, memory.turnCheckpoint, "api_call");
        delete memory.turnCheckpoint;
      }
    } catch (error) {
      logFailure("journal", error, "the answer is passed on");
    }
  }

  /** The run's open incident; created on first use and again after a close. */
  get incident(): Incident {
    if (!this.#incident || this.#incident.isClosed) this.#incident = new Incident(this.#context);
    return this.#incident;
  }

  /** Notes that the user has yet to see, appended to the next answer in text of this route. */
  dueNotes(route: string): readonly string[] {
    if (this.isCompaction) return [];
    return [
      ...(this.#isChanged && !this.memory.isUserInformed
        ? writeNotes(this.tries.treatments, this.tries.wasUnexplained)
        : []),
      ...(this.isFitted && this.memory.fitted?.isTold !== true ? [FITTED_NOTE] : []),
      ...(this.memory.extract === "due" ? [EXTRACT_NOTE] : []),
      ...(this.wasStopped ? [STOPPED_BEFORE_NOTE] : []),
      ...(this.#without.has("refused_before") ? [WITHOUT_EARLIER_NOTE] : []),
      ...(this.#without.has("results") ? [WITHOUT_RESULTS_NOTE] : []),
      ...(this.#without.has("history") ? [WITHOUT_HISTORY_NOTE] : []),
      ...(this.#without.has("but_last_words") ? [LAST_WORDS_NOTE] : []),
      ...(this.memory.untoldParts === route && !this.tries.isFromLastWords ? [PART_NOTE] : []),
      ...(this.memory.moves === undefined ? [] : [movedNote(this.memory.moves)]),
      ...(this.memory.unread === undefined ? [] : [unreadMessagesNote(this.memory.unread)]),
    ];
  }

  /** Records that the user has seen the due notes of this route. */
  userInformed(route: string): void {
    if (this.#isChanged) this.memory.isUserInformed = true;
    if (this.memory.untoldParts === route && !this.tries.isFromLastWords) delete this.memory.untoldParts;
    if (this.memory.extract === "due") this.memory.extract = "told";
    if (this.isFitted) noteTold(this.#sessionId, this.memory);
    this.wasStopped = false;
    this.#without.clear();
    delete this.memory.moves;
    delete this.memory.unread;
  }

  get #isChanged(): boolean {
    return this.tries.treatments.length > 0 && !this.tries.isFromLastWords;
  }

  /** What searches have found of this history. */
  get #parts(): KnownParts {
    return knownParts(this.#context.sessionId, this.memory);
  }

  /** True where searches have found parts of this history that a route refuses. */
  hasRefusedParts(route: string): boolean {
    return hasParts(this.#parts.get(route));
  }

  /** Returns the search that is due, once. */
  takeDueSearch(): DueSearch | undefined {
    const due = this.dueSearch;
    this.dueSearch = undefined;
    return due;
  }

  /** Records that a route has answered the last words of a history that it refuses. */
  tookLastWords(route: string): void {
    this.tries.confirmed();
    tookLastWords(this.memory, route, this.tries.isPlain);
    this.#without.add("but_last_words");
  }

  /** Records that an answer was made without something that a content filter had refused. */
  madeWithout(what: Leaves): void {
    this.#without.add(what);
  }

  /** Records that the agent has moved to a place so many turns back, with the files of its workspace or without. */
  moved(turns: number, withFiles: boolean): void {
    const { made = 0, withFiles: before = false } = this.memory.moves ?? {};
    this.memory.moves = { made: made + 1, turns, withFiles: before || withFiles };
  }

  /** The session whose memory this is; a compaction has one of its own, which nothing outlives. */
  get #sessionId(): string | undefined {
    return this.isCompaction ? undefined : this.#context.sessionId;
  }

  /** True for the model calls of a compaction, whose answers no person reads. */
  get isCompaction(): boolean {
    return isCompaction(this.#context) || this.summariser !== undefined;
  }

  /** True where it is certain that a person waits for the answer of this run. */
  get isOfPerson(): boolean {
    return !this.isCompaction && answersPerson(this.#context);
  }

  /** True where it is certain that nobody does. */
  get isOfNobody(): boolean {
    return this.isCompaction || isOccasion(this.#context);
  }

  /**
   * True where OpenClaw itself asks again after an empty answer, and tells the user when that does not help: since
   * 2026.4. A release that is not known is taken for a later one.
   */
  get asksAgain(): boolean {
    return this.#isLater;
  }

  /** True where OpenClaw ends every request with its run, so that none can be made behind it. */
  get endsRequests(): boolean {
    return this.#isLater;
  }

  get #isLater(): boolean {
    return !isBefore(this.#context.release, LATER);
  }

  /** Returns the messages of a model call; after a reset in this run, with the tail in place of the archived ones. */
  sinceReset(messages: unknown[]): unknown[] {
    // A list that OpenClaw has made of the session since then begins with the tail, and ends with what came later.
    return this.#cut && messages.length >= this.#cut.index && !saysTheSame(messages[0], this.#cut.tail)
      ? [this.#cut.tail, ...messages.slice(this.#cut.index)]
      : messages;
  }

  /**
   * Records that an answer to these messages came: the treatments that led to it are remembered for the session, and
   * stored at its next load. After a refusal that gave no reason (`wasUnexplained`), and where they leave pictures out
   * that no refusal has named ({@link leavesMediaOut}), they are never stored: it may have been a passing failure, and
   * other models take the history as it is. They are applied on the route to the messages up to now, while this process
   * runs. What a route does not take is remembered for the route, without a reason from the second time on. Returns
   * false when nothing was tried.
   */
  confirm(messages: readonly unknown[], route: Route): boolean {
    tookHistory(this.memory);
    this.#parts.taken(route.name);
    const tried = this.tries.confirmed();
    if (tried.length === 0) return false;
    const isGuess = tried.some(leavesMediaOut);
    const isNamed = !isGuess && !this.tries.wasUnexplained;
    if (isNamed || (!isGuess && ++this.memory.unexplainedCount > 1))
      learn(
        route,
        tried.flatMap((treatment) => factsBehind(treatment, messages)),
      );
    if (isNamed) {
      remember(this.memory.treatments, tried.filter(isOfHistory), latestTime(messages));
      if (!this.memory.unexplained?.treatments.some(leavesMediaOut)) delete this.memory.unexplained;
    } else {
      const { unexplained } = this.memory;
      const treatments = unexplained?.route === route.name ? [...unexplained.treatments] : [];
      remember(treatments, tried);
      this.memory.unexplained = { route: route.name, treatments, until: latestTime(messages) };
    }
    return true;
  }

  /**
   * Applies the treatments that an earlier turn on this route needed after a refusal without a reason, so that the same
   * refusal is not caused again.
   */
  withUnexplained<T>(route: string, messages: T[]): T[] {
    const { unexplained } = this.memory;
    if (unexplained?.until === undefined || unexplained.route !== route) return messages;
    const { treatments, until } = unexplained;
    return treatBeginning(messages, findTreatedEnd(messages, until), treatments);
  }

  /**
   * True where a request that is too large may be made smaller. OpenClaw's own compaction goes first, and has had its
   * chance when a session is refused right behind one, or again without a new one. It counts tokens alone,
   * and never summarises the newest question.
   */
  mayFit(messages: readonly unknown[], excess: Excess | undefined): boolean {
    if (this.isCompaction || this.isFitted || (excess && excess.unit !== "tokens")) return true;
    if (isQuestionTooLarge(messages, excess) || isJustCompacted(this.#session.sessionManager)) return true;
    const compaction = newestCompaction(this.#session.sessionManager);
    const { tooLarge } = this.memory;
    this.memory.tooLarge = { compaction };
    return tooLarge !== undefined && tooLarge.compaction === compaction;
  }

  /** Records what a route takes. */
  fits(next: Omit<FittedSession, "isTold" | "at">): void {
    this.isFitted = true;
    noteFitted(this.#sessionId, this.memory, next);
  }

  /** Returns what a route takes of this session. */
  fitted(route: Route, model: unknown): FittedSession | undefined {
    return findFitted(this.#sessionId, this.memory, route.name, declaredWindow(model));
  }

  /**
   * Returns the messages as far as their route takes them, by what earlier refusals have shown: those of this session,
   * or of another one on the route, whose numbers say that this request would be refused for sure.
   */
  asFitted(route: Route, model: unknown, messages: unknown[], overhead: () => Size): unknown[] {
    const window = findWindow(route, model);
    const known = this.fitted(route, model);
    if (!known && !window) return messages;
    const beside = overhead();
    const budget = known?.budget ?? (window && this.#isTooLarge(window, model, messages, beside) && toBudget(window));
    const shown = (budget && fitTo(messages, budget, beside)) || messages;
    if (shown === messages) return messages;
    if (budget && !known)
      this.fits({ route: route.name, budget, tokens: window!.tokens, declared: declaredWindow(model) });
    this.isFitted = true;
    return shown;
  }

  /** True for a request that is refused for sure, and of which OpenClaw knows as much. */
  #isTooLarge({ tokens, charactersPerToken }: Window, model: unknown, messages: unknown[], beside: Size): boolean {
    const has = (measureMessages(messages).characters + beside.characters) / charactersPerToken;
    if (has <= tokens * SURELY) return false;
    return this.isCompaction || this.isFitted || isTold(model);
  }

  /** Has OpenClaw compact in time for the window that the route has named. Never throws. */
  tellWindow(): void {
    if (this.isCompaction) return;
    try {
      tellWindow(this.#session);
    } catch (error) {
      logFailure("context window", error, "OpenClaw compacts by the one that is declared");
    }
  }

  /** True once this run has reset its history. */
  get hasReset(): boolean {
    return this.#cut !== undefined || this.memory.beginsAgain;
  }

  /** True when this session was reset before, in this run or earlier. */
  wasReset(): boolean {
    return this.hasReset || lastResetAt(this.#session.sessionManager) !== undefined;
  }

  /**
   * True when the history may be archived: two searches, hours apart, have found no half of it that its route takes,
   * the route has just taken what a reset leaves of it, and there was no reset today. So no provider, and no proxy in
   * front of it, empties a conversation with forged errors.
   */
  mayReset(route: string): boolean {
    const last = this.tries.treatments.at(-1);
    if (last?.kind !== "last_words" || last.withEnd !== true) return false;
    const { resetAt = -Infinity } = this.memory;
    const { noHalf } = this.#parts.get(route);
    const before = Math.max(lastResetAt(this.#session.sessionManager) ?? -Infinity, resetAt);
    const now = Date.now();
    return noHalf !== undefined && noHalf.last - noHalf.first >= RESET_AFTER_MS && now - before >= RESET_PAUSE_MS;
  }

  /**
   * Archives the transcript and resets the session. Returns undefined when that was not possible; nothing is changed
   * then. Never throws.
   */
  reset(messages: readonly unknown[], given: number): Reset | undefined {
    try {
      const reset = resetSession(this.#session, this.#context, this.memory, messages);
      if (reset) {
        this.#parts.forget();
        this.#cut = { index: given, tail: reset.tail };
        this.tries.clear();
        this.#without.clear();
      }
      return reset;
    } catch (error) {
      logFailure("reset", error, "the session continues as it is");
      return undefined;
    }
  }

  /** Sends the agent a hint in the same turn. Returns false when this release has no way to, or when that failed. */
  hintAgent(words: string): boolean {
    const { agent } = this.#session;
    if (this.isCompaction || typeof agent.followUp !== "function") return false;
    try {
      this.wasHinted = true;
      agent.followUp({
        role: "custom",
        customType: OWN_TYPE,
        content: words,
        display: false,
        timestamp: Date.now(),
      });
      return true;
    } catch (error) {
      logFailure("hint to the agent", error, "only the user is informed");
      return false;
    }
  }
}

/** True when the first message has the words of the second one, also with others behind them. */
function saysTheSame(first: unknown, tail: unknown): boolean {
  return isObject(first) && isObject(tail) && plainText(first.content).startsWith(plainText(tail.content));
}
