/**
 * Work that outlives the process: goals, tasks and checkpoints in a ledger, and a step that is not done twice.
 * Run: node examples/unfinished-work.ts
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { briefing, Continuity, openSqliteStore } from "openclaw-integrity/continuity";

const folder = mkdtempSync(join(tmpdir(), "unfinished-work-"));
const file = join(folder, "work.sqlite");

const monday = new Continuity({ store: openSqliteStore({ file }) });
const site = await monday.project("site");
const goal = await site.createGoal({ text: "Move the site to the new host", priority: 5 });
const task = await site.addTask({
  goal_id: goal.goal_id,
  title: "Move the pictures",
  acceptance_criteria: ["every picture loads"],
});
await site.startTask({ task_id: task.task_id });
await site.updateCheckpoint({
  task_id: task.task_id,
  where_we_left_off: "1,200 of 3,000 pictures are there.",
  next_step: "Copy from 1201 on",
  needed_context_refs: ["copy.log"],
});
const lease = await site.acquireLease({ owner_id: "monday" });
await site.runStep(lease, { step_id: "announce", step_type: "non_idempotent", idempotency_key: "mail-1" }, announce);
await lease.release();
await monday.close();

// Days later, in another process.
const friday = new Continuity({ store: openSqliteStore({ file }) });
const again = await friday.project("site");
console.log(briefing(await again.activeWork(), { now: Date.now() }));
const mine = await again.acquireLease({ owner_id: "friday" });
const { executed, result } = await again.runStep(
  mine,
  { step_id: "announce", step_type: "non_idempotent", idempotency_key: "mail-1" },
  announce,
);
console.log(`announced again: ${executed}; the first time it was`, result);
console.log(`${(await again.verify()).events} events, ${(await again.verify()).damages.length} damaged`);
await friday.close();
rmSync(folder, { recursive: true });

/** Stands for a side effect in the world. */
async function announce(): Promise<{ mail: string }> {
  return { mail: "sent" };
}
