import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { ModelApi } from "../../harness/corpus/case.ts";
import type { Measured } from "./measure.ts";

/** What a measuring process is told to measure. */
export type Task = "history" | ModelApi;

const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));

/** Measures in a process of its own: what ran before would have taught the engine other shapes of objects. */
export async function measureApart(task: Task, sizes: readonly number[] = []): Promise<Measured[]> {
  const child = fork(WORKER, [task, ...sizes.map(String)], {
    execArgv: ["--expose-gc", "--no-warnings"],
    serialization: "advanced",
  });
  const ended = once(child, "exit");
  const measured = await Promise.race([once(child, "message"), ended]);
  await ended;
  if (!Array.isArray(measured[0])) throw new Error(`The measurement of ${task} failed`);
  return measured[0] as Measured[];
}
