import { nameInline, valueInline } from "../../base/quoted.ts";
import type { Author } from "../base/author.ts";
import { completeStep, failStep, startStep } from "../decide/steps.ts";
import type { Environment } from "../ledger/environment.ts";
import { continuityError } from "../base/errors.ts";
import { assertStorable, canonicalText, isRefusedKey, type Json, sha256 } from "../base/json.ts";
import type { Lease } from "./lease.ts";
import { type Recordable, recordable } from "./recordable.ts";
import { loadResult, storeResult } from "./results.ts";
import { completionInLedger, isCounted, readStep } from "./step-record.ts";
import type { StepType } from "../base/state.ts";
import type { CompletedStepRow, StepAttemptRow } from "../ledger/store.ts";
import type { LedgerEvent } from "../ledger/events.ts";
import type { Workflow } from "../ledger/workflow.ts";

/** A step to be executed under a lease. */
export interface StepRequest {
  /** Identifies the step, also after a restart. 1 to 100 characters. */
  readonly step_id: string;
  /**
   * What a repetition does: the step only computes (`pure`), can be repeated without harm (`idempotent`), or must never
   * happen twice (`non_idempotent`).
   */
  readonly step_type: StepType;
  /** The key by which the outside system recognises a repetition; required for `non_idempotent`. */
  readonly idempotency_key?: string | undefined;
  /** The input; the same step has the same input. */
  readonly input?: Json | undefined;
  readonly task_id?: string | undefined;
}

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
      /** Number of earlier attempts; the last one may have acted, unless its failure was recorded. */
      readonly earlier_attempts: number;
    };

/** One attempt of one step. */
export interface Attempt {
  readonly step_id: string;
  readonly attempt_id: number;
}

const RESULT_TODO =
  "Pass what JSON.parse(JSON.stringify(result)) gives, or a text that tells of it: the step stays open until then. " +
  "Nothing was written.";
const TYPES: readonly StepType[] = ["pure", "idempotent", "non_idempotent"];

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
   * `idempotency-key-required`, `step-open`, `step-mismatch` when an earlier attempt has another type, key or input, and
   * `damaged` when the stored rows differ from the events.
   */
  async begin(lease: Lease, request: StepRequest): Promise<StepStart> {
    const step = checked(request);
    const { store, objects, metrics } = this.#environment;
    const { workflow_id } = this.#workflow;
    const holder = holderOf(lease);
    const { task_id: _, ...columns } = step;
    let attempt_id = 0;
    try {
      await this.#workflow.execute({
        content: { begin: step, ...holder },
        author: this.#author,
        prepare: async ({ at, state, event_seq }) => {
          if (!(await isCounted(this.#workflow, store, state))) return "stale";
          const record = await readStep(store, workflow_id, step.step_id, { event_seq, state });
          if (record === "stale") return "stale";
          if (record) assertSame(record.attempt, step);
          if (record?.completion) throw new Completed(record.completion, record.ended);
          lease.assertValid();
          attempt_id = (record?.attempt.attempt_id ?? 0) + 1;
          return {
            attempt: { ...columns, workflow_id, attempt_id, started_at: at, fencing_token: lease.fencing_token },
          };
        },
        command: (state, moment) => startStep({ ...step, holder, attempt_id })(state, moment),
      });
    } catch (error) {
      if (!(error instanceof Completed)) throw error;
      metrics("idempotency_cache_hits", 1, { project_id: this.#project_id });
      return {
        status: "completed",
        step_id: step.step_id,
        attempt_id: error.step.attempt_id,
        author: authorOf(error.step),
        result: await loadResult(error.step, store, objects),
        ...(error.form === "text" ? { result_form: "text" } : {}),
      };
    }
    await this.#assertStillValid(lease, { step_id: step.step_id, attempt_id });
    return {
      status: "run",
      step_id: step.step_id,
      attempt_id,
      idempotency_key: step.idempotency_key,
      earlier_attempts: attempt_id - 1,
    };
  }

  /**
   * Throws `lease-expired` when the commit took longer than the lease holds, for instance in a suspended process:
   * another executor may have completed the step since.
   */
  async #assertStillValid(lease: Lease, attempt: Attempt): Promise<void> {
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
  async complete(lease: Lease, attempt: Attempt, result: Json = null): Promise<{ readonly duplicate: boolean }> {
    assertStorable(result, `the result of step ${nameInline(attempt.step_id)}`, { todo: RESULT_TODO });
    return this.#complete(lease, attempt, { content: canonicalText(result), form: "json" });
  }

  /**
   * Commits whatever the body of a step returned, as {@link recordable} does, and returns what a later call gets: a
   * result that JSON cannot write is never refused after the act.
   */
  async completeWith(
    lease: Lease,
    attempt: Attempt,
    result: unknown,
  ): Promise<{ readonly result: Json; readonly result_form?: "text" }> {
    const { value, ...stored } = recordable(result);
    await this.#complete(lease, attempt, stored);
    return { result: value, ...(stored.form === "text" ? { result_form: "text" } : {}) };
  }

  async #complete(
    lease: Lease,
    { step_id, attempt_id }: Attempt,
    { content, form }: Pick<Recordable, "content" | "form">,
  ): Promise<{ readonly duplicate: boolean }> {
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
          completion: {
            workflow_id,
            step_id,
            attempt_id,
            completed_at: at,
            result_snapshot_ref: reference.result_ref,
            result_checksum: reference.result_checksum,
            author: canonicalText(this.#author),
          },
          ...(row ? { result: row } : {}),
        }),
      });
      return { duplicate: false };
    } catch (error) {
      const done =
        (error as { code?: unknown }).code === "step-not-started"
          ? await completionInLedger(store, workflow_id, step_id)
          : undefined;
      if (done?.attempt_id !== attempt_id || done.result_checksum !== reference.result_checksum) throw error;
      metrics("idempotency_cache_hits", 1, { project_id: this.#project_id });
      return { duplicate: true };
    }
  }

  /** Records that an attempt failed, in one line; the step may begin again. */
  async fail(lease: Lease, { step_id, attempt_id }: Attempt, error: string): Promise<void> {
    const line = error.replaceAll("\u0000", "").slice(0, 1000).toWellFormed();
    await this.#workflow.execute({
      content: { fail: step_id, attempt_id },
      author: this.#author,
      command: failStep({ holder: holderOf(lease), step_id, attempt_id }, line),
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
      todo: "The store was changed from outside: restore it from a backup. Nothing was executed.",
    });
  }
}

