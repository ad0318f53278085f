import { AsyncLocalStorage } from "node:async_hooks";
import { nameInline } from "../../base/quoted.ts";
import { continuityError } from "../base/errors.ts";
import type { Continuity } from "../continuity.ts";
import type { EngineSteps, RecordedResult } from "../steps/engine-steps.ts";
import { recordable } from "../steps/recordable.ts";
import { beginOrContinue } from "./begin.ts";
import { ownerName, type StepArguments, workflowOfOwner } from "./identity.ts";
import { RunningWorkflows } from "./running.ts";
import type { DbosSdk, DbosStatus } from "./sdk.ts";
import { settle, settleSoon } from "./settle.ts";
import { DbosStep, type StepBody } from "./step.ts";

/** What a recovery did. */
export interface DbosRecovery {
  /** Ids of DBOS workflows that nobody executed any more, which any host goes on with now. */
  readonly resumed: readonly string[];
  /** Number of steps that were open in the ledger, and whose DBOS workflow has ended. */
  readonly settled: number;
  /** Why a step could not be settled; it stays open, and the next recovery tries again. */
  readonly refused: readonly { readonly workflowID: string; readonly error: unknown }[];
}

const PREFIX = "continuity/";

/**
 * The steps of a ledger that DBOS Transact executes. Made by `openDbosEngine`.
 *
 * @example Not run: it needs a PostgreSQL server.
 * ```ts no-run
 * import { DBOS } from "@dbos-inc/dbos-sdk";
 * import { Continuity, isGone, openPostgresStore } from "openclaw-integrity/continuity";
 * import { type DbosEngine, openDbosEngine } from "openclaw-integrity/continuity/dbos";
 *
 * const address = "postgres://app@localhost:5432/app";
 * const continuity = new Continuity({ store: await openPostgresStore({ connectionString: address }) });
 * const engine: DbosEngine = await openDbosEngine({ continuity, DBOS });
 * const send = engine.step("send", ({ input }) => DBOS.runStep(async () => `sent ${input}`, { name: "send" }));
 * DBOS.setConfig({ name: "invoices", systemDatabaseUrl: address });
 * await DBOS.launch();
 * const { resumed, settled, refused } = await engine.recover({ isGone });
 * console.log(resumed, settled, refused, send);
 * ```
 */
export class DbosEngine {
  readonly #continuity: Continuity;
  readonly #sdk: DbosSdk;
  readonly #names = new Set<string>();
  readonly #settling = new Set<Promise<void>>();
  readonly #running = new RunningWorkflows();
  #recovery: Promise<unknown> = Promise.resolve();
  /** Leaves the workflow that calls: what runs there is no step of it. */
  readonly #outside = AsyncLocalStorage.snapshot();

  constructor(continuity: Continuity, sdk: DbosSdk) {
    this.#continuity = continuity;
    this.#sdk = sdk;
  }

  /**
   * Registers the body of steps under a name, as a DBOS workflow `continuity/<name>`. Before `DBOS.launch()`, in every
   * process that may execute or recover them, under the same name. The body is the body of a DBOS workflow: effects
   * belong into `DBOS.runStep`, waiting into `DBOS.sleep`. It may return any value, which is recorded as `runStep`
   * records it.
   */
  step(name: string, body: StepBody): DbosStep {
    if (typeof name !== "string" || name.trim() === "" || this.#names.has(PREFIX + name))
      throw continuityError("bad-input", {
        expected: "a name of steps that is not registered yet",
        found: nameInline(String(name)),
        todo: "Register each body once, under a name of its own. Nothing was registered.",
      });
    const registered = this.#sdk.registerWorkflow((given: StepArguments) => this.#execute(given, body), {
      name: PREFIX + name,
    });
    this.#names.add(PREFIX + name);
    return new DbosStep(this.#continuity, this.#sdk, { name: PREFIX + name, workflow: registered });
  }

