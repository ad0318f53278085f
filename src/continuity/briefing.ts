import { someOf } from "../base/some-of.ts";
import type { ActiveWorkState } from "./active-work.ts";

/** How a briefing is made. */
export interface BriefingOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Work that has rested longer is asked about and not gone on with; 24 hours by default. */
  readonly staleAfterMs?: number;
  /** Whether the process that worked on it has ended since. */
  readonly restarted?: boolean;
  /** Before the names of the tools, where they are offered under others: `continuity_`, for instance. */
  readonly toolPrefix?: string;
}

const STALE_AFTER_MS = 24 * 60 * 60 * 1000;
/** A next step is never longer, and so never cut. */
const LONGEST_FIELD = 500;
const MOST_ITEMS = 5;

/** Whether work has rested so long that the user is asked before it goes on. A clock that went back makes nothing stale. */
export function isStale({ worked_at }: Pick<ActiveWorkState, "worked_at">, now: number, staleAfterMs = STALE_AFTER_MS): boolean {
  return worked_at !== null && now - Date.parse(worked_at) > staleAfterMs;
}

/** Whether there is something to go on with: a next step, or a step that may have run. */
function isOpen({ next, open_steps }: ActiveWorkState): boolean {
  return next.kind === "step" || open_steps.length > 0;
}

/** Whether there is something to go on with that has rested so long that the user is asked first. */
export function isRested(work: ActiveWorkState, now: number, staleAfterMs?: number): boolean {
  return isOpen(work) && isStale(work, now, staleAfterMs);
}

/**
 * The active work in a few lines for an agent's prompt: where it was, the recorded next step, what blocks it, which steps have an unknown outcome.
 * Null when there is nothing to go on with. Work that has rested too long is to be asked about, not run again.
 */
export function briefing(work: ActiveWorkState, { now, staleAfterMs, restarted = false, toolPrefix = "" }: BriefingOptions): string | null {
  const { next, open_steps } = work;
  if (!isOpen(work)) return null;
  const stale = isStale(work, now, staleAfterMs);
  const lines = [`Recorded work of project ${cut(work.project_id)} (last change ${work.worked_at ?? "unknown"}):`];
  if (restarted) lines.push("The process was restarted since; what follows is what was recorded before.");
  if (next.kind === "step") {
    const goal = work.goals.find(({ goal_id }) => goal_id === next.goal_id);
    lines.push(`Goal: ${cut(goal?.text ?? next.goal_id)}`, `Task ${next.task_id} (${next.rule}): ${cut(next.title)}`);
    if (next.where_we_left_off !== null) lines.push(`Where we left off: ${cut(next.where_we_left_off)}`);
    lines.push(`Next step: ${cut(next.next_step)}`);
    lines.push(...listed("Needed context", next.required_context_refs), ...listed("Blockers", next.blockers), ...listed("Done when", next.acceptance_criteria));
  }
  lines.push(...listed("Begun without a known outcome (may have run; check before repeating)", open_steps.map(({ step_id, attempt_id }) => `${step_id}, attempt ${attempt_id}`)));
  lines.push(
    stale
      ? "This work has rested for long: do NOT go on with it by yourself. Tell the user what it was and ask whether to go on, pause or drop it."
      : `Go on from here when the user's message is about it or leaves it open; use ${toolPrefix}update_checkpoint, ${toolPrefix}block_task and ${toolPrefix}complete_task as it changes. Do not redo what is done.`,
  );
  return lines.join("\n");
}

function listed(title: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  return [`${title}: ${someOf(items.map(cut), MOST_ITEMS, "; ")}`];
}

/** One line: what a model wrote must not look like lines of ours. */
function cut(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  // Half a surrogate pair would have the model's provider refuse the whole request.
  return line.length > LONGEST_FIELD ? `${line.slice(0, LONGEST_FIELD).replace(/[\uD800-\uDBFF]$/, "")}…` : line;
}
