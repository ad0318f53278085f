import { activeWork, type ActiveWorkState } from "./work/active-work.ts";
import { assertAuthor, type Author } from "./base/author.ts";
import { updateCheckpoint } from "./decide/checkpoints.ts";
import type { Command } from "./decide/decision.ts";
import { createGoal, setGoalStatus } from "./decide/goals.ts";
import { addTask, blockTask, completeTask, pauseTask, startTask } from "./decide/tasks.ts";
import type { Environment } from "./ledger/environment.ts";
import { type LedgerEvent, readEvent } from "./ledger/events.ts";
import { checkInput, type Input, type OperationName } from "./steps/inputs.ts";
import { Lease, type LeaseOptions } from "./steps/lease.ts";
import type { NextStep, ProposalRequest } from "./work/next-step.ts";
import { type Execution, runStep, type StepExecutor } from "./steps/executor.ts";
import type { StepRequest } from "./steps/request.ts";
import { Steps } from "./steps/steps.ts";
import type { Checkpoint, Goal, Task, WorkState } from "./base/state.ts";
import type { WorkflowRow } from "./ledger/store.ts";
import { verifyWorkflow, type Verification, type VerifyOptions } from "./verify.ts";
import { Workflow } from "./ledger/workflow.ts";

const PAGE = 500;

/**
 * The work of one project; each operation has its API name in camel case. What a method returns is durably in the
 * ledger. Ids of other projects are not found. Every method throws a ContinuityError.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { Continuity, openSqliteStore, type Project } from "openclaw-integrity/continuity";
 *
 * const continuity = new Continuity({ store: openSqliteStore({ file: ":memory:" }) });
 * const site: Project = await continuity.project("site");
 * const { goal_id } = await site.createGoal({ text: "Move the site", priority: 5 });
 * const { task_id } = await site.addTask({ goal_id, title: "Tell the users", acceptance_criteria: ["mail is sent"] });
 * await site.startTask({ task_id });
 *
 * const lease = await site.acquireLease({ owner_id: "host-1:4711" });
 * const mail = { step_id: "mail", step_type: "non_idempotent", idempotency_key: "mail-1" } as const;
 * const send = async () => ({ sent: true }); // stands in for a side effect
 * assert.deepEqual(await site.runStep(lease, mail, send), { result: { sent: true }, executed: true });
 * assert.deepEqual(await site.runStep(lease, mail, send), { result: { sent: true }, executed: false });
 * await lease.release();
 *
 * await site.completeTask({ task_id, evidence: "mail-1" });
 * await site.setGoalStatus({ goal_id, status: "done" });
 * assert.equal((await site.getNextStep()).kind, "propose_tasks");
 * assert.deepEqual((await site.verify()).damages, []);
 * await continuity.close();
 * ```
 */
export class Project {
  readonly project_id: string;
  readonly workflow_id: string;
  /** Author of the commands, and reader of the answers. */
  readonly author: Author;
  /** Executes steps under a lease. */
  readonly steps: Steps;
  readonly #environment: Environment;
  readonly #workflow: Workflow;

  constructor(
    environment: Environment,
    row: Pick<WorkflowRow, "project_id" | "workflow_id">,
    workflow: Workflow,
    author: Author,
  ) {
    this.project_id = row.project_id;
    this.workflow_id = row.workflow_id;
    this.#environment = environment;
    this.author = author;
    this.#workflow = workflow;
    this.steps = new Steps(environment, workflow, row.project_id, author);
  }

