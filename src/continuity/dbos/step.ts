import { continuityError } from "../base/errors.ts";
import type { Continuity } from "../continuity.ts";
import type { RecordedResult } from "../steps/engine-steps.ts";
import type { Execution, StepOutcome } from "../steps/executor.ts";
import type { StepRequest } from "../steps/request.ts";
import { assertSameWorkflow, ownerName, type StepArguments, makeWorkflowId } from "./identity.ts";
import type { DbosSdk, DbosStartOptions } from "./sdk.ts";
import { hasFailed, settle } from "./settle.ts";

/** What the body of a step receives. */
export interface DbosExecution extends Omit<Execution, "fencing_token" | "signal"> {
  readonly project_id: string;
  /** Id of the DBOS workflow. */
  readonly workflowID: string;
}

/** The body of a step: that of a DBOS workflow. */
export type StepBody = (execution: DbosExecution) => Promise<unknown>;

/** A step that DBOS executes, or has executed. */
export interface DbosStepHandle {
  /** Id of the DBOS workflow; undefined when the ledger has the result already. */
  readonly workflowID: string | undefined;
  /** Waits for the result. Throws what the body threw, after the ledger has that it failed. */
  result(): Promise<StepOutcome>;
}

/** What a call does: nothing, because the step is completed, or start or join a DBOS workflow. */
type Plan = { readonly outcome: StepOutcome } | { readonly workflowID: string };

/**
 * The steps of one name, that DBOS executes. Made by `DbosEngine.step`.
 *
 * @example Not run: it needs a PostgreSQL server.
 * ```ts no-run
 * import { DBOS } from "@dbos-inc/dbos-sdk";
 * import { Continuity, openPostgresStore } from "openclaw-integrity/continuity";
 * import { type DbosStep, openDbosEngine } from "openclaw-integrity/continuity/dbos";
 *
 * const address = "postgres://app@localhost:5432/app";
 * const continuity = new Continuity({ store: await openPostgresStore({ connectionString: address }) });
 * const engine = await openDbosEngine({ continuity, DBOS });
 * const send: DbosStep = engine.step("send", async ({ input }) => DBOS.runStep(async () => `sent ${input}`));
 * DBOS.setConfig({ name: "invoices", systemDatabaseUrl: address });
 * await DBOS.launch();
 * await DBOS.registerQueue("mails", { globalConcurrency: 2, rateLimit: { limitPerPeriod: 50, periodSec: 60 } });
 * const request = { step_id: "send-17", step_type: "idempotent", input: 17 } as const;
 * const { result } = await send.run("invoices", request, { queueName: "mails" });
 * console.log(result); // "sent 17"
 * ```
 */
export class DbosStep {
  readonly #continuity: Continuity;
  readonly #sdk: DbosSdk;
  readonly #name: string;
  readonly #workflow: (given: StepArguments) => Promise<RecordedResult>;

  constructor(
    continuity: Continuity,
    sdk: DbosSdk,
    { name, workflow }: { readonly name: string; readonly workflow: (given: StepArguments) => Promise<RecordedResult> },
  ) {
    this.#continuity = continuity;
    this.#sdk = sdk;
    this.#name = name;
    this.#workflow = workflow;
  }

  /**
   * Executes a step once and returns its result: starts the DBOS workflow, or joins the one that was started before, by
   * any process. The ledger has the result when the promise is fulfilled. Throws as `Project.runStep` does, without the
   * errors of leases; throws what the body threw. A call after a failure runs the step again, under the rules of its
   * type.
   */
  async run(project_id: string, request: StepRequest, options: DbosStartOptions = {}): Promise<StepOutcome> {
    return (await this.start(project_id, request, options)).result();
  }

  /** Starts a step as {@link run} does, and does not wait for its result. */
  async start(project_id: string, request: StepRequest, options: DbosStartOptions = {}): Promise<DbosStepHandle> {
    const given = { project_id, request: recordedRequest(request) };
    const plan = await this.#recorded(() => this.#plan(given));
    if ("outcome" in plan) return { workflowID: undefined, result: async () => plan.outcome };
    const { workflowID } = plan;
    const handle = await this.#sdk.startWorkflow(this.#workflow, { ...options, workflowID })(given);
    return {
      workflowID,
      result: async () => {
        try {
          const done = await handle.getResult();
          return { ...((await this.#recorded(() => this.#settle(workflowID))) ?? done), executed: true };
        } catch (error) {
          await this.#recorded(() => this.#settle(workflowID)).catch(() => undefined);
          throw error;
        }
      },
    };
  }

  /** Runs work that depends on the ledger. Inside of a workflow it is a step, so that a replay goes the same way. */
  #recorded<T>(work: () => Promise<T>): Promise<T> {
    return this.#sdk.isInWorkflow() ? this.#sdk.runStep(work, { name: `${this.#name}:ledger` }) : work();
  }

  async #settle(workflowID: string): Promise<RecordedResult | null> {
    const status = await this.#sdk.getWorkflowStatus(workflowID);
    return (status && (await settle(this.#continuity, status))) ?? null;
  }

  /** Plans the run: behind one that failed the next, the same in every process, so that two calls start one of them. */
  async #plan(given: StepArguments): Promise<Plan> {
    const { project_id, request } = given;
    const { step_id } = request;
    const project = await this.#continuity.project(project_id);
    for (let run = 1; ; run++) {
      const workflowID = makeWorkflowId(project_id, step_id, run);
      const steps = project.engineSteps(ownerName(workflowID));
      const before = await steps.look(request);
      if (before?.status === "completed")
        return { outcome: { ...(await steps.result(before.step_id)), executed: false } };
      const status = await this.#sdk.getWorkflowStatus(workflowID);
      if (!status) {
        if (!before || !steps.isMine(before)) await steps.assertMayBegin(request);
        return { workflowID };
      }
      assertSameWorkflow(status, this.#name, given);
      if (!hasFailed(status)) return { workflowID };
      await settle(this.#continuity, status);
    }
  }
}

/**
 * Returns the request without fields that are undefined: it comes back from the database. Throws `bad-input` for the
 * times and retries of `runStep`, which would have no effect.
 */
function recordedRequest(request: StepRequest): StepRequest {
  const fields = Object.entries(request).filter(([, value]) => value !== undefined);
  const other = fields.find(([name]) => name === "timeoutMs" || name === "retries");
  if (other)
    throw continuityError("bad-input", {
      expected: "a request without timeoutMs and retries, which are DBOS's here",
      found: other[0],
      todo: "Pass timeoutMS as an option of run, and retriesAllowed to DBOS.runStep. Nothing was written.",
    });
  return Object.fromEntries(fields) as unknown as StepRequest;
}
