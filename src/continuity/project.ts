import { nameInline } from "../base/quoted.ts";
import { activeWork, type ActiveWorkState } from "./work/active-work.ts";
import { assertAuthor, type Author } from "./base/author.ts";
import { type Claimant, UNUSED_MS } from "./base/holder.ts";
import { updateCheckpoint } from "./decide/checkpoints.ts";
import { confirmCopy } from "./decide/copies.ts";
import type { Command } from "./decide/decision.ts";
import type { FinishedWork, LastForm } from "./decide/finished.ts";
import { dropTask } from "./decide/dropping.ts";
import { editGoal, editTask } from "./decide/edits.ts";
import { createGoal, endGoal, ensureGoal, leftTask, setGoalStatus } from "./decide/goals.ts";
import { addTask, blockTask, completeTask, ensureTask, failTask, pauseTask, startTask } from "./decide/tasks.ts";
import { claiming, giveClaim, renewable, renewClaims, tellEnds, type ToldEnd, untoldEnds } from "./decide/claims.ts";
import { Unchanged } from "./decide/unchanged.ts";
import { assertOnlyEnd, OverDoing, updateGoal, updateTask } from "./decide/updates.ts";
import { continuityError } from "./base/errors.ts";
import { type Environment, storeTime } from "./ledger/environment.ts";
import { type LedgerEvent, readEvent, readLoneEvent } from "./ledger/events.ts";
import type { Input, OperationName } from "./steps/input-types.ts";
import { checkInput } from "./steps/inputs.ts";
import { EngineSteps } from "./steps/engine-steps.ts";
import { Lease, type LeaseOptions } from "./steps/lease.ts";
import { recentEvents } from "./ledger/recent.ts";
import { readTaskEnd, goneTask, isNotFound } from "./work/ended.ts";
import type { NextStep, ProposalRequest } from "./work/next-step.ts";
import { type Execution, runStep, type StepExecutor } from "./steps/executor.ts";
import type { RunRequest } from "./steps/run-request.ts";
import { type Effect, lookUpEffect } from "./steps/effect.ts";
import { Steps } from "./steps/steps.ts";
import type { Checkpoint, Goal, Holder, Task, TaskStatus, WorkState } from "./base/state.ts";
import type { LeaseRow, WorkflowRow } from "./ledger/store.ts";
import { verifyWorkflow, type Verification, type VerifyOptions } from "./verify.ts";
import { type CommandOutcome, Workflow } from "./ledger/workflow.ts";

const PAGE = 500;
/** How often an update starts its task, which others change meanwhile. */
const MAX_STARTS = 20;