/** Ends begin() without an attempt: the step was completed before. */
class Completed extends Error {
  readonly step: CompletedStepRow;
  readonly form: unknown;

  constructor(step: CompletedStepRow, event: LedgerEvent | undefined) {
    super(`step ${nameInline(step.step_id)} was completed before`);
    this.step = step;
    this.form = event?.data["result_form"];
  }
}

type Checked = Pick<StepAttemptRow, "step_id" | "idempotency_key" | "input_checksum"> & {
  readonly step_type: StepType;
  readonly task_id: string | null;
};

function checked({ step_id, step_type, idempotency_key, input = null, task_id }: StepRequest): Checked {
  for (const [name, text, longest] of [
    ["step_id", step_id, 100],
    ["idempotency_key", idempotency_key ?? "-", 500],
  ] as const) {
    if (typeof text !== "string" || text === "" || text.length > longest)
      refuse(`a ${name} of 1 to ${longest} characters`, valueInline(text));
    assertStorable(text, name);
  }
  if (isRefusedKey(step_id)) refuse("a step_id other than __proto__, constructor and prototype", nameInline(step_id));
  if (!TYPES.includes(step_type)) refuse(`a step_type of ${TYPES.join(", ")}`, valueInline(step_type));
  if (step_type === "non_idempotent" && idempotency_key === undefined) {
    throw continuityError("idempotency-key-required", {
      expected: `an idempotency_key for step ${nameInline(step_id)}, because its side effect must not happen twice`,
      found: "none",
      todo: "Pass the key by which the outside system recognises a repetition; without such a system the step cannot be made safe. Nothing was written.",
    });
  }
  assertStorable(input, `the input of step ${nameInline(step_id)}`);
  return {
    step_id,
    step_type,
    idempotency_key: idempotency_key ?? null,
    input_checksum: sha256(canonicalText(input)),
    task_id: task_id ?? null,
  };
}

function refuse(expected: string, found: string): never {
  throw continuityError("bad-input", { expected, found, todo: "Nothing was written." });
}

function assertSame(earlier: StepAttemptRow, now: Checked): void {
  for (const name of ["step_type", "idempotency_key", "input_checksum"] as const) {
    if (earlier[name] === now[name]) continue;
    throw continuityError("step-mismatch", {
      expected:
        `step ${nameInline(now.step_id)} to have the ${name} ${nameInline(earlier[name] ?? "none")} of its attempt ` +
        `${earlier.attempt_id}`,
      found: nameInline(now[name] ?? "none"),
      todo: "Use another step_id for another step. Nothing was written.",
    });
  }
}

function holderOf({ owner_id, fencing_token }: Lease): { owner_id: string; fencing_token: number } {
  return { owner_id, fencing_token };
}
