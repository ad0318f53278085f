import {
  type CompletedStepRow,
  Continuity,
  type ContinuityStore,
  type EventRow,
  type LeaseRow,
  type SnapshotRow,
  type StepAttemptRow,
  type WorkflowRow,
  type WorkState,
} from "../../src/continuity/index.ts";
import { injected, memoryObjects } from "./injected.ts";

/** A ledger as it was written, row by row, and the state that it stands for. */
export interface Golden {
  readonly workflow: WorkflowRow;
  readonly events: readonly EventRow[];
  readonly snapshots: readonly SnapshotRow[];
  readonly lease: LeaseRow;
  /** The latest attempt of each step; those before it are in the events. */
  readonly attempts: readonly StepAttemptRow[];
  readonly completed: readonly CompletedStepRow[];
  readonly results: readonly { readonly checksum: string; readonly content: string }[];
  readonly state: WorkState;
  readonly state_checksum: string;
}

/** Longer than a claim lives without a call of its holder. */
const HOUR_MS = 60 * 60_000;

/**
 * The fixed program: every operation, every type of event, texts that are hard to encode, several authors, under the
 * test's clock and ids. What it leaves in the store.
 */
export async function fixedProgram(store: ContinuityStore): Promise<Golden> {
  const clock = injected("golden");
  const continuity = new Continuity({
    store,
    objects: memoryObjects(),
    producer_version: "golden",
    author: { entry: "openclaw", name: "agent:main:main" },
    snapshots: { everyEvents: 7, inlineBytes: 1e6, keep: 2 },
    ...clock,
  });
  const project = await continuity.project("golden project");
  const goal = await project.createGoal({
    text: 'Ship it: \u{1F680} ä\u0308 \u2028 "quoted" \\ \u0001',
    priority: 3,
    command_id: "goal",
  });
  const later = await project.createGoal({ text: "later" });
  clock.pass(1001);
  const first = await project.addTask({
    goal_id: goal.goal_id,
    title: "first",
    acceptance_criteria: ["it works", "it is told"],
  });
  const second = await project.addTask({ goal_id: goal.goal_id, title: "second", depends_on: [first.task_id] });
  await project.startTask({ task_id: first.task_id });
  await project.updateCheckpoint({
    task_id: first.task_id,
    where_we_left_off: "begun",
    next_step: "write",
    needed_context_refs: ["a/b~c", "two"],
    blockers: ["none"],
  });
  clock.pass(HOUR_MS);
  await project
    .as({ entry: "mcp", name: 'editor \u{1F600} "v1"' })
    .blockTask({ task_id: first.task_id, blocker: "an answer" });
  clock.pass(-60_000);
  await project.pauseTask({ task_id: first.task_id, reason: "lunch" });
  await project.startTask({ task_id: first.task_id, command_id: "start" });
  await project.startTask({ task_id: first.task_id, command_id: "start" });
  const lease = await project.acquireLease({ owner_id: "executor one", ttlMs: 5000 });
  await project.runStep(
    lease,
    { step_id: "step/one~1", step_type: "pure", input: { b: [1, 0.1, 1e21], a: null } },
    async () => ({ z: 1, a: ["\u{10FFFF}", "too long for its event ".repeat(10)] }),
  );
  await project.runStep(
    lease,
    { step_id: "step four", step_type: "idempotent", input: ["\u{10FFFF}"], recordBegin: false },
    async () => "short \u0001",
  );
  const failing = await project.steps.begin(lease, {
    step_id: "step two",
    step_type: "non_idempotent",
    idempotency_key: "key",
    task_id: first.task_id,
  });
  await project.steps.fail(lease, failing, "no answer");
  await lease.release();
  clock.pass(10_000);
  const thief = await project.acquireLease({ owner_id: "executor two", ttlMs: 5000 });
  await project.steps.begin(thief, {
    step_id: "step two",
    step_type: "non_idempotent",
    idempotency_key: "key",
    task_id: first.task_id,
  });
  const lost = await project.steps.begin(thief, {
    step_id: "step three",
    step_type: "non_idempotent",
    idempotency_key: "key three",
    input: { to: "a \u{1F600}", text: "x".repeat(5000) },
  });
  await project.steps.fail(thief, lost, "the connection broke", { mayHaveActed: true });
  await project.steps.resolve(thief, {
    step_id: "step three",
    attempt_id: 1,
    outcome: "not_done",
    reason: "the outside system knows nothing of it",
  });
  clock.pass(HOUR_MS);
  await project
    .as({ entry: "library", name: null })
    .updateCheckpoint({ task_id: first.task_id, where_we_left_off: "written", next_step: "read it over" });
  const dropped = await project.addTask({ goal_id: goal.goal_id, title: "third" });
  await project.editTask({ task_id: dropped.task_id, title: "third, edited" });
  await project.dropTask({ task_id: dropped.task_id, reason: "nobody needs it" });
  await project.updateTask({
    task_id: second.task_id,
    title: "second, edited",
    where_we_left_off: "nothing yet",
    next_step: "begin",
  });
  await project.editGoal({ goal_id: later.goal_id, text: "later, edited" });
  await project.updateGoal({ goal_id: later.goal_id, text: "later, updated", priority: -1, status: "paused" });
  clock.pass(HOUR_MS);
  await project.completeTask({ task_id: first.task_id, evidence: "read" });
  const done = await project.createGoal({ text: "done" });
  await project.setGoalStatus({ goal_id: done.goal_id, status: "done" });
  await project.startTask({ task_id: second.task_id });
  const person = project.as({ entry: "cli", name: "ann" });
  const editor = project.as({ entry: "mcp", name: "editor" });
  await person.giveTask(second.task_id, { author: editor.author, session: "host/1" });
  await editor.toldEnds();
  clock.pass(HOUR_MS / 6);
  await editor.keepClaims();
  await person.giveTask(second.task_id, null);
  await project.startTask({ task_id: second.task_id });
  const { workflow_id } = project;
  const state = await project.state();
  const { state_checksum } = await project.verify();
  const completed = await store.completedSteps(workflow_id);
  const results = [];
  for (const { result_checksum: checksum } of completed) {
    const content = await store.result(checksum);
    if (content !== undefined) results.push({ checksum, content });
  }
  const attempts = await Promise.all(
    ["step/one~1", "step two", "step three", "step four"].map(
      async (step_id) => (await store.step(workflow_id, step_id, 1)).attempt!,
    ),
  );
  return {
    workflow: (await store.workflow(workflow_id))!,
    events: await store.eventsAfter(workflow_id, 0, 1000),
    snapshots: await store.snapshots(workflow_id),
    lease: (await store.lease(workflow_id))!,
    attempts,
    completed,
    results,
    state,
    state_checksum: String(state_checksum),
  };
}
