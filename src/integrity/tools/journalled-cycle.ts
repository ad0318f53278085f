import type { Checkpoint } from "../../journal/checkpoints.ts";
import { inputHash } from "../../journal/content-hash.ts";
import type { Call } from "../messages/calls.ts";
import { JournalCheckpoints } from "../repair/checkpoint-store.ts";
import type { Core } from "../base/core.ts";
import { describeThrown } from "../base/errors.ts";
import { removeUnfinished } from "../recovery/rollback.ts";
import type { Session } from "../base/session.ts";
import type { ToolOutput } from "./tool-executor.ts";
import type { CycleCall } from "../base/types.ts";

/** The journal's part of a tool cycle: pending, executing, recording, committed or rolled back. */
export class JournalledCycle {
  readonly #core: Core;
  readonly #session: Session;
  readonly #checkpoint: Checkpoint;
  readonly #ids: readonly number[];
  readonly #calls: readonly Call[];
  /** Failed writes to the journal after a tool had run. */
  readonly #warnings: string[] = [];
  #isTakenOver = false;

  /**
   * Journals a checkpoint and the calls before any tool runs. Rejects with a JournalError, and no tool may run then.
   */
  static async begin(core: Core, session: Session, cycle: CycleCall, calls: readonly Call[]): Promise<JournalledCycle> {
    const checkpoint = await new JournalCheckpoints(core, session).create(session.id, "tool_cycle");
    const { id: checkpointId } = checkpoint;
    // The history gets the calls only together with their results; until then the journal holds the message, in the
    // first row: a copy in each would grow with the square of the number of calls.
    const rows = calls.map(({ id, name, input }, at) => ({
      sessionId: session.id,
      callId: id,
      toolName: name,
      inputHash: inputHash(input),
      checkpointId,
      ...(at === 0 && { call: cycle }),
    }));
    return new JournalledCycle(core, session, checkpoint, calls, core.journal.cycles.pending(rows));
  }

  private constructor(
    core: Core,
    session: Session,
    checkpoint: Checkpoint,
    calls: readonly Call[],
    ids: readonly number[],
  ) {
    this.#core = core;
    this.#session = session;
    this.#checkpoint = checkpoint;
    this.#calls = calls;
    this.#ids = ids;
    for (const id of ids) core.live.set(id, session.id);
    this.#emit("pending");
  }

  get isOneOfMany(): boolean {
    return this.#ids.length > 1;
  }

  /** Whether every result of a tool that ran is in the journal. */
  get isRecorded(): boolean {
    return this.#warnings.length === 0 && !this.#isTakenOver;
  }

  /** Whether another process has closed the cycle while its tools ran: it took this process for a dead one. */
  get isTakenOver(): boolean {
    return this.#isTakenOver;
  }

  /**
   * Returns whether another process has stored the calls meanwhile, as calls that may have run: a rollback would leave
   * that in the history.
   */
  async isToldElsewhere(): Promise<boolean> {
    await this.#attempt("The state of the tool cycle", () => {
      this.#isTakenOver ||= this.#ids.some((id) => this.#core.journal.cycles.get(id)?.state === "committed");
    });
    return this.#isTakenOver;
  }

  start(at: number): void {
    this.#core.journal.cycles.start(this.#ids[at]!);
    this.#core.emit("l0:cycle:executing", this.#cycle(at));
  }

  async record(at: number, { output, isError = false }: ToolOutput): Promise<void> {
    const since = performance.now();
    await this.#attempt("The tool's result", () => {
      if (!this.#core.journal.cycles.record(this.#ids[at]!, { content: output, isError })) this.#isTakenOver = true;
      this.#core.emit("l0:cycle:recorded", this.#cycle(at), { since, kind: isError ? "error" : "ok" });
    });
  }

  async commit(): Promise<string[]> {
    await this.#attempt("The commit of the tool cycle", async () => {
      this.#core.journal.cycles.commit(this.#ids);
      await new JournalCheckpoints(this.#core, this.#session).commit(this.#checkpoint.id);
      this.#emit("committed");
    });
    return this.#warnings;
  }

  /**
   * Ends a cycle of which no tool ran. `rolledBack` is false, with a warning, when messages that were appended
   * meanwhile could not be removed.
   */
  async rollBack(contentFilter: boolean): Promise<{ rolledBack: boolean; warnings: string[] }> {
    const { journal } = this.#core;
    await this.#attempt("The rollback of the tool cycle", async () => {
      journal.cycles.rollBack(this.#ids);
      if (contentFilter)
        journal.incidents.log({
          sessionId: this.#session.id,
          kind: "content_filter",
          details: { checkpoint: this.#checkpoint.id, during: "tool_cycle" },
        });
    });
    let rolledBack = true;
    try {
      await this.#core.inTurn(this.#session, () => this.#removeUnfinished());
    } catch (error) {
      rolledBack = false;
      this.#warnings.push(
        `Messages that were appended to the session meanwhile could not be removed: ${describeThrown(error)}`,
      );
    }
    this.#emit("rolled_back");
    return { rolledBack, warnings: this.#warnings };
  }

  end(): void {
    for (const id of this.#ids) this.#core.live.delete(id);
  }

  async #removeUnfinished(): Promise<void> {
    // Messages of another running cycle must not be removed.
    if (this.#core.liveIn(this.#session) > this.#ids.length)
      this.#core.journal.checkpoints.rolledBack(this.#checkpoint.id);
    else await removeUnfinished(this.#core, this.#session, this.#checkpoint);
  }

  async #attempt(what: string, write: () => unknown): Promise<void> {
    const warning = await this.#core.attempt(what, write);
    if (warning !== undefined) this.#warnings.push(warning);
  }

  #emit(state: "pending" | "committed" | "rolled_back"): void {
    for (const at of this.#ids.keys()) this.#core.emit(`l0:cycle:${state}`, this.#cycle(at));
  }

  #cycle(at: number): () => { sessionId: string; cycleId: number; callId: string } {
    return () => ({ sessionId: this.#session.id, cycleId: this.#ids[at]!, callId: this.#calls[at]!.id });
  }
}
