import { inputHash } from "../../journal/content-hash.ts";
import type { CycleResult, NewCycle } from "../../journal/tool-cycles.ts";
import { emit } from "../../observe/index.ts";
import { isAbandoned, originOfResult } from "../../transcript/invented.ts";
import { plainText } from "../../transcript/json/text.ts";
import type { AssistantMessage } from "../openclaw/stream-events.ts";
import { noteMissedStart, withJournal } from "../base/journal.ts";
import { callsUnderWay } from "../base/memory.ts";
import { messagesFromLeaf } from "../openclaw/entries.ts";
import type { SessionManager } from "../openclaw/session.ts";

/** The journalled state of one call of this run. */
interface Cycle {
  id: number;
  started: boolean;
  /** The result that was recorded last; the same object is not recorded twice. */
  result?: unknown;
  /** The text of the result. */
  said?: string;
}

/**
 * Journals the tool calls of one session in this process: before a call runs, and as soon as its result is there. No
 * method throws; without a journal they only note that a start could not be written.
 */
export class CycleLog {
  readonly #sessionId: string;
  /** The cycles by call id; where a provider reuses an id, that of its latest call. */
  readonly #cycles = new Map<string, Cycle>();

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  /** Records the calls of a complete answer as pending. To be called before OpenClaw sees the answer's end. */
  answered({ content }: AssistantMessage, checkpointId?: string): void {
    const calls = content.filter(
      (block) => block.type === "toolCall" && typeof block.id === "string" && !this.#hasBegun(block.id),
    );
    if (calls.length === 0) return;
    const made = calls.map((call) => this.#newCycle(String(call.id), call.name, call.arguments, checkpointId));
    const ids = withJournal((journal) => journal.cycles.pending(made));
    ids?.forEach((id, at) => this.#add(made[at]!.callId, id));
  }

  /** True for a call that the journal has from this log and that is not committed yet. */
  knows(callId: string): boolean {
    return this.#cycles.has(callId);
  }

  /** Records that OpenClaw begins to execute a call. */
  started(callId: string, toolName: unknown, input: unknown): void {
    let cycle = this.#cycles.get(callId);
    if (cycle?.started) return;
    if (!cycle) {
      // OpenClaw 2026.9 begins some calls before their answer is complete.
      const id = withJournal((journal) => journal.cycles.pending([this.#newCycle(callId, toolName, input)])[0]);
      if (id === undefined) return;
      cycle = this.#add(callId, id);
    }
    const { id } = cycle;
    cycle.started = true;
    // Undefined: the journal has failed. False: the call had been started before.
    if (withJournal((journal) => journal.cycles.start(id)) === undefined) noteMissedStart();
    else this.#emit("l0:cycle:executing", id, callId);
  }

  /** Records a call's result. `source` is the tool's own result object, by which a repeated report is recognised. */
  returned(callId: string, result: CycleResult, source: unknown): void {
    const cycle = this.#cycles.get(callId);
    if (!cycle || (cycle.result === source && source !== undefined)) return;
    // The call stays open: its tool may have done all of it.
    if (isAbandoned({ ...result })) return void callsUnderWay.delete(cycle.id);
    const since = performance.now();
    if (!withJournal((journal) => journal.cycles.record(cycle.id, result))) return;
    emit("l0:cycle:recorded", () => ({ sessionId: this.#sessionId, cycleId: cycle.id, callId }), {
      since,
      kind: result.isError ? "error" : "ok",
    });
    cycle.result = source;
    cycle.said = plainText(result.content).trim();
    callsUnderWay.delete(cycle.id);
  }

  /** Handles the end of the run: calls that have not begun by now never will. */
  ended(manager: SessionManager | undefined): void {
    for (const { id, started } of this.#cycles.values()) if (!started) callsUnderWay.delete(id);
    this.commitStored(manager);
  }

  /**
   * Commits the cycles whose own results the transcript holds, not an invented one. Returns how many results are not in
   * the transcript yet.
   */
  commitStored(manager: SessionManager | undefined): number {
    const recorded = new Map([...this.#cycles].filter(([, { result }]) => result !== undefined));
    if (recorded.size === 0) return 0;
    const stored: { id: number; callId: string }[] = [];
    for (const message of messagesFromLeaf(manager)) {
      if (message.role !== "toolResult" || typeof message.toolCallId !== "string") continue;
      const cycle = recorded.get(message.toolCallId);
      // OpenClaw stores an invented result for a call that it takes for lost.
      if (!cycle || (originOfResult(message) !== "real" && plainText(message.content).trim() !== cycle.said)) continue;
      stored.push({ id: cycle.id, callId: message.toolCallId });
      recorded.delete(message.toolCallId);
      this.#cycles.delete(message.toolCallId);
      if (recorded.size === 0) break;
    }
    if (stored.length === 0) return recorded.size;
    withJournal((journal) => {
      journal.cycles.commit(stored.map(({ id }) => id));
      for (const { id, callId } of stored) this.#emit("l0:cycle:committed", id, callId);
    });
    return recorded.size;
  }

  #add(callId: string, id: number): Cycle {
    const cycle = { id, started: false };
    this.#cycles.set(callId, cycle);
    callsUnderWay.add(id);
    this.#emit("l0:cycle:pending", id, callId);
    return cycle;
  }

  #emit(
    event: "l0:cycle:pending" | "l0:cycle:executing" | "l0:cycle:committed",
    cycleId: number,
    callId: string,
  ): void {
    emit(event, () => ({ sessionId: this.#sessionId, cycleId, callId }));
  }

  /** True for a call that runs: it has begun, and its result is not there. */
  #hasBegun(callId: string): boolean {
    const cycle = this.#cycles.get(callId);
    return cycle !== undefined && cycle.started && cycle.result === undefined;
  }

  #newCycle(callId: string, toolName: unknown, input: unknown, checkpointId?: string): NewCycle {
    return {
      sessionId: this.#sessionId,
      callId,
      toolName: typeof toolName === "string" ? toolName : "",
      inputHash: inputHash(input),
      ...(checkpointId !== undefined && { checkpointId }),
    };
  }
}
