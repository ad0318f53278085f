import { randomUUID } from "node:crypto";
import { emit } from "../../observe/index.ts";
import { appendNow, type EntryWriter, goTo } from "../../store/openclaw/append-entry.ts";
import {
  ABORTED_TYPE,
  type AgentTimeline,
  type AskedPlaces,
  assertMayMove,
  callsAround,
  CARRYOVER_TYPE,
  buildCarryover,
  checkedNote,
  toContent,
  type History,
  readIntent,
  type MarkedPlace,
  type MoveArrival,
  type MoveIntent,
  type RequestedMove,
  resolveTarget,
  type Target,
  TimeTravelError,
  type TravellingSession,
  type WorkAtMove,
  type WorkReader,
} from "../../timetravel/index.ts";
import { timeTravelError } from "../../timetravel/errors.ts";
import { nodeLine } from "../../timetravel/target.ts";
import { type Decision, type FilesReport, WorkspaceError } from "../../workspace/index.ts";
import { assertMoved, lastResultOn, placeInline, turnsBehind } from "./moved.ts";
import type { RunFiles } from "./run-files.ts";
import { type AskedFiles, capturedFiles, moveWith, previewText } from "./with-files.ts";
import { withJournal } from "../base/journal.ts";
import { logFailure, logLine } from "../base/log.ts";
import { withoutCommands } from "../history/commands.ts";
import type { Run } from "../recovery/run.ts";
import { type GuardContext, type GuardedSession, setMessages } from "../openclaw/session.ts";
import { agentTimeline, placeFor, placeWithMark } from "./places.ts";
import { compactionView, keepCompaction } from "./compaction.ts";
import { contextAfter } from "./context.ts";
import { completeHistory, toHistory, isTravelling, type TravellingManager, whenMoveIsIndexed } from "./history.ts";
import { type Batch, readLastBatch, whenStored } from "./batch.ts";
import { keepVisible } from "./keep-visible.ts";
import { mediaIn } from "./media.ts";

/** What a move begins from. */
interface MoveStart {
  readonly messages: readonly unknown[];
  readonly batch: Batch;
  readonly history: History;
  readonly departureId: string | null;
  readonly report: FilesReport | undefined;
  readonly work: WorkAtMove | undefined;
}

/** A requested move that waits for the end of its batch of calls. */
interface Pending {
  readonly intent: MoveIntent;
  readonly target: Target;
  readonly note: string;
  /** How conflicts are decided where files come back too; undefined where they are kept. */
  readonly files?: AskedFiles;
  /** Reads recorded work when the move is made. */
  readonly work: WorkReader | undefined;
}

/**
 * The moves of one run. An agent requests a move by its tool; the move is made before the next model call, when the
 * results of the whole batch of calls are stored. The branch that is left stays complete; one appended entry, the
 * carryover, is the move.
 */
export class Traveller implements TravellingSession {
  readonly #session: GuardedSession;
  readonly #context: GuardContext;
  readonly #run: Run;
  /** How many turns OpenClaw's limit keeps of a history; undefined when it removed none. */
  readonly #turns: number | undefined;
  /** The captures of the run's files; undefined where they are turned off. */
  readonly #files: RunFiles | undefined;
  #pending: Pending | undefined;

  constructor(session: GuardedSession, context: GuardContext, run: Run, turns: number | undefined, files?: RunFiles) {
    this.#files = files;
    this.#session = session;
    this.#context = context;
    this.#run = run;
    this.#turns = turns;
  }

