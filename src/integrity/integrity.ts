import { consoleLine } from "../base/console-line.ts";
import type { Checkpoint } from "../journal/checkpoints.ts";
import type { Operation } from "../journal/rows.ts";
import type { Journal } from "../journal/journal.ts";
import { JournalCheckpoints, type CheckpointStore, type RollbackOptions } from "./repair/checkpoint-store.ts";
import { type Layer0Config, resolveConfig } from "./base/config.ts";
import { Core } from "./base/core.ts";
import { emitter, type IntegrityEvent } from "./base/events.ts";
import { guardCall } from "./recovery/guard-call.ts";
import { handleError } from "./recovery/handle-error.ts";
import { recover } from "./repair/recover.ts";
import { repair, type RepairSessionOptions } from "./repair/repair.ts";
import { reset } from "./recovery/reset.ts";
import type {
  ErrorRecovery,
  GuardedCall,
  RecoverResult,
  RepairResult,
  ResetOptions,
  ResetResult,
  RollbackResult,
  ToolCycleResult,
  ValidationResult,
} from "./messages/results.ts";
import { rollback } from "./recovery/rollback.ts";
import type { Session } from "./base/session.ts";
import { executeToolCycle } from "./tools/tool-cycle.ts";
import type { ToolCycleOptions, ToolExecutor } from "./tools/tool-executor.ts";
import type { CycleCall } from "./base/types.ts";
import { validate, type ValidateOptions } from "./messages/validate.ts";
import type { ApiCall, GuardOptions } from "./wire-gate.ts";

/**
 * Keeps the history of a session consistent, recoverable and such that an API takes it (Layer 0 specification, "API").
 * One for all sessions of a journal; what changes a session happens in the order it was asked for.
 */
export interface SessionIntegrity {
  /**
   * Whether the session's history can be sent. Synchronous, no I/O, changes nothing. The calls of the current turn may
   * still be open; `{ allowOpenEnd: false }` asks for a history that can be sent now.
   */
  validate(session: Session, options?: ValidateOptions): ValidationResult;

  /**
   * Keeps the place where the session stands now, before an operation. Rejects with a JournalError when it cannot be
   * written.
   */
  checkpoint(session: Session, operation: Operation): Promise<Checkpoint>;

  /** The checkpoints of a session: list, commit, prune. */
  checkpoints(session: Session): CheckpointStore;

  /**
   * Runs the tool of a call, or of each call in an assistant's message (at the same time), and stores call and result
   * in one step. The caller does not append the message itself; where it did, only the results are stored.
   *
   * - The executor throws: nothing was done. The session is as before; `rolledBack` is true.
   * - The result cannot be stored: the tool has acted, so the result stays in the journal and in the answer, and
   * `recover` or
   *   `repair` puts it into the history.
   * - The process ends meanwhile: `recover` does the same, or marks the call as one that may have run.
   *
   * - The same calls again while they run: no tool runs twice, and both get the one outcome. Later, an id that the
   * history has is refused
   *   (`success: false`).
   * - The tool does not come back: it is waited for until `options.signal` is aborted.
   *
   * Rejects with an IntegrityError `bad-call` when it was given no call, `bad-executor` when nothing can run one,
   * `call-running` when another call runs under the same id. Nothing has run then. Where the journal cannot be used the
   * tools run without it (`warnings`), and a crash leaves no trace of them; with `requireJournal` it rejects with a
   * JournalError, and nothing has run.
   */
  executeToolCycle(
    session: Session,
    toolUse: CycleCall,
    executor: ToolExecutor,
    options?: ToolCycleOptions,
  ): Promise<ToolCycleResult>;

  /**
   * Does about an error of an API call what helps, for programs that send `session.messages` themselves; `guardCall`
   * does more. A content filter: results of tools since the last answer stand as a word on them (`repaired`), then a
   * person's words since then are taken back (`rolled_back`). A refused history: it is repaired; refused again, it is
   * stored in another form, and in the end the session is reset, each once until a call through `guardCall` succeeds,
   * and a reset once a day at most. Any other error: the unfinished part of the operation is taken back; there is
   * nothing else to do here (`escalate`). What stands behind an answer is never touched.
   */
  handleError(session: Session, error: unknown): Promise<ErrorRecovery>;

  /**
   * Makes the history valid: first what the journal knows of interrupted calls, then the rules. A result that stands in
   * the wrong place is moved to its call; only one whose call is nowhere is taken out. A session that is valid stays as
   * it is.
   */
  repair(session: Session, options?: RepairSessionOptions): Promise<RepairResult>;

