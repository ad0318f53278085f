import { Worker } from "node:worker_threads";
import type { Done, Job } from "./worker.ts";

/** Has the jobs done by `size` worker threads; `onDone` may end it all by returning false. */
export async function work(jobs: readonly Job[], size: number, onDone: (done: Done) => boolean): Promise<void> {
  const queue = [...jobs];
  const workers: Worker[] = [];
  try {
    await Promise.all(
      Array.from({ length: size }, () => {
        const worker = new Worker(new URL("worker.ts", import.meta.url));
        workers.push(worker);
        return serve(worker, queue, onDone);
      }),
    );
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

/** Gives a worker one job after the other until there are none left. */
function serve(worker: Worker, queue: Job[], onDone: (done: Done) => boolean): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  worker.on("error", reject);
  worker.on("exit", () => resolve());
  worker.on("message", (message: Done | "ready") => {
    if (message !== "ready" && !onDone(message)) queue.length = 0;
    const next = queue.shift();
    if (next) worker.postMessage(next);
    else resolve();
  });
  return promise;
}
