import { nameInline } from "../../base/quoted.ts";
import type { Author } from "../base/author.ts";
import { completeStep, failStep, startStep } from "../decide/steps.ts";
import type { Environment } from "../ledger/environment.ts";
import { continuityError } from "../base/errors.ts";
import { fromBackup } from "../base/from-backup.ts";
import { assertStorable, canonicalText, type Json } from "../base/json.ts";
import type { StepGuard } from "./lease.ts";
import { abandoned, assertKnown, assertSame, checked, type StepRequest } from "./request.ts";
import { type Recordable, recordable } from "./recordable.ts";
import { completionRow, loadResult, storeResult } from "./results.ts";
import { type Resolution, resolveAttempt } from "./resolution.ts";
import { isCounted, readStep, stepInLedger } from "./step-record.ts";
import { completeAtOnce, type Unrecorded } from "./unrecorded.ts";
import type { CompletedStepRow } from "../ledger/store.ts";
import type { LedgerEvent } from "../ledger/events.ts";
import type { Position } from "../ledger/position.ts";
import type { Workflow } from "../ledger/workflow.ts";

/** A step that was completed before, with its result, or the attempt that may be executed now. */
export type StepStart =
  | {
      readonly status: "completed";
      readonly step_id: string;
      readonly attempt_id: number;
      readonly result: Json;
      /** The result is a text that tells of a value which JSON cannot write. */
      readonly result_form?: "text";
      /** Author of the result; null in rows from before authors were recorded. */
      readonly author: Author | null;
    }
  | {
      readonly status: "run";
      readonly step_id: string;
      readonly attempt_id: number;
      readonly idempotency_key: string | null;
      /** Number of earlier attempts. */
      readonly earlier_attempts: number;
      /** The last one may have acted: it has no outcome, or it failed after it had begun to act. */
      readonly may_have_acted: boolean;
      /** Only with `recordBegin: false`: what {@link Steps.completeWith} records. */
      readonly unrecorded?: Unrecorded;
    };

/** One attempt of one step. */
export interface Attempt {
  readonly step_id: string;
  readonly attempt_id: number;
}

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

  constructor(environment: Environment, workflow: Workflow, project_id: string, author: Author) {
    this.#environment = environment;
    this.#workflow = workflow;
    this.#project_id = project_id;
    this.#author = author;
  }

  /**
   * Begins an attempt, or returns the result when the step was completed before: the ledger's events decide, and the
   * result is that which the event of the completion names. Throws `lease-expired`, `fenced`,
   * `idempotency-key-required`, `step-open`, `step-abandoned`, `step-mismatch` when an earlier attempt has another type,
   * key or input, and `damaged` when the stored rows differ from the events. With `refuseUnknown` also `step-unknown`, for
   * a non_idempotent step whose earlier attempt may have acted, unless the request says `repeat: "after-unknown"`.
   */
  async begin(
    lease: StepGuard,
    request: StepRequest,
    { refuseUnknown = false }: { readonly refuseUnknown?: boolean } = {},
  ): Promise<StepStart> {
    const whole = checked(request);
    const { input, ...step } = whole;
    const { store, objects, metrics } = this.#environment;
    const { workflow_id } = this.#workflow;
    const holder = holderOf(lease);
    const { task_id: _, ...columns } = step;
    let attempt_id = 0;
    let may_have_acted = false;
    let unrecorded: Unrecorded | undefined;
    const look = async ({ state, event_seq }: Pick<Position, "state" | "event_seq">): Promise<true | "stale"> => {
      if (!(await isCounted(this.#workflow, store, state))) return "stale";
      const record = await readStep(store, workflow_id, step.step_id, { event_seq, state });
      if (record === "stale") return "stale";
      if (record) assertSame(record, step);
      if (record?.completion) throw new Completed(record.completion, record.ended);
      if (record?.status === "abandoned") throw abandoned(record);
      lease.assertValid();
      may_have_acted = record?.status === "open" || record?.status === "unknown";
      if (record && refuseUnknown && request.repeat !== "after-unknown") assertKnown(record, lease);
      attempt_id = (record?.attempt.attempt_id ?? 0) + 1;
      return true;
    };
    try {
      if (request.recordBegin === false)
        unrecorded = await this.#workflow.look(async (position) => {
          const found = await look(position);
          return found === "stale" ? found : { step: whole, attempt_id, event_seq: position.event_seq };
        });
      else
        await this.#workflow.execute({
          content: { begin: step, ...holder },
          author: this.#author,
          about: step.task_id === null ? [] : [step.task_id],
          prepare: async ({ at, state, event_seq }) => {
            if ((await look({ state, event_seq })) === "stale") return "stale";
            return {
              attempt: { ...columns, workflow_id, attempt_id, started_at: at, fencing_token: lease.fencing_token },
            };
          },
          command: (state, moment) => startStep({ ...step, ...input, holder, attempt_id })(state, moment),
        });
    } catch (error) {
      if (!(error instanceof Completed)) throw error;
      metrics("idempotency_cache_hits", 1, { project_id: this.#project_id });
      return {
        status: "completed",
        step_id: step.step_id,
        attempt_id: error.step.attempt_id,
        author: error.ended?.author ?? authorOf(error.step),
        result: await loadResult(error.step, store, objects),
        ...(error.ended?.data["result_form"] === "text" ? { result_form: "text" } : {}),
      };
    }
    if (!unrecorded) await this.#assertStillValid(lease, { step_id: step.step_id, attempt_id });
    return {
      status: "run",
      step_id: step.step_id,
      attempt_id,
      idempotency_key: step.idempotency_key,
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
   * Throws `fenced` when another executor has the lease, `step-not-started` when the attempt is not open, and `bad-input`
   * before anything is written for a result that is not JSON.
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
      return { duplicate: !(await completeAtOnce(context, holderOf(lease), unrecorded, { content, form })) };
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
        command: completeStep({ holder: holderOf(lease), step_id, attempt_id }, reference),
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
   * did not happen, or that it is given up. For whoever found out, under any valid lease, not only that of the attempt; the
   * author and the reason are in the event. Throws `step-not-started`, `invalid-transition` for a step that is completed,
   * another attempt than the latest and an attempt that did not happen, `fenced` and `lease-expired`.
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
   * Records that an attempt failed, in one line; the step may begin again. With `mayHaveActed` a non_idempotent step stays
   * among the open steps.
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
      command: failStep({ holder: holderOf(lease), step_id, attempt_id }, line, options),
    });
  }
}

function authorOf({ author, step_id }: CompletedStepRow): Author | null {
  try {
    return author === null ? null : (JSON.parse(author) as Author);
  } catch {
    throw continuityError("damaged", {
      expected: `the row of the completed step ${nameInline(step_id)} to name the author who completed it`,
      found: "a text that is not JSON",
      todo: `The store was changed from outside. ${fromBackup()} Nothing was executed.`,
    });
  }
}

/** Ends begin() without an attempt: the step was completed before. */
class Completed extends Error {
  readonly step: CompletedStepRow;
  readonly ended: LedgerEvent | undefined;

  constructor(step: CompletedStepRow, ended: LedgerEvent | undefined) {
    super(`step ${nameInline(step.step_id)} was completed before`);
    this.step = step;
    this.ended = ended;
  }
}

function holderOf({ owner_id, fencing_token }: StepGuard): { owner_id: string; fencing_token: number } {
  return { owner_id, fencing_token };
}
