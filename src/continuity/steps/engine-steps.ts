import { valueInline } from "../../base/quoted.ts";
import type { Author } from "../base/author.ts";
import { continuityError } from "../base/errors.ts";
import type { Json } from "../base/json.ts";
import type { WorkState } from "../base/state.ts";
import type { Moment } from "../decide/decision.ts";
import { ENGINE_TOKEN } from "../decide/leases.ts";
import { type Environment, isoTime } from "../ledger/environment.ts";
import { finishedWork } from "../ledger/finished.ts";
import type { Workflow } from "../ledger/workflow.ts";
import type { StepGuard } from "./lease.ts";
import { isOnce } from "../decide/open-attempts.ts";
import { startStep } from "../decide/steps.ts";
import { abandoned, assertSame, type Checked, checked, type StepRequest, stepUnknown } from "./request.ts";
import { loadResult } from "./results.ts";
import { isCounted, readEffect, type StepRecord } from "./step-record.ts";
import type { Attempt, StepStart } from "./attempt.ts";
import type { Steps } from "./steps.ts";

/** What the ledger says about a step, for an engine. */
export interface StepView extends Attempt {
  readonly status: StepRecord["status"];
  /** Owner of the lease under which the attempt began, or the engine's execution. */
  readonly owner_id: string;
  readonly fencing_token: number;
}

/** A result as it was recorded before: its value, and whether that is a text which tells of the value. */
export interface RecordedResult {
  readonly result: Json;
  readonly result_form?: "text";
}

/** A step as the ledger has it, and the state and the moment of that. */
interface Reading {
  readonly record: StepRecord | undefined;
  readonly state: WorkState;
  readonly moment: Moment;
}

/**
 * The steps that an engine for durable execution guards: they need no lease, because the engine sees to it that one
 * execution at a time counts. `owner_id` names the execution and is in the events. A step that is open here is refused
 * to every lease, and a step that is open under a lease is refused here.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { Continuity, type EngineSteps, openSqliteStore } from "openclaw-integrity/continuity";
 *
 * const continuity = new Continuity({ store: openSqliteStore({ file: ":memory:" }) });
 * const site = await continuity.project("site");
 * const steps: EngineSteps = site.engineSteps("my-engine/run-17"); // the engine's own name of this execution
 * const request = { step_id: "build", step_type: "pure" } as const;
 * await steps.begin(request);
 * assert.ok(steps.isMine((await steps.look(request))!)); // after a crash: continue this attempt
 * // Once the engine itself has the result durably:
 * assert.deepEqual(await steps.complete(request, { result: { size: 4711 } }), { result: { size: 4711 } });
 * await continuity.close();
 * ```
 */
export class EngineSteps {
  readonly #environment: Environment;
  readonly #workflow: Workflow;
  readonly #author: Author;
  readonly #steps: Steps;
  readonly #guard: StepGuard;

  constructor(environment: Environment, workflow: Workflow, author: Author, steps: Steps, owner_id: string) {
    this.#environment = environment;
    this.#workflow = workflow;
    this.#author = author;
    this.#steps = steps;
    this.#guard = { owner_id, fencing_token: ENGINE_TOKEN, assertValid: () => undefined };
  }

  /** Begins an attempt as `Steps.begin` does. Throws `step-unknown` for a step that is `open` there. */
  async begin(request: StepRequest): Promise<Exclude<StepStart, { readonly status: "open" }>> {
    const start = await this.#steps.begin(this.#guard, request);
    if (start.status === "open") throw stepUnknown(start.attempts);
    return start;
  }

  /**
   * Returns what the ledger says about the latest attempt of that step; undefined when it was never begun. Throws
   * `step-mismatch` for another type, key or input, and `step-abandoned`. Writes nothing.
   */
  async look(request: StepRequest): Promise<StepView | undefined> {
    const { beside: _, ...step } = checked(request);
    const { record } = await this.#read(step);
    if (!record) return undefined;
    assertSame(record, step);
    if (record.status === "abandoned") throw abandoned(record);
    return toView(record);
  }

  /** Returns the latest attempt of a step, whatever it was begun with; undefined when it was never begun. */
  async find(step_id: string): Promise<StepView | undefined> {
    const { record } = await this.#read({ step_id, idempotency_key: null });
    return record && toView(record);
  }

