import { nameInline } from "../../base/quoted.ts";
import type { Author } from "../base/author.ts";
import type { Claimant } from "../base/holder.ts";
import { assertNotHeld } from "../decide/claims.ts";
import { listAttempts, isOnce } from "../decide/open-attempts.ts";
import { completeStep, failStep, runningAttempt, startStep } from "../decide/steps.ts";
import type { Environment } from "../ledger/environment.ts";
import { assertStorable, canonicalText, type Json } from "../base/json.ts";
import type { OpenStep } from "../base/state.ts";
import { completedStart, unknownSince } from "./effect.ts";
import type { Attempt, StepStart } from "./attempt.ts";
import type { StepGuard } from "./lease.ts";
import { abandoned, assertSame, checked, type StepRequest } from "./request.ts";
import { type Recordable, recordable } from "./recordable.ts";
import { completionRow, loadResult, storeResult } from "./results.ts";
import { type Resolution, resolveAttempt } from "./resolution.ts";
import { isCounted, readEffect, stepInLedger } from "./step-record.ts";
import { completeAtOnce, type Unrecorded } from "./unrecorded.ts";
import type { Position } from "../ledger/position.ts";
import type { Workflow } from "../ledger/workflow.ts";

type Begun = Attempt & { readonly unrecorded?: Unrecorded };

const RESULT_TODO =
  "Pass what JSON.parse(JSON.stringify(result)) gives, or a text that tells of it: the step stays open until then. " +
  "Nothing was written.";

/**
 * The steps of one workflow: attempts, and results that are committed at most once.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { Continuity, openSqliteStore, type Steps } from "openclaw-integrity/continuity";
 *
 * const continuity = new Continuity({ store: openSqliteStore({ file: ":memory:" }) });
 * const site = await continuity.project("site");
 * const steps: Steps = site.steps; // site.runStep() makes these calls by itself
 * const lease = await site.acquireLease({ owner_id: "host-1:4711" });
 * const build = { step_id: "build", step_type: "idempotent", input: { commit: "4f2a" } } as const;
 *
 * const first = await steps.begin(lease, build);
 * assert.equal(first.status, "run");
 * await steps.fail(lease, first, "no room on the disk");
 *
 * const second = await steps.begin(lease, build);
 * assert.ok(second.status === "run" && second.earlier_attempts === 1);
 * await steps.complete(lease, second, { size: 4711 });
 *
 * const done = await steps.begin(lease, build);
 * assert.ok(done.status === "completed");
 * assert.deepEqual(done.result, { size: 4711 });
 * await continuity.close();
 * ```
 */
export class Steps {
  readonly #environment: Environment;
  readonly #workflow: Workflow;
  readonly #project_id: string;
  readonly #author: Author;
  readonly #claimant: Claimant;

  constructor(environment: Environment, workflow: Workflow, project_id: string, claimant: Claimant) {
    this.#environment = environment;
    this.#workflow = workflow;
    this.#project_id = project_id;
    this.#author = claimant.holder.author;
    this.#claimant = claimant;
  }

