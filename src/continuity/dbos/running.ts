/** How long a workflow may be this executor's, by DBOS's record, before its body is called: DBOS needs milliseconds. */
const STRANDED_AFTER_MS = 5000;

/**
 * The workflows that this process executes, from the call of the body until the ledger has how it ended. DBOS takes a
 * workflow for an executor before it calls the body, and only logs what fails between the two: such a workflow stays
 * PENDING under an executor that lives, and nothing else would ever go on with it.
 */
export class RunningWorkflows {
  readonly #running = new Map<string, number>();
  /** When a workflow was first seen as this executor's without being executed, by the monotonic clock. */
  readonly #seen = new Map<string, number>();

  begun(workflowID: string): void {
    this.#running.set(workflowID, (this.#running.get(workflowID) ?? 0) + 1);
  }

  ended(workflowID: string): void {
    const stillRunning = (this.#running.get(workflowID) ?? 0) - 1;
    if (stillRunning > 0) this.#running.set(workflowID, stillRunning);
    else this.#running.delete(workflowID);
  }

  /** Returns those of this executor's pending workflows that it has not executed for too long. */
  stranded(pending: readonly string[], now = performance.now()): string[] {
    const idle = new Set(pending.filter((workflowID) => !this.#running.has(workflowID)));
    for (const workflowID of this.#seen.keys()) if (!idle.has(workflowID)) this.#seen.delete(workflowID);
    return [...idle].filter((workflowID) => {
      const since = this.#seen.get(workflowID);
      if (since === undefined) this.#seen.set(workflowID, now);
      return since !== undefined && now - since >= STRANDED_AFTER_MS;
    });
  }
}
