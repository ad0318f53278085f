import { RESET_PAUSE_MS, treatBeginning } from "../../recovery/rungs.ts";
import { type AskedModel, wasTaken } from "../../recovery/taken.ts";
import type { Treatment } from "../../recovery/treatment.ts";
import {
  CHANGED_NOTE,
  type KeptBecause,
  STOPPED_BEFORE_NOTE,
  WITHOUT_HISTORY_NOTE,
  WITHOUT_RESULTS_NOTE,
} from "../../recovery/words.ts";
import { isIncognito } from "../../store/sessions/session-coordinates.ts";
import { isObject } from "../../transcript/json/json.ts";
import { addAll } from "../../transcript/json/list.ts";
import { commitCheckpoint, isDue, makeCheckpoint } from "../cycles/checkpoints.ts";
import { isCompaction, type GuardContext, type GuardedSession } from "../openclaw/session.ts";
import { CycleLog } from "../cycles/cycle-log.ts";
import type { AssistantMessage } from "../openclaw/stream-events.ts";
import { Incident } from "./incident.ts";
import { logFailure } from "../base/log.ts";
import { memoryOf, type SessionMemory } from "../base/memory.ts";
import { lastResetAt, type Reset, resetSession } from "./reset-session.ts";

/** One run of the agent, a turn of the user's: what its recovery has used up and what later calls of it must repeat. */
export class Run {
  readonly memory: SessionMemory;
  /**
   * Applied to every later call of this run: the same history, tool results of this turn included, would be refused
   * again.
   */
  readonly treatments: Treatment[] = [];
  /** The last of them, that no answer has come after yet. */
  #unconfirmed: Treatment[] = [];
  /** Extra requests so far. */
  extra = 0;
  healed = false;
  /** The tool calls of this run in the journal; none without a session that is stored. */
  readonly cycles: CycleLog | undefined;
  /** The last refusal did not say that the history was the reason. */
  isHunch = false;
  flattened = false;
  /** A filter stopped an answer of this run, and the agent was told to find another. */
  wasStopped = false;
  /** What an answer of this run was made without, and the user is to be told. */
  #without = new Set<"results" | "history">();
  /** Messages of the run before this index were put aside; the tail stands for them. */
  #cut: { index: number; tail: unknown } | undefined;
  #incident: Incident | undefined;
  /** The place before the tool calls that are being carried out. */
  #batchCheckpoint: string | undefined;
  readonly #session: GuardedSession;
  readonly #context: GuardContext;

  constructor(session: GuardedSession, context: GuardContext) {
    this.#session = session;
    this.#context = context;
    const sessionId = this.isCompaction ? undefined : context.sessionId;
    this.memory = memoryOf(sessionId);
    if (sessionId !== undefined && !isIncognito(context.sessionKey)) this.cycles = new CycleLog(sessionId);
  }

