import { inputHash } from "../../journal/content-hash.ts";
import type { Journal } from "../../journal/journal.ts";
import type { Call } from "../messages/calls.ts";
import { integrityError } from "../base/errors.ts";
import type { ToolCycleResult } from "../messages/results.ts";

/** A cycle that is running in this process. */
interface RunningCycle {
  /** Identity of its calls: ids, names and inputs. */
  readonly key: string;
  readonly outcome: Promise<ToolCycleResult>;
}

/** The running cycles by journal, session id and call id. */
const running = new WeakMap<Journal, Map<string, Map<string, RunningCycle>>>();

/**
 * Runs calls once, however often they are passed while they run: the same calls again get the outcome of the first run.
 * Throws an IntegrityError `call-running` when one of the ids belongs to another running call, or to only some of the
 * calls of a running message.
 */
export function runOnce(
  journal: Journal,
  sessionId: string,
  calls: readonly Call[],
  work: () => Promise<ToolCycleResult>,
): Promise<ToolCycleResult> {
  const byId = runningCycles(journal, sessionId);
  const key = joinIds(calls);
  const busy = calls.find(({ id }) => byId.has(id));
  if (busy) {
    const cycle = byId.get(busy.id)!;
    if (cycle.key === key) return cycle.outcome;
    throw integrityError("call-running", {
      expected: "calls that are not running, or exactly the calls that are running",
      found: `another call with the id ${busy.id}, which is running`,
      todo: "Wait for it, or give the call an id of its own. No tool was run for this one.",
    });
  }
  const outcome = work().finally(() => {
    for (const { id } of calls) byId.delete(id);
    if (byId.size === 0) running.get(journal)?.delete(sessionId);
  });
  for (const { id } of calls) byId.set(id, { key, outcome });
  return outcome;
}

function runningCycles(journal: Journal, sessionId: string): Map<string, RunningCycle> {
  let sessions = running.get(journal);
  if (!sessions) running.set(journal, (sessions = new Map()));
  let cycles = sessions.get(sessionId);
  if (!cycles) sessions.set(sessionId, (cycles = new Map()));
  return cycles;
}

function joinIds(calls: readonly Call[]): string {
  return JSON.stringify(calls.map(({ id, name, input }) => [id, name, inputHash(input)]));
}
