import { Worker } from "node:worker_threads";

/** The file that a worker thread runs, and what it is given at its start. */
export interface WorkerFile {
  readonly file: URL;
  readonly data?: unknown;
}

/** Has the jobs done by `size` worker threads; `onDone` may end it all by returning false. */
export async function work<Job, Done extends object>(
  { file, data }: WorkerFile,
  jobs: readonly Job[],
  size: number,
  onDone: (done: Done) => boolean,
): Promise<void> {
  const queue = [...jobs];
  const workers: Worker[] = [];
  try {
    await Promise.all(
      Array.from({ length: size }, () => {
        const worker = new Worker(file, { workerData: data });
        workers.push(worker);
        return serve(worker, queue, onDone);
      }),
    );
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

/** Gives a worker one job after the other until there are none left. */
function serve<Job, Done extends object>(worker: Worker, queue: Job[], onDone: (done: Done) => boolean): Promise<void> {
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