/** What a command came to, for the goal or task with that id; no event when nothing was written. */
interface Done {
  readonly id: string;
  readonly event: LedgerEvent | undefined;
  readonly state: WorkState;
}

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
  readonly #claimant: Claimant;
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
    const { session = null, unusedMs = UNUSED_MS, isGone = () => false } = environment.claims;
    this.#claimant = { holder: { author, session: author.entry === "cli" ? null : session }, unusedMs, isGone };
    this.steps = new Steps(environment, workflow, row.project_id, this.#claimant);
  }

  /** Returns the same project for another author, who is recorded in everything written through it. */
  as(author: Author): Project {
    assertAuthor(author);
    return new Project(this.#environment, this, this.#workflow, author);
  }

  /** `create_goal(text, priority)`. */
  async createGoal(input: Input<"create_goal">): Promise<Goal> {
    const fields = checkInput("create_goal", input);
    const id = this.#environment.newId();
    const { event, state } = await this.#run("create_goal", fields, createGoal(id, fields));
    return this.#goal({ id: String(event.data["goal_id"]), event, state });
  }

  /** `set_goal_status(goal_id, status)`: pauses, reactivates or closes a goal. */
  async setGoalStatus(input: Input<"set_goal_status">): Promise<Goal> {
    const fields = checkInput("set_goal_status", input);
    const { goal_id } = fields;
    const { event, state } = await this.#run("set_goal_status", fields, setGoalStatus(fields), [goal_id]);
    return this.#goal({ id: goal_id, event, state });
  }

  /**
   * `end_goal(goal_id, status, reason)`: drops a goal, or says that it has failed, and drops its open tasks by one
   * event each. A call that was cut off in between is completed by its repetition; none of the tasks can start
   * meanwhile. Throws `claim-held` and `dependencies-open` before anything is written. `already` when the goal had that
   * status.
   */
  async endGoal(
    input: Input<"end_goal">,
  ): Promise<{ readonly goal: Goal; readonly already: boolean; readonly dropped: readonly string[] }> {
    const fields = checkInput("end_goal", input);
    const { goal_id, reason } = fields;
    const done = await this.#ensured("end_goal", fields, endGoal(fields, this.#claimant), [goal_id]);
    const dropped: string[] = [];
    // None of a goal that was made active again since: its first end was delivered twice.
    for (let task = leftTask(await this.state(), goal_id); task; task = leftTask(await this.state(), goal_id)) {
      await this.dropTask({ task_id: task.task_id, reason });
      dropped.push(task.task_id);
    }
    return { goal: await this.#goal({ ...done, id: goal_id }), already: done.already, dropped };
  }

  /** Creates a goal, unless one that is not done has the same text: then that one is returned, as `already`. */
  async ensureGoal(input: Input<"create_goal">): Promise<{ readonly goal: Goal; readonly already: boolean }> {
    const fields = checkInput("create_goal", input);
    const done = await this.#ensured("create_goal", fields, ensureGoal(this.#environment.newId(), fields));
    return { goal: await this.#goal(done), already: done.already };
  }

  /** `edit_goal(goal_id, text?, priority?)`: other words become the editor's. Throws when nothing would change. */
  async editGoal(input: Input<"edit_goal">): Promise<Goal> {
    const fields = checkInput("edit_goal", input);
    const { goal_id: id } = fields;
    return this.#goal({ id, ...(await this.#run("edit_goal", fields, editGoal(fields), [id])) });
  }

  /**
   * Status, text and priority of a goal in one event; `already` when all of it is recorded. `dropped` and `failed` end
   * it as {@link endGoal} does.
   */
  async updateGoal(
    input: Input<"update_goal">,
  ): Promise<{ readonly goal: Goal; readonly already: boolean; readonly dropped?: readonly string[] }> {
    const { why, ...fields } = checkInput("update_goal", input);
    const { goal_id, status, command_id, ...words } = fields;
    if (status === "dropped" || status === "failed") {
      assertOnlyEnd(status, why, words);
      return this.endGoal({ goal_id, status, reason: why!, ...(command_id === undefined ? {} : { command_id }) });
    }
    const done = await this.#ensured("update_goal", fields, updateGoal({ ...words, goal_id, status }), [goal_id]);
    return { goal: await this.#goal(done), already: done.already };
  }

  /** `add_task(goal_id, title, acceptance_criteria?)`. */
  async addTask(input: Input<"add_task">): Promise<Task> {
    const fields = checkInput("add_task", input);
    const about = [fields.goal_id, ...(fields.depends_on ?? [])];
    const { event, state } = await this.#run("add_task", fields, addTask(this.#environment.newId(), fields), about);
    return this.#task({ id: String(event.data["task_id"]), event, state });
  }

  /**
   * Adds a task, unless its goal has one that is not done with the same title, criteria and dependencies: then that one
   * is returned, as `already`.
   */
  async ensureTask(input: Input<"add_task">): Promise<{ readonly task: Task; readonly already: boolean }> {
    const fields = checkInput("add_task", input);
    const about = [fields.goal_id, ...(fields.depends_on ?? [])];
    const done = await this.#ensured("add_task", fields, ensureTask(this.#environment.newId(), fields), about);
    return { task: await this.#task(done), already: done.already };
  }

  /**
   * `edit_task(task_id, title?, acceptance_criteria?, depends_on?)`, of a task that is not done: other words become the
   * editor's. Throws `dependencies-open` for a circle, and when nothing would change.
   */
  async editTask(input: Input<"edit_task">): Promise<Task> {
    const fields = checkInput("edit_task", input);
    const { task_id: id, depends_on = [] } = fields;
    return this.#task({ id, ...(await this.#run("edit_task", fields, editTask(fields), [id, ...depends_on])) });
  }

  /**
   * `drop_task(task_id, reason)`: takes a task that is not done out of the work; returns its last form. Throws
   * `dependencies-open` while an open task depends on it. Its steps that may have run stay among the open steps.
   */
  async dropTask(input: Input<"drop_task">): Promise<Task> {
    const fields = checkInput("drop_task", input);
    const { task_id } = fields;
    const { event } = await this.#run("drop_task", fields, this.#claiming(task_id, dropTask(fields)), [task_id]);
    return event.data["task"] as Task;
  }

  /**
   * Status, words, dependencies and checkpoint of a task in one event: all of it is recorded, or nothing. A status that
   * is not reached directly is reached over doing, by an event of its own before: a call that was cut off between them
   * is completed by its repetition. `already` when all of it is recorded; `status` is the one after it.
   */
  async updateTask(
    input: Input<"update_task">,
  ): Promise<{ readonly task_id: string; readonly status: TaskStatus | "dropped"; readonly already: boolean }> {
    const fields = checkInput("update_task", input);
    const { task_id } = fields;
    try {
      const about = [task_id, ...(fields.depends_on ?? [])];
      const command = updateTask(fields);
      const wish = { takes: fields.status === "doing", gives: fields.status === "todo" };
      const asClaimant = isWork(fields) ? this.#claiming(task_id, command, wish) : command;
      let done: (Done & { readonly already: boolean }) | undefined;
      for (let tries = 0; !done; tries++)
        done = await this.#ensured("update_task", fields, asClaimant, about).catch(async (error: unknown) => {
          if (!(error instanceof OverDoing) || tries === MAX_STARTS) throw error;
          await this.#ensured("update_task", {}, this.#claiming(task_id, error.first), about);
          return undefined;
        });
      const { state, event, already } = done;
      const endedAs = event?.event_type === "task_dropped" ? "dropped" : "done";
      return { task_id, status: state.tasks[task_id]?.status ?? endedAs, already };
    } catch (error) {
      const end = isNotFound(error) ? readTaskEnd(await this.latestChange(task_id)) : undefined;
      if (end === undefined) throw error;
      if (end.status === fields.status) return { task_id, status: end.status, already: true };
      throw goneTask(task_id, end, this.author);
    }
  }

  /**
   * `start_task(task_id)`: todo, blocked or done to doing, or one in progress whose holder's claim has ended. It is
   * yours from then on: another agent's start is refused (`claim-held`) until you end it, or have made no call for
   * long.
   */
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

  /** `fail_task(task_id, reason)`: doing to todo, as often as its retries say; after that to blocked. */
  failTask(input: Input<"fail_task">): Promise<Task> {
    return this.#move("fail_task", input, failTask);
  }

  /** `complete_task(task_id, evidence?)`: doing to done. */
  completeTask(input: Input<"complete_task">): Promise<Task> {
    return this.#move("complete_task", input, completeTask);
  }

  /**
   * `update_checkpoint(task_id, where_we_left_off, next_step, context_refs[])`; returns what this call has recorded.
   */
  async updateCheckpoint(input: Input<"update_checkpoint">): Promise<Checkpoint> {
    const fields = checkInput("update_checkpoint", input);
    const { task_id } = fields;
    const { event } = await this.#run("update_checkpoint", fields, this.#claiming(task_id, updateCheckpoint(fields)), [
      task_id,
    ]);
    // The state can hold a later one, of another author, where the answer to this command was lost.
    const { where_we_left_off, next_step, needed_context_refs, blockers } = event.data as unknown as Checkpoint;
    const recorded = { task_id, where_we_left_off, next_step, needed_context_refs, blockers };
    return { ...recorded, timestamp: event.timestamp, seq: event.event_seq, author: event.author };
  }

  /**
   * `get_next_step(project_id)`: returns the next step by the policy of {@link nextStep}, as far as this author may do
   * it, with the best task that can start where that step waits, and the steps that may have run. The same state and
   * the same claims give the same answer.
   */
  async getNextStep(): Promise<
    (NextStep | ProposalRequest) & Pick<ActiveWorkState, "open_steps" | "unknown_since" | "can_start">
  > {
    const { next, open_steps, unknown_since, can_start } = await this.activeWork();
    return { unknown_since, ...next, can_start, open_steps };
  }

  /**
   * Returns the open work: goals, tasks, the resume handle of the active task, blockers, open steps, what others do,
   * and the next step as far as this author may do it.
   */
  async activeWork(): Promise<ActiveWorkState> {
    return this.toActiveWork(await this.state());
  }

  /** Returns the open work of a state of this project as {@link activeWork} does. */
  async toActiveWork(state: WorkState): Promise<ActiveWorkState> {
    return activeWork(state, { claimant: this.#claimant, clock: await this.#clock(state) });
  }

  /**
   * Keeps this author's claims alive, as each of its calls does: of claims that have most of their time nothing is
   * written.
   */
  async keepClaims(): Promise<void> {
    const state = await this.state();
    if (state.claims === undefined) return;
    if (renewable(state, this.#claimant, await this.#clock(state)).length > 0)
      await this.#claim(renewClaims(this.#claimant));
  }

  /**
   * Returns the claims that have ended, or were given, without this author's doing since it was last told, and records
   * that it is told. Each is told once.
   */
  async toldEnds(): Promise<readonly ToldEnd[]> {
    const ends = untoldEnds(await this.state(), this.#claimant);
    if (ends.length > 0) await this.#claim(tellEnds(this.#claimant));
    return ends;
  }

  /**
   * Has a task be held by that agent or person, or by nobody (null), whoever holds it now; both are told. For a
   * person's decision. Returns false when nobody holds it already.
   */
  giveTask(task_id: string, to: Holder | null): Promise<boolean> {
    return this.#claim(giveClaim(task_id, to, this.#claimant), [task_id]);
  }

  /** Returns the author of the first event; undefined when there is none. */
  async begunBy(): Promise<Author | undefined> {
    const [first] = await this.#environment.store.eventsAfter(this.workflow_id, 0, 1);
    return first && readEvent(first, { event_seq: 0, checksum: null }).author;
  }

  /**
   * Returns the last forms of those of these goals and tasks that are finished: they are not in the state. Ids of
   * unfinished ones, and of nothing, are left out.
   */
  finished(ids: readonly string[]): Promise<FinishedWork> {
    return this.#workflow.finished(ids);
  }

  /** Returns the latest event that changed a goal or a task itself, checked; undefined when there is none. */
  async latestChange(id: string): Promise<LedgerEvent | undefined> {
    const row = await this.#environment.store.latestWorkEvent(this.workflow_id, id);
    return row && readLoneEvent(row);
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
   * value: what JSON.stringify writes of it is recorded and returned. With `timeoutMs` an attempt that takes longer
   * fails (`step-timeout`), and its signal is aborted; with `retries` a pure or idempotent step is executed again under
   * the same lease, and each attempt is recorded.
   */
  runStep(
    lease: Lease,
    request: RunRequest,
    execute: (execution: Execution) => Promise<unknown>,
  ): ReturnType<typeof runStep> {
    const executor: StepExecutor = { execute };
    return runStep(this.steps, lease, request, executor, this.#environment.sleep);
  }

  /**
   * Says whether the effect of an idempotency key has happened: done, with its result; perhaps; not, although it was
   * begun; or never begun. The one question that `begin` asks too.
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { Continuity, type Effect, openSqliteStore } from "openclaw-integrity/continuity";
   *
   * const continuity = new Continuity({ store: openSqliteStore({ file: ":memory:" }) });
   * const site = await continuity.project("site");
   * const before: Effect = await site.effect("mail-1");
   * assert.equal(before.status, "never_begun");
   * const lease = await site.acquireLease({ owner_id: "host-1:4711" });
   * await site.steps.begin(lease, { step_id: "mail", step_type: "non_idempotent", idempotency_key: "mail-1" });
   * assert.equal((await site.effect("mail-1")).status, "may_have_happened");
   * await continuity.close();
   * ```
   */
  effect(idempotency_key: string): Promise<Effect> {
    return lookUpEffect(this.#environment, this.#workflow, idempotency_key);
  }

  /**
   * Records that it is known what happened that this ledger does not know of, since it goes on from an older copy: from
   * then on steps that must not happen twice begin again. `reason` says how that is known. Throws `invalid-transition`
   * for a ledger that is no copy, or was confirmed.
   */
  async confirmCopy(reason: string): Promise<void> {
    await this.#workflow.execute({
      command: confirmCopy(reason),
      author: this.author,
      content: { confirm_copy: reason },
    });
  }

  /**
   * Returns the steps that an engine for durable execution guards instead of a lease; `owner_id` names its execution.
   * For adapters, such as `openclaw-integrity/continuity/dbos`.
   */
  engineSteps(owner_id: string): EngineSteps {
    return new EngineSteps(this.#environment, this.#workflow, this.author, this.steps, owner_id);
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

  /** Returns the number of the last event; 0 before the first one. */
  async position(): Promise<number> {
    return (await this.#environment.store.workflow(this.workflow_id))?.last_event_seq ?? 0;
  }

  /** Returns who had the lease last, since when and until when; undefined before the first one. */
  leaseRow(): Promise<LeaseRow | undefined> {
    return this.#environment.store.lease(this.workflow_id);
  }

  /** Iterates over the events, newest first; each is checked. Reads pages of them, as far as the caller goes. */
  recent(): AsyncGenerator<LedgerEvent> {
    return recentEvents(this.#environment.store, this.workflow_id);
  }

  /**
   * Checks every event, snapshot, attempt and result, the database itself, and that the ledger contains the event that
   * the store's anchor and `expect` name; changes nothing.
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

  async #move<Name extends "start_task" | "pause_task" | "block_task" | "fail_task" | "complete_task">(
    name: Name,
    input: Input<Name>,
    command: (fields: Input<Name>) => Command,
  ): Promise<Task> {
    const fields = checkInput(name, input);
    const { task_id } = fields;
    const { event, state } = await this.#run(
      name,
      fields,
      this.#claiming(task_id, command(fields), { takes: name === "start_task" }),
      [task_id],
    );
    return this.#task({ id: task_id, event, state });
  }

  #claiming(
    task_id: string,
    command: Command,
    wish: { readonly takes?: boolean; readonly gives?: boolean } = {},
  ): Command {
    return claiming(command, task_id, this.#claimant, wish);
  }

  /** Executes a command on claims; false when it would change nothing. */
  async #claim(command: Command, about: readonly string[] = []): Promise<boolean> {
    try {
      await this.#workflow.execute({ command, author: this.author, content: {}, about, isClaiming: true });
      return true;
    } catch (error) {
      if (error instanceof Unchanged) return false;
      throw error;
    }
  }

  /** Returns the time by which claims end; where there is none, no clock is asked. */
  async #clock({ claims }: WorkState): Promise<number> {
    return claims === undefined ? 0 : storeTime(this.#environment);
  }

  async #goal({ id, event, state }: Done): Promise<Goal> {
    return state.goals[id] ?? (await this.#last(id, event)).goal!;
  }

  async #task({ id, event, state }: Done): Promise<Task> {
    return state.tasks[id] ?? (await this.#last(id, event)).task!;
  }

  /**
   * Returns the last form of a goal or task that has left the state, by the event that finished it, or by an earlier
   * event, whose command was delivered again after that.
   */
  async #last(id: string, event: LedgerEvent | undefined): Promise<LastForm> {
    const last = event?.data["last"] as LastForm | undefined;
    if (last) return last;
    const { goals, tasks, checkpoints } = await this.finished([id]);
    const found = { goal: goals[id]!, task: tasks[id]!, checkpoint: checkpoints[id]! };
    if (found.goal ?? found.task) return found;
    throw continuityError("not-found", {
      expected: `the last form of ${nameInline(id)}, which is finished`,
      found: "no event of it in the ledger",
      todo: "The command was executed before. Nothing was written.",
    });
  }

  /** Runs a command; `already` when nothing was written, because the goal or task with `id` had what was asked for. */
  async #ensured(
    name: OperationName,
    fields: { readonly command_id?: string },
    command: Command,
    about: readonly string[] = [],
  ): Promise<Done & { readonly already: boolean }> {
    try {
      const { event, state } = await this.#run(name, fields, command, about);
      return { id: String(event.data["task_id"] ?? event.data["goal_id"]), event, state, already: false };
    } catch (error) {
      if (error instanceof Unchanged) return { id: error.id, event: undefined, state: error.state, already: true };
      throw error;
    }
  }

  async #run(
    name: OperationName,
    { command_id, ...fields }: { readonly command_id?: string },
    command: Command,
    about: readonly string[] = [],
  ): Promise<CommandOutcome> {
    return this.#workflow.execute({
      command,
      author: this.author,
      content: { [name]: fields },
      about,
      command_id,
      isClaiming: CLAIMING.has(name),
    });
  }
}

/** The operations that give or end a claim. */
const CLAIMING: ReadonlySet<OperationName> = new Set([
  "start_task",
  "pause_task",
  "block_task",
  "fail_task",
  "complete_task",
  "drop_task",
  "end_goal",
  "update_checkpoint",
  "update_task",
]);

/** Returns whether an update is made by whoever does the task: its words and dependencies are edited by anybody. */
function isWork({ status, next_step }: Input<"update_task">): boolean {
  return status !== undefined || next_step !== undefined;
}
