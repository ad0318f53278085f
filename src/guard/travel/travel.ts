import { randomUUID } from "node:crypto";
import { emit } from "../../observe/index.ts";
import { quotedInline } from "../../base/quoted.ts";
import { appendNow, type EntryWriter, goTo } from "../../store/openclaw/append-entry.ts";
import {
  ABORTED_TYPE,
  type AgentTimeline,
  assertMayMove,
  CARRYOVER_TYPE,
  carryoverOf,
  checkedNote,
  type History,
  intentOf,
  type MoveArrival,
  type MoveIntent,
  noteId,
  type RequestedMove,
  resolveTarget,
  type Target,
  TimeTravelError,
  type TravellingSession,
} from "../../timetravel/index.ts";
import { timeTravelError } from "../../timetravel/errors.ts";
import { nodeLine } from "../../timetravel/target.ts";
import { isObject } from "../../transcript/json/json.ts";
import { withJournal } from "../base/journal.ts";
import { logFailure, logLine } from "../base/log.ts";
import type { Run } from "../recovery/run.ts";
import { type GuardContext, type GuardedSession, setMessages } from "../openclaw/session.ts";
import { agentTimeline, placeFor } from "./places.ts";
import { contextAfter } from "./context.ts";
import { completeHistory, historyOf, isTravelling, type TravellingManager, whenMoveIsIndexed } from "./history.ts";
import { type Batch, batchOf, whenStored } from "./batch.ts";

/** A move that waits for the end of its batch. */
interface Pending {
  readonly intent: MoveIntent;
  readonly target: Target;
  readonly note: string;
}

/**
 * The moves of one run: an agent asks for one by its tool, and it is made when the results of the whole batch are
 * stored, before the next model call. The departure's branch stays whole; one appended entry, the carryover, is the
 * move. Issue 8, item 1; facts/time-travel.md, section 5.
 */
export class Traveller implements TravellingSession {
  readonly #session: GuardedSession;
  readonly #context: GuardContext;
  readonly #run: Run;
  /** How many turns OpenClaw's limit leaves of a history. */
  readonly #turns: number | undefined;
  #pending: Pending | undefined;

  constructor(session: GuardedSession, context: GuardContext, run: Run, turns: number | undefined) {
    this.#session = session;
    this.#context = context;
    this.#run = run;
    this.#turns = turns;
  }

