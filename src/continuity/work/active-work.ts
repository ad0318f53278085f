import {
  activeGoals,
  bestStart,
  type Blocker,
  listBlockers,
  nextStep,
  type NextStep,
  type ProposalRequest,
  startable,
  type Viewer,
} from "./next-step.ts";
import { othersClaim, type ToldEnd, untoldEnds } from "../decide/claims.ts";
import { openAttempts } from "../decide/open-attempts.ts";
import type { Checkpoint, Claim, Goal, OpenStep, Task, UnknownSince, WorkState } from "../base/state.ts";

/** The open work of a project, which is what an agent needs to continue. */
export interface ActiveWorkState {
  readonly project_id: string;
  readonly goals: readonly Goal[];
  /** All tasks that are not done, in the order of their creation. */
  readonly tasks: readonly Task[];
  readonly active_task: Task | null;
  readonly checkpoint: Checkpoint | null;
  readonly unresolved_blockers: readonly (Blocker & { readonly task_id: string })[];
  /** Attempts without a known outcome, by the names of their steps: they may have run. */
  readonly open_steps: readonly OpenStep[];
  /** Set while steps may have happened that the ledger, which goes on from an older copy, does not know of. */
  readonly unknown_since: UnknownSince | null;
  readonly next: NextStep | ProposalRequest;
  /** The best task that can start; null when none can. Another one than `next` while that is in progress, or waits. */
  readonly can_start: NextStep | null;
  /** All tasks that can start, the best one first. */
  readonly ready: readonly Task[];
  /** Tasks that others do; none without a viewer. */
  readonly held: readonly (Claim & { readonly task_id: string })[];
  /** Ends of claims of which the viewer was not told; none without a viewer. */
  readonly claim_ends: readonly ToldEnd[];
  readonly worked_at: string | null;
}

/**
 * Returns the active work of a state, from recorded facts only; for a viewer, as far as it may do it.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { activeWork, Continuity, openSqliteStore } from "openclaw-integrity/continuity";
 *
 * const continuity = new Continuity({ store: openSqliteStore({ file: ":memory:" }) });
 * const site = await continuity.project("site");
 * const { goal_id } = await site.createGoal({ text: "Move the site", priority: 5 });
 * const { task_id } = await site.addTask({ goal_id, title: "Move the pictures" });
 * await site.startTask({ task_id });
 * const work = activeWork(await site.state()); // as site.activeWork() returns
 * assert.equal(work.active_task?.title, "Move the pictures");
 * assert.deepEqual(work.unresolved_blockers, []);
 * await continuity.close();
 * ```
 */
export function activeWork(state: WorkState, viewer?: Viewer): ActiveWorkState {
  const tasks = Object.values(state.tasks).toSorted((a, b) => a.created_seq - b.created_seq);
  const next = nextStep(state, viewer);
  const active_task = next.kind === "step" ? (state.tasks[next.task_id] ?? null) : null;
  return {
    project_id: state.project_id,
    goals: activeGoals(state),
    tasks,
    active_task,
    checkpoint: (active_task && state.checkpoints[active_task.task_id]) ?? null,
    unresolved_blockers: tasks.flatMap((task) =>
      listBlockers(state, task).map((blocker) => ({ task_id: task.task_id, ...blocker })),
    ),
    open_steps: openAttempts(state),
    unknown_since: state.unknown_since ?? null,
    next,
    can_start: bestStart(state, viewer),
    ready: startable(state, viewer),
    held: viewer ? tasks.flatMap(({ task_id }) => heldBy(state, task_id, viewer)) : [],
    claim_ends: viewer ? untoldEnds(state, viewer.claimant) : [],
    worked_at: state.worked_at,
  };
}

function heldBy(state: WorkState, task_id: string, viewer: Viewer): readonly (Claim & { readonly task_id: string })[] {
  const claim = othersClaim(state, task_id, viewer.claimant, viewer.clock);
  return claim ? [{ task_id, ...claim }] : [];
}
