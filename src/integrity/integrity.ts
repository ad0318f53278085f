import { consoleLine } from "../base/console-line.ts";
import type { Checkpoint } from "../journal/checkpoints.ts";
import type { Operation } from "../journal/rows.ts";
import type { Journal } from "../journal/journal.ts";
import { JournalCheckpoints, type CheckpointStore, type RollbackOptions } from "./repair/checkpoint-store.ts";
import { assertFunction, assertJournal, assertOptions, assertSession } from "./base/bad-input.ts";
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
import type { GivenCall } from "./base/types.ts";
import { validate, type ValidateOptions } from "./messages/validate.ts";
import type { ApiCall, GuardOptions } from "./wire-gate.ts";

/**
 * Keeps the history of a session consistent, recoverable and acceptable to an API. One instance serves all sessions of
 * a journal; changes of one session run in the order of the calls. Each method rejects (`validate` and `checkpoints`
 * throw) with an IntegrityError `bad-input` for an argument that it cannot use, before anything is done.
 */
export interface SessionIntegrity {
  /**
   * Returns whether the session's history can be sent. Synchronous, no I/O, changes nothing. The calls of the current
   * turn may still be open; with `{ allowOpenEnd: false }` open calls are violations.
   */
  validate(session: Session, options?: ValidateOptions): ValidationResult;

  /**
   * Records a checkpoint of the session as it is now, before an operation. Rejects with a JournalError when the
   * checkpoint cannot be written.
   */
  checkpoint(session: Session, operation: Operation): Promise<Checkpoint>;

  /** Returns the checkpoints of a session: list, commit, prune. */
  checkpoints(session: Session): CheckpointStore;

  /**
   * Runs the tool of a call, or the tools of all calls in an assistant message (in parallel), and stores calls and
   * results in one step. The caller does not append the message itself; if it has, only the results are stored.
   *
   * - The executor throws: nothing was done. The session is as before; `rolledBack` is true, and the model is told
   *   nothing. With `options.thrown: "record"` the call is stored with the error as its result.
   * - The result cannot be stored: the tool has acted, so the result stays in the journal and in the return value, and
   *   `recover` or `repair` puts it into the history.
   * - The process ends meanwhile: `recover` does the same, or marks the call as one that may have run.
   * - The same calls are passed again while they run: no tool runs twice, and both callers get the same outcome.
   *   Passed again later, they are refused (`success: false`, `rolledBack: true`).
   * - A model uses an id again for another call, or for the same call in a new answer to `guardCall`: the call runs,
   *   and is stored under an id of its own, which its result names.
   * - Names, inputs and ids that the API refuses are stored as `repair` would change them. The tool gets name and input
   *   as the model gave them.
   * - The tool does not return: the method waits until `options.signal` is aborted.
   *
   * An answer of another API is given as its client returns it: `choices[0].message` of Chat Completions, the response
   * of OpenAI's Responses API, the `content` of a candidate of Gemini. Reasoning items, server-side items and thought
   * signatures are stored in OpenClaw's format, and `gate.heal` of `guardCall` sends them again at their places;
   * Anthropic's format has no place for them (`bad-call`). The tool of a custom tool call gets its text as `{ input }`.
   *
   * Rejects before any tool has run with an IntegrityError: `bad-call` for an argument that is not a call,
   * `bad-executor` without a usable executor, `call-running` when another call runs under the same id. When the journal
   * cannot be used, the tools run without it (`warnings`), and a crash leaves no trace of them; with `requireJournal`
   * the method rejects with a JournalError before any tool has run.
   */
  executeToolCycle(
    session: Session,
    toolUse: GivenCall,
    executor: ToolExecutor,
    options?: ToolCycleOptions,
  ): Promise<ToolCycleResult>;

  /**
   * Recovers from an error of an API call, for programs that send `session.messages` themselves; `guardCall` does more.
   * A content filter: first the results of tools since the last answer are replaced by a note (`repaired`), then the
   * user's words since that answer are removed (`rolled_back`). A refused history: it is repaired; refused again, it is
   * stored in another form; in the end `reset` is offered (`escalate`), which it never does by itself. Each happens
   * once until a call through `guardCall` succeeds. Any other error: the unfinished part of the operation is removed;
   * without one there is nothing to do (`escalate`). Messages up to the last answer are never removed for a content
   * filter.
   */
  handleError(session: Session, error: unknown): Promise<ErrorRecovery>;

  /**
   * Makes the history valid: first completes interrupted calls from the journal, then applies the rules. A misplaced
   * result is moved to its call; only a result without any call is removed. A valid session stays unchanged.
   */
  repair(session: Session, options?: RepairSessionOptions): Promise<RepairResult>;

  /**
   * Rolls the session back to a checkpoint; nothing stored is deleted. Rejects with an IntegrityError:
   * `checkpoint-missing`, `checkpoint-foreign`, or `checkpoint-mismatch` with both hashes.
   */
  rollback(session: Session, checkpointId: string, options?: RollbackOptions): Promise<RollbackResult>;