  timeline(asked: AskedPlaces): AgentTimeline {
    return agentTimeline(this.#wholeHistory(), asked, this.#context);
  }

  mark(name: string): MarkedPlace {
    return placeWithMark(this.#wholeHistory(), name, this.#context);
  }

  request(asked: string, note: string, work?: WorkReader): RequestedMove {
    this.#manager();
    checkedNote(note);
    if (this.#pending) {
      throw timeTravelError("second-move", {
        expected: "one move in a batch of calls",
        found:
          `a second one, to ${placeInline(asked)}; the first, to ` +
          `${placeInline(this.#pending.intent.asked)}, is made`,
        todo: "From there you can move on.",
      });
    }
    const history = this.#wholeHistory();
    const target = placeFor(history, asked, this.#context);
    assertMayMove(history, target, note);
    const intent: MoveIntent = { intentId: randomUUID(), targetId: target.nodeId, asked };
    this.#pending = { intent, target, note, work };
    const node = target.nodeId === null ? undefined : history.node(target.nodeId);
    return {
      intent,
      // The text stays on the branch that is left: an agent that reads it later is on that branch.
      text:
        "When all calls of this batch are done you go on " +
        `behind ${node ? nodeLine(node) : "the beginning, before the first message"}, with your note. ` +
        "If you read this, you are still (or again) on the branch that you wanted to leave: the move has not " +
        "been made, or you came back.",
    };
  }

  async requestWithFiles(
    asked: string,
    note: string,
    conflicts: Decision | undefined,
    work?: WorkReader,
  ): Promise<RequestedMove> {
    const files = capturedFiles(this.#files);
    const { intent, text } = this.request(asked, note, work);
    const pending = this.#pending!;
    try {
      const preview = await previewText(files, this.#wholeHistory(), intent, { conflicts });
      this.#pending = { ...pending, files: { conflicts } };
      return { intent, text: `${text}\n\n${preview}` };
    } catch (error) {
      if (this.#pending === pending) this.#pending = undefined;
      throw error;
    }
  }

  /** Handles the start of a model call: a move that was requested before it and not made is dropped. */
  asked(): void {
    this.#pending = undefined;
  }

  /**
   * Makes the requested move, between two model calls. Returns the messages that the run sends next; undefined when no
   * move was requested or the run was aborted. Never rejects.
   */
  async atBoundary(messages: readonly unknown[], signal: AbortSignal | undefined): Promise<unknown[] | undefined> {
    const pending = this.#pending;
    this.#pending = undefined;
    if (!pending || signal?.aborted) return undefined;
    const manager = this.#session.sessionManager;
    const batch = readLastBatch(messages);
    // The request counts only when a result of this batch carries the same intent.
    if (
      !isTravelling(manager) ||
      !batch.results.some((message) => readIntent({ type: "message", message })?.intentId === pending.intent.intentId)
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
      logFailure("move", error, "the run continues where it was");
      return this.#refuse(manager, pending, messages, error);
    }
  }

  async #move(
    manager: TravellingManager,
    pending: Pending,
    messages: readonly unknown[],
    batch: Batch,
    signal: AbortSignal | undefined,
  ): Promise<unknown[] | undefined> {
    const { target, intent } = pending;
    await whenStored(manager, batch);
    // What the carryover says must not depend on which branches the run has loaded.
    completeHistory(manager);
    // Read when the whole batch is done: its other calls may have changed the work.
    const work = await pending.work?.(callsAround(toHistory(manager), target));
    if (signal?.aborted) return undefined;
    const departureId = manager.getLeafId();
    const history = toHistory(manager);
    // Resolved again, and thrown where that fails: another process may have written to the tree since the request.
    resolveTarget(history, target.nodeId ?? "root");
    return moveWith(this.#files, pending.files, history, intent, (report) =>
      this.#makeMove(manager, pending, { messages, batch, history, departureId, report, work }),
    );
  }

  /** Appends the carryover and returns the messages that the run sends next. */
  async #makeMove(
    manager: TravellingManager,
    { intent, target, note, files }: Pending,
    { messages, batch, history, departureId, report, work }: MoveStart,
  ): Promise<unknown[]> {
    // The carryover is made without user messages queued since the batch: they are appended behind it as they are.
    const asked = batch.behind.length === 0 ? history : toHistory(manager, lastResultOn(manager));
    const { sessionId } = this.#context;
    const openCycles = sessionId === undefined ? [] : (withJournal(({ cycles }) => cycles.open(sessionId)) ?? []);
    const carryover = buildCarryover(asked, target, note, {
      openCycles,
      readMedia: mediaIn(messages),
      files: report,
      work: work?.sections,
    });
    this.#run.cycles?.commitStored(manager);
    const details: MoveArrival = {
      intentId: intent.intentId,
      departureId,
      targetId: target.nodeId,
      by: "agent",
      note: checkedNote(note),
      questionIds: carryover.questionIds,
      openIds: carryover.openIds,
      ...(files && { files: "restore" }),
      ...(work && { work: work.told }),
    };
    const view = compactionView(manager, target.nodeId);
    try {
      goTo(manager, target.nodeId);
      const carryoverId = manager.appendCustomMessageEntry(CARRYOVER_TYPE, toContent(carryover), true, details);
      assertMoved(manager, target, carryoverId);
      this.#settle();
      const isCompacted = typeof view === "object" && keepCompaction(manager, view.keep);
      await whenMoveIsIndexed(manager);
      keepVisible(manager, history, carryover.questionIds);
      // The queued messages are appended again on the new branch. No call is open there.
      for (const message of batch.behind)
        appendNow(manager as unknown as EntryWriter, { type: "message" }, message, new Map());
      const stored = withoutCommands(manager.buildSessionContext().messages, manager);
      const node = target.nodeId === null ? undefined : history.node(target.nodeId);
      // What the next turn will load is what is sent from now on: without its compaction the stored path is sent.
      const ready = contextAfter(view === "unchanged" || isCompacted ? messages : [], node?.entry, {
        stored,
        brought: 1 + batch.behind.length,
        turns: this.#turns,
        api: this.#context.api ?? "",
      });
      setMessages(this.#session, ready.slice());
      this.#run.moved(turnsBehind(history, target), files !== undefined);
      logLine(
        `moved session=${this.#context.sessionId ?? "?"} from ${departureId ?? "the beginning"} ` +
          `to ${target.nodeId ?? "the beginning"}, carryover ${String(carryoverId)}`,
      );
      return ready.slice();
    } catch (error) {
      // Back to the departure, even when the move itself was made: the entries appended so far are an abandoned branch.
      goTo(manager, departureId);
      throw error;
    }
  }

  /** Forgets the journalled unanswered messages: they were left by the move, or are part of the carryover. */
  #settle(): void {
    const { sessionId } = this.#context;
    if (sessionId !== undefined) withJournal(({ unanswered }) => unanswered.clearAsked(sessionId));
  }

  /** Appends a note that the move was not made, and returns the messages with it; undefined when that fails too. */
  #refuse(
    manager: TravellingManager,
    { intent }: Pending,
    messages: readonly unknown[],
    error: unknown,
  ): unknown[] | undefined {
    const { sessionId } = this.#context;
    // The message of OpenClaw's own errors could quote a conversation.
    const reason =
      error instanceof TimeTravelError || error instanceof WorkspaceError
        ? error.message
        : error instanceof Error
          ? error.name
          : "an error";
    emit("l0:travel:aborted", () => ({ sessionId, intentId: intent.intentId }));
    try {
      const text =
        `[openclaw-integrity] The move to ${placeInline(intent.asked)} was not made: ${reason}. You are where you ` +
        "were; nothing was lost. Go on from here.";
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
      logFailure("move", second, "the run continues where it was, without a note to the agent");
      return undefined;
    }
  }

  /**
   * The whole tree. A run loads no abandoned branches by itself: places on them, names given there, and earlier moves.
   */
  #wholeHistory(): History {
    const manager = this.#manager();
    completeHistory(manager);
    return toHistory(manager);
  }

  #manager(): TravellingManager {
    const manager = this.#session.sessionManager;
    if (isTravelling(manager) && !this.#run.hasReset) return manager;
    throw timeTravelError("no-run", {
      expected: "a session whose history is a tree",
      found: isTravelling(manager)
        ? "one that was reset in this turn"
        : "an OpenClaw whose session manager cannot branch",
      todo: "Continue from here.",
    });
  }
}