  /**
   * Throws what `begin` would: `step-unknown` for a non_idempotent step whose earlier attempt may have acted, unless
   * the request says `repeat: "after-unknown"`, and `step-open` while another executor may have it open. Writes
   * nothing.
   */
  async assertMayBegin(request: StepRequest): Promise<void> {
    const { beside, ...step } = checked(request);
    const about = step.task_id === null ? [] : [step.task_id];
    const { record, state, moment } = await this.#read(step, about);
    const { step_id } = record?.attempt ?? step;
    startStep({ ...step, ...beside, step_id, holder: this.#guard, attempt_id: 0 })(state, moment);
    const open = isOnce(step) && request.repeat !== "after-unknown" ? (record?.open ?? []) : [];
    if (open.length > 0) throw stepUnknown(open);
  }

  /** Returns the result of a step that was completed. Writes nothing. Throws `step-not-started` when it was not. */
  async result(step_id: string): Promise<RecordedResult> {
    const { store, objects } = this.#environment;
    const { record } = await this.#read({ step_id, idempotency_key: null });
    if (!record?.completion)
      throw continuityError("step-not-started", {
        expected: `a result of step ${valueInline(step_id)}`,
        found: record ? `the status ${record.status}` : "no such step",
        todo: "Execute the step first.",
      });
    const result = await loadResult(record.completion, store, objects);
    return { result, ...(record.ended?.data["result_form"] === "text" ? { result_form: "text" } : {}) };
  }

  /**
   * Records the result that the engine has recorded, whatever the ledger says by now: an open attempt of this execution
   * is completed, one that is not known to have acted or was given up is resolved, and one that ended without effect
   * begins again. A step that was completed before keeps its result. Returns the result that counts. Throws `step-open`
   * while another executor has the step open.
   */
  async complete(request: StepRequest, done: RecordedResult): Promise<RecordedResult> {
    const { record } = await this.#read(checked(request));
    const attempt = record && toView(record);
    const step_id = attempt?.step_id ?? request.step_id;
    if (attempt?.status === "completed") return this.result(step_id);
    if (attempt?.status === "unknown" || attempt?.status === "abandoned") {
      const reason = `${this.#guard.owner_id} has completed it`.slice(0, 1000);
      const { attempt_id } = record!.open.at(-1)!;
      await this.#steps.resolve(this.#guard, {
        step_id,
        attempt_id,
        outcome: "completed",
        reason,
        result: done.result,
      });
      return this.result(step_id);
    }
    const ownAttempt =
      attempt && this.isMine(attempt) ? attempt : await this.begin({ ...request, repeat: "after-unknown" });
    if (ownAttempt.status === "completed") return this.result(step_id);
    await this.#steps.completeWith(this.#guard, ownAttempt, done.result, done.result_form);
    return done;
  }

  /** Records that the open attempt of this execution failed, and may have acted. Does nothing when there is none. */
  async fail(request: StepRequest, error: string): Promise<void> {
    const { record } = await this.#read(checked(request));
    const attempt = record && toView(record);
    if (attempt && this.isMine(attempt)) await this.#steps.fail(this.#guard, attempt, error, { mayHaveActed: true });
  }

  /** Returns whether an attempt is open and belongs to this execution. */
  isMine({ status, owner_id, fencing_token }: StepView): boolean {
    return status === "open" && fencing_token === ENGINE_TOKEN && owner_id === this.#guard.owner_id;
  }

  #read(
    step: Pick<Checked, "step_id" | "idempotency_key"> & Partial<Pick<Checked, "step_type">>,
    about: readonly string[] = [],
  ): Promise<Reading> {
    const { store } = this.#environment;
    return this.#workflow.look(async (position) => {
      const { state, event_seq } = position;
      if (!(await isCounted(this.#workflow, store, state))) return "stale";
      const record = await readEffect(store, this.#workflow.workflow_id, step, { event_seq, state });
      const finished = await finishedWork(store, position, about);
      if (record === "stale" || finished === "stale") return "stale";
      const clock = this.#environment.now();
      const moment = { seq: event_seq + 1, at: isoTime(clock), author: this.#author, finished, clock };
      return { record, state, moment };
    });
  }
}

function toView({ attempt, started, status }: StepRecord): StepView {
  const { step_id, attempt_id, fencing_token } = attempt;
  return { step_id, attempt_id, fencing_token, status, owner_id: String(started.data["owner_id"]) };
}