  /**
   * Begins an attempt, or returns the result when the step was completed before: the ledger's events decide, and the
   * result is that which the event of the completion names. A non_idempotent step of which an earlier attempt may have
   * acted is `open`, and begins only with `repeat: "after-unknown"`; so is one that may have happened between a copy
   * and its restoration, for which an attempt without an outcome is recorded. `step_id` of the answer is the name under
   * which the step was begun first. Throws `claim-held` for a step of a task that another agent holds, `lease-expired`,
   * `fenced`, `idempotency-key-required`, `step-open` while an attempt may be in execution, `step-abandoned`,
   * `step-mismatch` when an earlier attempt has another type, key or input, and `damaged` when the stored rows differ
   * from the events.
   */
  async begin(lease: StepGuard, request: StepRequest): Promise<StepStart> {
    const whole = checked(request);
    const { beside, task_id, ...given } = whole;
    const { store, metrics } = this.#environment;
    const { workflow_id } = this.#workflow;
    const holder = toHolder(lease);
    let step = given;
    let attempt_id = 0;
    let may_have_acted = false;
    let unknown_since: number | undefined;
    let not_begun = false;
    let unrecorded: Unrecorded | undefined;
    const look = async ({ state, event_seq }: Pick<Position, "state" | "event_seq">): Promise<true | "stale"> => {
      if (!(await isCounted(this.#workflow, store, state))) return "stale";
      const record = await readEffect(store, workflow_id, given, { event_seq, state });
      if (record === "stale") return "stale";
      if (record) assertSame(record, given);
      if (record?.completion) throw new Known(await completedStart(this.#environment, record));
      if (record?.status === "abandoned") throw abandoned(record);
      lease.assertValid();
      step = { ...given, step_id: record?.attempt.step_id ?? given.step_id };
      attempt_id = (record?.attempt.attempt_id ?? 0) + 1;
      may_have_acted = record !== undefined && record.open.length > 0;
      const mayRepeat = !isOnce(step) || request.repeat === "after-unknown";
      unknown_since = isOnce(step) ? unknownSince(state, record) : undefined;
      not_begun = unknown_since !== undefined && !mayRepeat && !may_have_acted;
      // What is in execution is refused when it begins again.
      if (may_have_acted && !mayRepeat && !runningAttempt(state, step.step_id, holder))
        throw new Known(openStart(record!.open));
      return true;
    };
    let open: readonly OpenStep[] = [];
    try {
      if (request.recordBegin === false)
        unrecorded = await this.#workflow.look(async (position) => {
          const found = await look(position);
          return found === "stale" ? found : { step: whole, attempt_id, event_seq: position.event_seq };
        });
      else {
        const { state: after } = await this.#workflow.execute({
          content: { begin: { ...given, task_id }, ...holder },
          author: this.#author,
          about: task_id === null ? [] : [task_id],
          prepare: async ({ at, state, event_seq }) => {
            if ((await look({ state, event_seq })) === "stale") return "stale";
            const { fencing_token } = lease;
            return { attempt: { ...step, workflow_id, attempt_id, started_at: at, fencing_token } };
          },
          isClaiming: task_id !== null,
          command: (state, moment) => {
            if (task_id !== null) assertNotHeld(state, task_id, this.#claimant, moment);
            const since = {
              ...(unknown_since === undefined ? {} : { unknown_since }),
              ...(not_begun ? ({ not_begun } as const) : {}),
            };
            return startStep({ ...step, ...beside, ...since, task_id, holder, attempt_id })(state, moment);
          },
        });
        open = listAttempts(after, step.step_id);
      }
    } catch (error) {
      if (!(error instanceof Known)) throw error;
      if (error.start.status === "completed") metrics("idempotency_cache_hits", 1, { project_id: this.#project_id });
      return error.start;
    }
    const { step_id, idempotency_key } = step;
    if (not_begun) return openStart(open);
    if (!unrecorded) await this.#assertStillValid(lease, { step_id, attempt_id });
    return {
      status: "run",
      step_id,
      attempt_id,
      idempotency_key,
      earlier_attempts: attempt_id - 1,
      may_have_acted,
      ...(unrecorded ? { unrecorded } : {}),
    };
  }

  /**
   * Throws `lease-expired` when the commit took longer than the lease holds, for instance in a suspended process:
   * another executor may have completed the step since.
   */
  async #assertStillValid(lease: StepGuard, attempt: Attempt): Promise<void> {
    try {
      lease.assertValid();
    } catch (error) {
      // While no other executor has the lease, the step can then begin again under it.
      await this.fail(
        lease,
        attempt,
        "the lease ended before the attempt was known to have begun; nothing was executed",
      ).catch(() => undefined);
      throw error;
    }
  }

  /**
   * Commits the result of an attempt, at most once per step. A repeated commit of the same attempt returns `duplicate`.
   * Throws `fenced` when another executor has the lease, `step-not-started` when the attempt is not open, and
   * `bad-input` before anything is written for a result that is not JSON.
   */
  async complete(lease: StepGuard, attempt: Begun, result: Json = null): Promise<{ readonly duplicate: boolean }> {
    assertStorable(result, `the result of step ${nameInline(attempt.step_id)}`, { todo: RESULT_TODO });
    return this.#complete(lease, attempt, { content: canonicalText(result), form: "json" });
  }

  /**
   * Commits whatever the body of a step returned, as {@link recordable} does, and returns what a later call gets: a
   * result that JSON cannot write is never refused after the act. `form` says that the result is such a text already.
   */
  async completeWith(
    lease: StepGuard,
    attempt: Begun,
    result: unknown,
    form?: "text",
  ): Promise<{ readonly result: Json; readonly result_form?: "text" }> {
    const { value, ...as } = recordable(result);
    const stored = { ...as, form: form ?? as.form };
    const { duplicate } = await this.#complete(lease, attempt, stored);
    if (duplicate && attempt.unrecorded) return await this.#completedBefore(attempt);
    return { result: value, ...(stored.form === "text" ? { result_form: "text" } : {}) };
  }

  /** Returns the result of a step that another call completed. */
  async #completedBefore({ step_id }: Attempt): Promise<{ readonly result: Json; readonly result_form?: "text" }> {
    const { store, objects } = this.#environment;
    const { workflow_id } = this.#workflow;
    const { completion, ended } = (await stepInLedger(store, workflow_id, step_id))!;
    const isText = ended?.data["result_form"] === "text";
    return { result: await loadResult(completion!, store, objects), ...(isText ? { result_form: "text" } : {}) };
  }

  async #complete(
    lease: StepGuard,
    { step_id, attempt_id, unrecorded }: Begun,
    { content, form }: Pick<Recordable, "content" | "form">,
  ): Promise<{ readonly duplicate: boolean }> {
    if (unrecorded) {
      const context = { environment: this.#environment, workflow: this.#workflow, author: this.#author };
      return { duplicate: !(await completeAtOnce(context, toHolder(lease), unrecorded, { content, form })) };
    }
    const { store, objects, snapshots, metrics } = this.#environment;
    const { workflow_id } = this.#workflow;
    const { row, ...stored } = await storeResult(content, workflow_id, {
      objects,
      inlineBytes: snapshots.inlineBytes,
    });
    const reference = { ...stored, ...(form === "text" ? { result_form: "text" as const } : {}) };
    try {
      await this.#workflow.execute({
        content: { complete: step_id, attempt_id, ...reference },
        author: this.#author,
        command: completeStep({ holder: toHolder(lease), step_id, attempt_id }, reference),
        prepare: async ({ at }) => ({
          completion: completionRow({ workflow_id, step_id, attempt_id }, reference, at),
          ...(row ? { result: row } : {}),
        }),
      });
      return { duplicate: false };
    } catch (error) {
      const done =
        (error as { code?: unknown }).code === "step-not-started"
          ? (await stepInLedger(store, workflow_id, step_id))?.completion
          : undefined;
      if (done?.attempt_id !== attempt_id || done.result_checksum !== reference.result_checksum) throw error;
      metrics("idempotency_cache_hits", 1, { project_id: this.#project_id });
      return { duplicate: true };
    }
  }

  /**
   * Records what became of an attempt that its executor did not complete: that it acted and with which result, that it
   * did not happen, or that it is given up. For whoever found out, under any valid lease, not only that of the attempt;
   * the author and the reason are in the event. Other attempts of the step stay as they are, unless it is completed.
   * Throws `step-not-started`, `invalid-transition` for a step that is completed and an attempt whose outcome is known,
   * `fenced` and `lease-expired`.
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { Continuity, isGone, openSqliteStore, processOwner } from "openclaw-integrity/continuity";
   *
   * const continuity = new Continuity({ store: openSqliteStore({ file: ":memory:" }) });
   * const site = await continuity.project("site");
   * const killed = await site.acquireLease({ owner_id: "killed" });
   * const mail = { step_id: "mail", step_type: "non_idempotent", idempotency_key: "mail-1" } as const;
   * const { attempt_id } = await site.steps.begin(killed, mail);
   *
   * const lease = await site.acquireLease({ owner_id: processOwner(), isGone, takeOverFrom: "killed" });
   * const send = async () => "sent";
   * await assert.rejects(site.runStep(lease, mail, send), { code: "step-unknown" });
   * await site.steps.resolve(lease, {
   *   step_id: "mail",
   *   attempt_id,
   *   outcome: "completed",
   *   reason: "it is in the folder of sent mails",
   *   result: "sent",
   * });
   * assert.deepEqual(await site.runStep(lease, mail, send), { result: "sent", executed: false });
   * await continuity.close();
   * ```
   */
  resolve(lease: StepGuard, resolution: Resolution): Promise<{ readonly duplicate: boolean }> {
    return resolveAttempt(this.#environment, this.#workflow, this.#author, lease, resolution);
  }

  /**
   * Records that an attempt failed, in one line; the step may begin again. With `mayHaveActed` a non_idempotent step
   * stays among the open steps.
   */
  async fail(
    lease: StepGuard,
    { step_id, attempt_id, unrecorded }: Begun,
    error: string,
    options: { readonly mayHaveActed?: boolean } = {},
  ): Promise<void> {
    // Nobody knows of the attempt, and it needs no end.
    if (unrecorded) return;
    const line = error.replaceAll("\u0000", "").slice(0, 1000).toWellFormed();
    await this.#workflow.execute({
      content: { fail: step_id, attempt_id, ...options },
      author: this.#author,
      command: failStep({ holder: toHolder(lease), step_id, attempt_id }, line, options),
    });
  }
}

function openStart(attempts: readonly OpenStep[]): StepStart {
  const { step_id, attempt_id } = attempts.at(-1)!;
  return { status: "open", step_id, attempt_id, attempts };
}

/** Ends begin() without an attempt: what the ledger knows is the answer. */
class Known extends Error {
  readonly start: StepStart;

  constructor(start: StepStart) {
    super(`step ${nameInline(start.step_id)} is ${start.status}`);
    this.start = start;
  }
}

function toHolder({ owner_id, fencing_token }: StepGuard): { owner_id: string; fencing_token: number } {
  return { owner_id, fencing_token };
}