  /**
   * Goes on with what dead processes left: resumes the DBOS workflows of executors that are gone, and those of this one
   * that DBOS took and never began, and records in the ledger how ended workflows ended. After `DBOS.launch()`, and
   * then every minute or so, in any process. By default no executor counts as gone; with `executorID: processOwner()`
   * in DBOS's configuration, `isGone` knows it for processes of this machine. DBOS counts the recoveries of a resumed
   * workflow from 0 again. Calls of one process run one after the other.
   */
  recover({
    isGone = () => false,
    projects,
  }: {
    readonly isGone?: (executorID: string) => boolean;
    readonly projects?: readonly string[];
  } = {}): Promise<DbosRecovery> {
    // Two at once would resume what the other one has just resumed, and so execute it twice.
    const recovered = this.#recovery.then(() => this.#recover(isGone, projects));
    this.#recovery = recovered.catch(() => undefined);
    return recovered;
  }

  async #recover(
    isGone: (executorID: string) => boolean,
    projects: readonly string[] | undefined,
  ): Promise<DbosRecovery> {
    const resumed = await this.#resume(isGone);
    const refused: { workflowID: string; error: unknown }[] = [];
    let settled = 0;
    for (const workflowID of await this.#openWorkflows(projects ?? (await this.#continuity.projects()))) {
      try {
        const status = await this.#sdk.getWorkflowStatus(workflowID);
        if (!status || status.status === "PENDING" || status.status === "ENQUEUED" || status.status === "DELAYED")
          continue;
        await settle(this.#continuity, status);
        settled++;
      } catch (error) {
        refused.push({ workflowID, error });
      }
    }
    return { resumed, settled, refused };
  }

  /** Waits until the ledger has what this process has executed. Before `DBOS.shutdown()`. Never throws. */
  async settled(): Promise<void> {
    await Promise.all(this.#settling);
  }

  async #resume(isGone: (executorID: string) => boolean): Promise<string[]> {
    if (this.#names.size === 0) return [];
    const mine = this.#sdk.executorID;
    const isLeft = ({ executorId }: DbosStatus): boolean =>
      executorId !== undefined && executorId !== mine && isGone(executorId);
    const pending = await this.#sdk.listWorkflows({ status: "PENDING", workflowName: [...this.#names] });
    const stranded = new Set(
      this.#running.stranded(
        pending.filter(({ executorId }) => executorId === mine).map(({ workflowID }) => workflowID),
      ),
    );
    const resumed: string[] = [];
    for (const listed of pending) {
      const { workflowID } = listed;
      if (!stranded.has(workflowID) && !isLeft(listed)) continue;
      // Another host may have resumed the workflow since the list was read: what is in progress there is left alone.
      const status = await this.#sdk.getWorkflowStatus(workflowID);
      if (status?.status !== "PENDING" || status.executorId !== listed.executorId) continue;
      await this.#sdk.resumeWorkflow(workflowID);
      resumed.push(workflowID);
    }
    return resumed;
  }

  async #openWorkflows(projects: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    for (const project_id of projects) {
      const project = await this.#continuity.find(project_id);
      for (const step_id of Object.keys((await project?.state())?.open_steps ?? {})) {
        const attempt = await project?.engineSteps("").find(step_id);
        const workflowID = attempt?.status === "open" ? workflowOfOwner(attempt.owner_id) : undefined;
        if (workflowID !== undefined) found.push(workflowID);
      }
    }
    return found;
  }

  async #execute({ project_id, request }: StepArguments, body: StepBody): Promise<RecordedResult> {
    const workflowID = String(this.#sdk.workflowID);
    this.#running.begun(workflowID);
    try {
      const open = async (): Promise<EngineSteps> =>
        (await this.#continuity.project(project_id)).engineSteps(ownerName(workflowID));
      const begun = await beginOrContinue(open, request);
      if ("done" in begun) return begun.done;
      const { step_id, idempotency_key = null, input = null } = request;
      const { attempt_id, earlier_attempts } = begun;
      const { value, form } = recordable(
        await body({ project_id, step_id, attempt_id, earlier_attempts, idempotency_key, input, workflowID }),
      );
      return { result: value, ...(form === "text" ? { result_form: form } : {}) };
    } finally {
      this.#outside(() => this.#settleLater(workflowID));
    }
  }

  #settleLater(workflowID: string): void {
    // What fails here is settled by the next call of the step, or by recover().
    const done: Promise<void> = settleSoon(this.#sdk, this.#continuity, workflowID)
      .catch(() => undefined)
      .finally(() => {
        this.#settling.delete(done);
        this.#running.ended(workflowID);
      });
    this.#settling.add(done);
  }
}