  /**
   * Takes the session back to a checkpoint; nothing stored is deleted. Rejects with an IntegrityError:
   * `checkpoint-missing`, `checkpoint-foreign`, or `checkpoint-mismatch` with both hashes.
   */
  rollback(session: Session, checkpointId: string, options?: RollbackOptions): Promise<RollbackResult>;

  /**
   * Begins the session anew: archived first, with its system prompt and what was said last as one text. Its checkpoints
   * are deleted. When it cannot be archived nothing is changed.
   */
  reset(session: Session, options?: ResetOptions): Promise<ResetResult>;

  /**
   * After a start: finishes the tool cycles that a crash cut off. A known result is put behind its call; a call that
   * had begun is marked as one that may have run; what had not begun leaves no trace. Twice is as good as once.
   */
  recover(session: Session): Promise<RecoverResult>;

  /**
   * Makes an API call with the session's history. A history that cannot be sent is repaired first (`autoRepair`), or
   * the call is blocked and the repair offered. A call that fails is handled by the ladder of `handleError`, and made
   * again in another form, twice at most; a form is stored once it was answered. Does not append the answer. Never
   * rejects because of the call's own error. Where the journal cannot be used the call goes on without (`warnings`), or
   * rejects with a JournalError (`requireJournal`).
   *
   * The messages that the call gets can be sent as they are: those of a session in Anthropic's format break no rule of
   * its API, those in OpenClaw's format are ready for OpenClaw's adapter of `options.api`. A program that makes another
   * body of them gives that to `gate.heal`, with `options.api`. Rejects with an IntegrityError `bad-api` for an API
   * that is not known; no call is made then.
   */
  guardCall<T>(session: Session, call: ApiCall<T>, options?: GuardOptions): Promise<GuardedCall<T>>;
}

/** What SessionIntegrity is made of. */
export interface SessionIntegrityOptions {
  /** Where cycles, checkpoints and incidents are kept; see `openJournal`. It stays the caller's to close. */
  journal: Journal;
  config?: Partial<Layer0Config>;
  /** Hears of everything that happens; see events.ts. One that throws is not heard of. */
  onEvent?: (event: IntegrityEvent) => void;
  /** Where `verbose` writes its lines; the console's standard error by default. */
  log?: (line: string) => void;
}

/**
 * Makes a {@link SessionIntegrity}. Throws an IntegrityError `bad-config`. Issue 5, item 3.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { createSessionIntegrity, MemorySession, openJournal } from "openclaw-integrity/integrity";
 *
 * const journal = openJournal(":memory:");
 * const integrity = createSessionIntegrity({ journal, config: { checkpointRetention: 5 } });
 * const session = new MemorySession({ id: "example" });
 * await integrity.recover(session); // finishes what a crash cut off
 *
 * await session.append([{ role: "user", content: "What time is it?" }]);
 * // Stands for a request to a provider.
 * const ask = async (_messages: readonly unknown[]) => ({
 *   role: "assistant" as const,
 *   content: [{ type: "tool_use", id: "toolu_1", name: "clock", input: {} }],
 * });
 * const { outcome, response } = await integrity.guardCall(session, ask);
 * assert.equal(outcome, "answered");
 * // Stores the call together with its result.
 * await integrity.executeToolCycle(session, response!, { execute: async () => ({ output: "12:00" }) });
 * assert.equal(session.messages.length, 3);
 * assert.equal(integrity.validate(session).valid, true);
 * journal.close();
 * ```
 */
export function createSessionIntegrity({
  journal,
  config,
  onEvent,
  log = consoleLine,
}: SessionIntegrityOptions): SessionIntegrity {
  const resolved = resolveConfig(config);
  const core = new Core(journal, resolved, emitter({ ...(onEvent && { onEvent }), ...(resolved.verbose && { log }) }));
  return {
    validate: (session, options) => validate(core, session, options),
    checkpoint: (session, operation) =>
      core.inTurn(session, () => new JournalCheckpoints(core, session).create(session.id, operation)),
    checkpoints: (session) => new JournalCheckpoints(core, session),
    executeToolCycle: (session, toolUse, executor, options) =>
      executeToolCycle(core, session, toolUse, executor, options),
    handleError: (session, error) => core.inTurn(session, () => handleError(core, session, error)),
    repair: (session, options) => core.inTurn(session, () => repair(core, session, options)),
    rollback: (session, checkpointId, options = {}) =>
      core.inTurn(session, () => rollback(core, session, checkpointId, options)),
    reset: (session, options) => core.inTurn(session, () => reset(core, session, options)),
    recover: (session) => core.inTurn(session, () => recover(core, session)),
    guardCall: (session, call, options) => guardCall(core, session, call, options),
  };
}
