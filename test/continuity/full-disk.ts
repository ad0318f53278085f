/**
 * `full-disk.ts <folder on a small disk>`: fills the disk before and between the commits of leases and steps, and prints
 * as JSON what the kernel said, how often each body ran, and what the store has once there is room again.
 */
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Continuity, ContinuityError, openSqliteStore, type StepRequest } from "../../src/continuity/index.ts";

const folder = process.argv[2]!;
const filler = join(folder, "filler");
const continuity = new Continuity({ store: openSqliteStore({ file: join(folder, "store.sqlite") }) });
const project = await continuity.project("p");
const lease = await project.acquireLease({ owner_id: "worker" });
await project.createGoal({ text: "before" });

/** Leaves no byte; SQLite's own files have no room to grow. */
function fill(): void {
  const file = openSync(filler, "w");
  for (let size = 65_536; size >= 1; size = Math.floor(size / 2))
    try {
      for (;;) writeSync(file, Buffer.alloc(size));
    } catch {
      // Smaller pieces still fit.
    }
  closeSync(file);
}

async function catchCode(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return "done";
  } catch (error) {
    return error instanceof ContinuityError ? error.code : String(error);
  }
}

const said: Record<string, string> = {};
const ran: Record<string, number> = {};
const step = (step_id: string): StepRequest => ({ step_id, step_type: "non_idempotent", idempotency_key: step_id });
const run = (step_id: string, act: () => void = () => undefined): Promise<unknown> =>
  project.runStep(lease, step(step_id), async () => {
    ran[step_id] = (ran[step_id] ?? 0) + 1;
    act();
    // Longer than what the log of the database still has room for.
    return "x".repeat(100_000);
  });

fill();
// What is small may still find a page that is free.
for (let n = 0; n < 50 && said["goal"] !== "not-writable"; n++)
  said["goal"] = await catchCode(() => project.createGoal({ text: "y".repeat(1000) }));
said["lease"] = await catchCode(() => project.acquireLease({ owner_id: "worker", takeOverFrom: "worker" }));
said["step begun on a full disk"] = await catchCode(() => run("early"));
rmSync(filler);
said["step with room"] = await catchCode(() => run("early"));
said["step that fills the disk"] = await catchCode(() => run("late", fill));
said["the same again on the full disk"] = await catchCode(() => run("late"));
rmSync(filler);
said["the same again with room"] = await catchCode(() => run("late"));
const open = (await project.activeWork()).open_steps.map(({ step_id }) => step_id);
await project.createGoal({ text: "after" });
const { damages } = await project.verify();
console.log(JSON.stringify({ said, ran, open, damages: damages.length }));
await continuity.close();