  /**
   * A whole answer has come. What of it will be run is journalled before OpenClaw sees the answer's end; without calls
   * the turn is over.
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
      logFailure("journal", error, "the answer goes on");
    }
  }

  /** What is being taken down about this run; a new incident after the last one was closed. */
  get incident(): Incident {
    if (!this.#incident || this.#incident.isClosed) this.#incident = new Incident(this.#context);
    return this.#incident;
  }

  /** What the user must still be told about this run, behind the next answer in words. */
  get dueNotes(): readonly string[] {
    if (this.isCompaction) return [];
    return [
      ...(this.treatments.length > 0 && !this.memory.told ? [CHANGED_NOTE] : []),
      ...(this.wasStopped ? [STOPPED_BEFORE_NOTE] : []),
      ...(this.#without.has("results") ? [WITHOUT_RESULTS_NOTE] : []),
      ...(this.#without.has("history") ? [WITHOUT_HISTORY_NOTE] : []),
    ];
  }

  /** The user has been told. */
  told(): void {
    if (this.treatments.length > 0) this.memory.told = true;
    this.wasStopped = false;
    this.#without.clear();
  }

  /** An answer was made without what a content filter had refused. */
  madeWithout(what: "results" | "history"): void {
    this.#without.add(what);
  }

  /** True for the model calls of a compaction, whose answer is no word to a person. */
  get isCompaction(): boolean {
    return isCompaction(this.#context);
  }

  /** The messages of a later call of this run, after a reset in it. */
  sinceReset(messages: unknown[]): unknown[] {
    return this.#cut && messages.length >= this.#cut.index
      ? [this.#cut.tail, ...messages.slice(this.#cut.index)]
      : messages;
  }

  /** Another request goes out after this treatment. */
  apply(treatment: Treatment): void {
    this.treatments.push(treatment);
    this.#unconfirmed.push(treatment);
  }

  /**
   * An answer to these messages came: what led to it is applied to the session from now on, and stored at its next
   * load. After a refusal that named no fault of the history (`isHunch`) it is stored only from the second time on;
   * until then the messages of now go out so while this process runs. False when nothing was tried.
   */
  confirm(messages: readonly unknown[]): boolean {
    const confirmed = this.#unconfirmed;
    if (confirmed.length === 0) return false;
    this.#unconfirmed = [];
    this.memory.refusals = 0;
    if (!this.isHunch || ++this.memory.hunches > 1) {
      addAll(this.memory.treatments, confirmed);
      delete this.memory.hunch;
    } else this.memory.hunch = { treatments: confirmed, until: newestTime(messages) };
    return true;
  }

  /**
   * The history with what an earlier turn had to be sent in another form in that form: the same refusal need not be
   * paid for twice.
   */
  asTakenBefore<T>(messages: T[]): T[] {
    const { hunch } = this.memory;
    if (hunch?.until === undefined) return messages;
    const { treatments, until } = hunch;
    return treatBeginning(messages, messages.findLastIndex((message) => timeOf(message) <= until) + 1, treatments);
  }

  /** No answer came: what was tried is of no use. */
  forget(): void {
    this.treatments.splice(this.treatments.length - this.#unconfirmed.length);
    this.#unconfirmed = [];
  }

  /** True once this run has put its history aside. */
  get hasBegunAnew(): boolean {
    return this.#cut !== undefined || this.memory.beginsAgain;
  }

  /** True when this conversation was put aside before and begun anew. */
  wasReset(): boolean {
    return this.hasBegunAnew || lastResetAt(this.#session.sessionManager) !== undefined;
  }

  /**
   * Why the history must not be put aside now, though it is refused: a provider, or whoever stands before it, could
   * empty a conversation with two forged errors, again and again.
   */
  mayNotReset(messages: readonly unknown[], model: AskedModel): KeptBecause | undefined {
    if (wasTaken(messages, model)) return "taken-before";
    const before = Math.max(lastResetAt(this.#session.sessionManager) ?? -Infinity, this.memory.resetAt ?? -Infinity);
    return Date.now() - before < RESET_PAUSE_MS ? "reset-today" : undefined;
  }

  /** True from the second turn in a row on that a provider refuses without saying why: once may be anything. */
  isRefusedAgain(): boolean {
    return ++this.memory.refusals > 1;
  }

  /**
   * Archives the transcript and starts the session anew; undefined when it could not be done, and nothing was changed.
   */
  reset(messages: readonly unknown[], given: number): Reset | undefined {
    try {
      const reset = resetSession(this.#session, this.#context, this.memory, messages);
      if (reset) this.#cut = { index: given, tail: reset.tail };
      return reset;
    } catch (error) {
      logFailure("reset", error, "the session goes on as it is");
      return undefined;
    }
  }

  /** Gives the agent a word in the same turn. False when this OpenClaw has no way to. */
  tellAgent(words: string): boolean {
    const { agent } = this.#session;
    if (this.isCompaction || typeof agent.followUp !== "function") return false;
    try {
      this.wasStopped = true;
      agent.followUp({
        role: "custom",
        customType: "openclaw-integrity",
        content: words,
        display: false,
        timestamp: Date.now(),
      });
      return true;
    } catch (error) {
      logFailure("word to the agent", error, "the user is told");
      return false;
    }
  }
}

/** When a message was made, in milliseconds since 1970; infinitely late where it does not say. */
function timeOf(message: unknown): number {
  return isObject(message) && typeof message.timestamp === "number" ? message.timestamp : Infinity;
}

/** The time of the last message that has one. */
function newestTime(messages: readonly unknown[]): number | undefined {
  const newest = messages.findLast((message) => timeOf(message) < Infinity);
  return newest === undefined ? undefined : timeOf(newest);
}