  /**
   * Resets the session: archives it, then continues with its system prompt and its last words as one text. Deletes its
   * checkpoints. Changes nothing when the archive cannot be written.
   */
  reset(session: Session, options?: ResetOptions): Promise<ResetResult>;

  /**
   * Completes the tool cycles that a crash interrupted; to be called after a start. A known result is put behind its
   * call; a call that had started is marked as one that may have run; a call that had not started leaves no trace. Each
   * call comes to the place where it was made, before messages that were appended since. A second call changes nothing.
   */
  recover(session: Session): Promise<RecoverResult>;

  /**
   * Makes an API call with the session's history. A history that cannot be sent is repaired first (`autoRepair`), or
   * the call is blocked and the repair is offered. A failed call is handled by the ladder of `handleError` and made
   * again in another form, at most twice, in the end with the last words alone; a form of the whole history is stored
   * when it was answered. The answer is not appended. Never rejects because of the call's own error. When the journal
   * cannot be used, the call is made without it (`warnings`), or `requireJournal` rejects with a JournalError.
   *
   * The messages that `call` receives can be sent as they are: those of a session in Anthropic's format break no rule
   * of its API, those in OpenClaw's format are prepared for OpenClaw's adapter of `options.api`. A program that builds
   * another request body from them passes that body to `gate.heal`, with `options.api` set. Rejects with an
   * IntegrityError `bad-api` for an unknown API, before any call is made.
   */
  guardCall<T, Sent = never>(session: Session, call: ApiCall<T, Sent>, options?: GuardOptions): Promise<GuardedCall<T>>;
}

/** Options of createSessionIntegrity. */
export interface SessionIntegrityOptions {
  /** Stores cycles, checkpoints and incidents; see `openJournal`. The caller closes it. */
  journal: Journal;
  config?: Partial<Layer0Config> | undefined;
  /** Called with every event (docs/operations.md lists them). Its errors are ignored. */
  onEvent?: ((event: IntegrityEvent) => void) | undefined;
  /** Writes the lines of `verbose`; to standard error by default. */
  log?: ((line: string) => void) | undefined;
}

/**
 * Creates a {@link SessionIntegrity}. Throws an IntegrityError `bad-config`.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { createSessionIntegrity, MemorySession, openJournal } from "openclaw-integrity/integrity";
 *
 * const journal = openJournal(":memory:");
 * const integrity = createSessionIntegrity({ journal, config: { checkpointRetention: 5 } });
 * const session = new MemorySession({ id: "example" });
 * await integrity.recover(session); // completes what a crash interrupted
 *
 * await session.append([{ role: "user", content: "What time is it?" }]);
 * // Stands in for a request to a provider.
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
export function createSessionIntegrity(options: SessionIntegrityOptions): SessionIntegrity {
  const { journal, config, onEvent, log = consoleLine } = options ?? {};
  assertJournal(journal);
  if (onEvent !== undefined) assertFunction("a function in `onEvent`", onEvent, "bad-config");
  assertFunction("a function in `log`", log, "bad-config");
  const resolved = resolveConfig(config);
  const core = new Core(journal, resolved, emitter({ ...(onEvent && { onEvent }), ...(resolved.verbose && { log }) }));
  /** Runs a change of a session in its turn. Rejects for arguments that cannot be used, before anything is done. */
  const inTurn = async <T>(name: string, session: Session, given: unknown, work: () => Promise<T>): Promise<T> => {
    assertSession(session);
    assertOptions(name, given);
    return core.inTurn(session, work);
  };
  return {
    validate: (session, given) => {
      assertSession(session);
      assertOptions("validate", given);
      return validate(core, session, given);
    },
    checkpoint: (session, operation) =>
      inTurn("checkpoint", session, undefined, () =>
        new JournalCheckpoints(core, session).create(session.id, operation),
      ),
    checkpoints: (session) => {
      assertSession(session);
      return new JournalCheckpoints(core, session);
    },
    executeToolCycle: async (session, toolUse, executor, given) => {
      assertSession(session);
      assertOptions("executeToolCycle", given);
      return executeToolCycle(core, session, toolUse, executor, given);
    },
    handleError: (session, error) => inTurn("handleError", session, undefined, () => handleError(core, session, error)),
    repair: (session, given) => inTurn("repair", session, given, () => repair(core, session, given)),
    rollback: (session, checkpointId, given) =>
      inTurn("rollback", session, given, () => rollback(core, session, checkpointId, given ?? {})),
    reset: (session, given) => inTurn("reset", session, given, () => reset(core, session, given)),
    recover: (session) => inTurn("recover", session, undefined, () => recover(core, session)),
    guardCall: async (session, call, given) => {
      assertSession(session);
      assertFunction("a function that makes the request: send(messages, gate)", call);
      assertOptions("guardCall", given);
      return guardCall(core, session, call, given);
    },
  };
}