  timeline(most: number): AgentTimeline {
    const manager = this.#manager();
    // Branches that were left are not part of what a run loads.
    completeHistory(manager);
    return agentTimeline(historyOf(manager), most, this.#context);
  }

  request(asked: string, note: string): RequestedMove {
    const manager = this.#manager();
    checkedNote(note);
    if (this.#pending) {
      throw timeTravelError("second-move", {
        expected: "one move in a batch of calls",
        found: `a second one, to ${placeInline(asked)}; the first, to ${placeInline(this.#pending.intent.asked)}, is made`,
        todo: "From there you can move on.",
      });
    }
    const { target, history } = this.#resolve(manager, asked);
    assertMayMove(history, target, note);
    const intent: MoveIntent = { intentId: randomUUID(), targetId: target.nodeId, asked };
    this.#pending = { intent, target, note };
    const node = target.nodeId === null ? undefined : history.node(target.nodeId);
    return {
      intent,
      // The branch that is left keeps this text. Who reads it is on that branch.
      text:
        `When all calls of this batch are done you go on behind ${node ? nodeLine(node) : "the beginning, before the first message"}, with your note. ` +
        "If you read this, you are still (or again) on the branch that you wanted to leave: the move has not been made, or you came back.",
    };
  }

  /** A model call goes out: what was asked for before it is over. */
  asked(): void {
    this.#pending = undefined;
  }

  /**
   * Between two model calls: makes the move that was asked for. What the run sends next; undefined when there is none.
   * Never rejects.
   */
  async atBoundary(messages: readonly unknown[], signal: AbortSignal | undefined): Promise<unknown[] | undefined> {
    const pending = this.#pending;
    this.#pending = undefined;
    if (!pending || signal?.aborted) return undefined;
    const manager = this.#session.sessionManager;
    const batch = batchOf(messages);
    // What another tool says of itself asks for nothing.
    if (
      !isTravelling(manager) ||
      !batch.results.some((message) => intentOf({ type: "message", message })?.intentId === pending.intent.intentId)
    )
      return undefined;
    const since = performance.now();
    try {
      const next = await this.#move(manager, pending, messages, batch, signal);
      if (next)
        emit("l0:travel:moved", () => ({ sessionId: this.#context.sessionId, intentId: pending.intent.intentId }), {
          since,
        });
      return next;
    } catch (error) {
      logFailure("move", error, "the run goes on where it was");
      return this.#refuse(manager, pending, messages, error);
    }
  }

  async #move(
    manager: TravellingManager,
    { intent, target, note }: Pending,
    messages: readonly unknown[],
    batch: Batch,
    signal: AbortSignal | undefined,
  ): Promise<unknown[] | undefined> {
    await whenStored(manager, batch);
    if (signal?.aborted) return undefined;
    const departureId = manager.getLeafId();
    const history = historyOf(manager);
    // What was closed stays so, but the tree may have been written to by somebody else meanwhile.
    resolveTarget(history, target.nodeId ?? "root");
    // What a person has put in since the batch goes along as what it is.
    const asked = batch.behind.length === 0 ? history : historyOf(manager, lastResultOn(manager));
    const { text, questionId } = carryoverOf(asked, target, note);
    this.#run.cycles?.commitStored(manager);
    const details: MoveArrival = {
      intentId: intent.intentId,
      departureId,
      targetId: target.nodeId,
      by: "agent",
      noteId: noteId(note),
      ...(questionId !== undefined && { questionId }),
    };
    try {
      goTo(manager, target.nodeId);
      const carryoverId = manager.appendCustomMessageEntry(CARRYOVER_TYPE, text, true, details);
      assertMoved(manager, target, carryoverId);
      this.#settle();
      await whenMoveIsIndexed(manager);
      // Said again on the new branch; every call has its result here.
      for (const message of batch.behind)
        appendNow(manager as unknown as EntryWriter, { type: "message" }, message, new Map());
      const stored = manager.buildSessionContext().messages;
      const node = target.nodeId === null ? undefined : history.node(target.nodeId);
      const ready = contextAfter(messages, node?.entry, {
        stored,
        brought: 1 + batch.behind.length,
        turns: this.#turns,
        api: this.#context.api ?? "",
      });
      setMessages(this.#session, ready.slice());
      logLine(
        `moved session=${this.#context.sessionId ?? "?"} from ${departureId ?? "the beginning"} to ${target.nodeId ?? "the beginning"}, carryover ${String(carryoverId)}`,
      );
      return ready.slice();
    } catch (error) {
      // What was appended is a branch that nobody is on, also when the move itself had been made.
      goTo(manager, departureId);
      throw error;
    }
  }

  /** The message that the user waits on lies behind the conversation now, or is part of the carryover. */
  #settle(): void {
    const { sessionId } = this.#context;
    if (sessionId !== undefined) withJournal(({ unanswered }) => unanswered.clear(sessionId));
  }

  /** Nothing was moved: the agent is told so where it stands. */
  #refuse(
    manager: TravellingManager,
    { intent }: Pending,
    messages: readonly unknown[],
    error: unknown,
  ): unknown[] | undefined {
    const { sessionId } = this.#context;
    // An error of OpenClaw's could quote a conversation.
    const reason = error instanceof TimeTravelError ? error.message : error instanceof Error ? error.name : "an error";
    emit("l0:travel:aborted", () => ({ sessionId, intentId: intent.intentId }));
    try {
      const text = `[openclaw-integrity] The move to ${placeInline(intent.asked)} was not made: ${reason}. You are where you were; nothing was lost. Go on from here.`;
      manager.appendCustomMessageEntry(ABORTED_TYPE, text, true, {
        intentId: intent.intentId,
        targetId: intent.targetId,
        reason,
      });
      const note = manager.buildSessionContext().messages.at(-1);
      const next = [...messages, note];
      setMessages(this.#session, next.slice());
      return next;
    } catch (second) {
      logFailure("move", second, "the run goes on where it was, untold");
      return undefined;
    }
  }

  #resolve(manager: TravellingManager, asked: string): { readonly target: Target; readonly history: History } {
    const history = historyOf(manager);
    try {
      return { target: placeFor(history, asked, this.#context), history };
    } catch (error) {
      // It may be on a branch that was left.
      if (!(error instanceof TimeTravelError) || !completeHistory(manager)) throw error;
      const whole = historyOf(manager);
      return { target: placeFor(whole, asked, this.#context), history: whole };
    }
  }

  #manager(): TravellingManager {
    const manager = this.#session.sessionManager;
    if (isTravelling(manager) && !this.#run.hasBegunAnew) return manager;
    throw timeTravelError("no-run", {
      expected: "a session whose history is a tree",
      found: isTravelling(manager)
        ? "one that was begun anew in this turn"
        : "an OpenClaw whose session manager cannot branch",
      todo: "Go on from here.",
    });
  }
}

/** A place as somebody named it, within a line. */
function placeInline(asked: string): string {
  return quotedInline(asked.trim(), 100);
}

/** The last tool result on the path: behind it stands what a person said while the batch was carried out. */
function lastResultOn(manager: TravellingManager): string | null {
  const last = manager
    .getBranch()
    .filter(isObject)
    .findLast(({ message }) => isObject(message) && message.role === "toolResult");
  return typeof last?.id === "string" ? last.id : manager.getLeafId();
}

/** That OpenClaw did what it was asked to: the carryover is the leaf, right behind the target. */
function assertMoved(manager: TravellingManager, { nodeId }: Target, carryoverId: unknown): void {
  const path = manager.getBranch().filter(isObject);
  const before = path.at(-2);
  if (path.at(-1)?.id === carryoverId && (nodeId === null ? before === undefined : before?.id === nodeId)) return;
  throw timeTravelError("bad-target", {
    expected: `the conversation to stand behind ${nodeId ?? "the beginning"}`,
    found: `it behind ${String(before?.id ?? "the beginning")}`,
    todo: "Nothing was moved.",
  });
}