  /** Returns the same project for another author, who is recorded in everything written through it. */
  as(author: Author): Project {
    assertAuthor(author);
    return new Project(this.#environment, this, this.#workflow, author);
  }

  /** `create_goal(text, priority)`. */
  async createGoal(input: Input<"create_goal">): Promise<Goal> {
    const fields = checkInput("create_goal", input);
    const { data, state } = await this.#run("create_goal", fields, createGoal(this.#environment.newId(), fields));
    return state.goals[String(data["goal_id"])]!;
  }

  /** `set_goal_status(goal_id, status)`: pauses, reactivates or closes a goal. */
  async setGoalStatus(input: Input<"set_goal_status">): Promise<Goal> {
    const fields = checkInput("set_goal_status", input);
    return (await this.#run("set_goal_status", fields, setGoalStatus(fields))).state.goals[fields.goal_id]!;
  }

  /** `add_task(goal_id, title, acceptance_criteria?)`. */
  async addTask(input: Input<"add_task">): Promise<Task> {
    const fields = checkInput("add_task", input);
    const { data, state } = await this.#run("add_task", fields, addTask(this.#environment.newId(), fields));
    return state.tasks[String(data["task_id"])]!;
  }

  /** `start_task(task_id)`: todo, blocked or done to doing. */
  startTask(input: Input<"start_task">): Promise<Task> {
    return this.#move("start_task", input, startTask);
  }

  /** `pause_task(task_id, reason?)`: doing or blocked to todo. */
  pauseTask(input: Input<"pause_task">): Promise<Task> {
    return this.#move("pause_task", input, pauseTask);
  }

  /** `block_task(task_id, blocker)`: doing to blocked. */
  blockTask(input: Input<"block_task">): Promise<Task> {
    return this.#move("block_task", input, blockTask);
  }

  /** `complete_task(task_id, evidence?)`: doing to done. */
  completeTask(input: Input<"complete_task">): Promise<Task> {
    return this.#move("complete_task", input, completeTask);
  }

  /** `update_checkpoint(task_id, where_we_left_off, next_step, context_refs[])`. */
  async updateCheckpoint(input: Input<"update_checkpoint">): Promise<Checkpoint> {
    const fields = checkInput("update_checkpoint", input);
    return (await this.#run("update_checkpoint", fields, updateCheckpoint(fields))).state.checkpoints[fields.task_id]!;
  }

  /**
   * `get_next_step(project_id)`: returns the next step by the policy of {@link nextStep}, with the steps that may have
   * run; the same state gives the same answer.
   */
  async getNextStep(): Promise<(NextStep | ProposalRequest) & Pick<ActiveWorkState, "open_steps">> {
    const { next, open_steps } = activeWork(await this.#workflow.state());
    return { ...next, open_steps };
  }

  /**
   * Returns the open work: goals, tasks, the resume handle of the active task, blockers, open steps and the next step.
   */
  async activeWork(): Promise<ActiveWorkState> {
    return activeWork(await this.#workflow.state());
  }

  /**
   * Returns the author of the first event; null for an event from before authors were recorded, undefined when there is
   * none.
   */
  async begunBy(): Promise<Author | null | undefined> {
    const [first] = await this.#environment.store.eventsAfter(this.workflow_id, 0, 1);
    return first && (readEvent(first, { event_seq: 0, checksum: null }).author ?? null);
  }

  /** Returns the whole state at the end of the ledger. */
  state(): Promise<WorkState> {
    return this.#workflow.state();
  }

  /** Acquires the lease under which steps are executed. Throws `lease-held`. */
  acquireLease(options: LeaseOptions): Promise<Lease> {
    return Lease.acquire({ environment: this.#environment, workflow: this.#workflow, author: this.author }, options);
  }

  /**
   * Executes a step at most once and returns its result, or the result of an earlier execution. The result may be any
   * value: what JSON.stringify writes of it is recorded and returned.
   */
  runStep(
    lease: Lease,
    request: StepRequest,
    execute: (execution: Execution) => Promise<unknown>,
  ): ReturnType<typeof runStep> {
    const executor: StepExecutor = { execute };
    return runStep(this.steps, lease, request, executor);
  }

  /** Iterates over the events after a position, oldest first; each is checked. */
  async *history({ after = 0 }: { readonly after?: number } = {}): AsyncGenerator<LedgerEvent> {
    const { store } = this.#environment;
    const [before] = after > 0 ? await store.eventsAfter(this.workflow_id, after - 1, 1) : [];
    let place: { event_seq: number; checksum: string | null } = {
      event_seq: after,
      checksum: before?.checksum ?? null,
    };
    for (;;) {
      const rows = await store.eventsAfter(this.workflow_id, place.event_seq, PAGE);
      for (const row of rows) {
        const event = readEvent(row, place);
        yield event;
        place = event;
      }
      if (rows.length < PAGE) return;
    }
  }

  /**
   * Checks every event, snapshot, attempt and result, the database itself, and that the ledger contains the event that the
   * store's anchor and `expect` name; changes nothing.
   */
  async verify(options: VerifyOptions = {}): Promise<Verification> {
    const { store, objects } = this.#environment;
    const { workflow_id, project_id } = this;
    // A removed project has no row.
    const none = { workflow_id, project_id, created_at: "", last_event_seq: 0, head_checksum: null };
    return verifyWorkflow(store, (await store.workflow(workflow_id)) ?? none, objects, options);
  }

  /** Drops all snapshots; the next one is made from the ledger. For a damaged snapshot of an undamaged ledger. */
  async rebuildSnapshots(): Promise<void> {
    await this.#environment.store.removeSnapshots(this.workflow_id);
    this.#workflow.forget();
  }

  async #move<Name extends "start_task" | "pause_task" | "block_task" | "complete_task">(
    name: Name,
    input: Input<Name>,
    command: (fields: Input<Name>) => Command,
  ): Promise<Task> {
    const fields = checkInput(name, input);
    return (await this.#run(name, fields, command(fields))).state.tasks[fields.task_id]!;
  }

  async #run(
    name: OperationName,
    { command_id, ...fields }: { readonly command_id?: string },
    command: Command,
  ): Promise<{ data: Readonly<Record<string, unknown>>; state: WorkState }> {
    const { event, state } = await this.#workflow.execute({
      command,
      author: this.author,
      content: { [name]: fields },
      command_id,
    });
    return { data: event.data, state };
  }
}
