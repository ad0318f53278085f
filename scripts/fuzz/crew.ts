import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";

/** The module that a worker process runs, and what it is given at its start. */
export interface WorkerFile {
  readonly file: URL;
  readonly data?: unknown;
}

/**
 * Has the jobs done by `size` worker processes; `onDone` may end it all by returning false. No threads: Node compiles
 * TypeScript with WebAssembly, and V8 now and then ends a process with several such threads by SIGSEGV.
 */
export async function work<Job, Done extends object>(
  { file, data }: WorkerFile,
  jobs: readonly Job[],
  size: number,
  onDone: (done: Done) => boolean,
): Promise<void> {
  const queue = [...jobs];
  const workers: ChildProcess[] = [];
  try {
    await Promise.all(
      Array.from({ length: size }, () => {
        const worker = fork(file, [JSON.stringify(data ?? null)], { serialization: "advanced" });
        workers.push(worker);
        return serve(worker, queue, onDone);
      }),
    );
  } finally {
    await Promise.all(workers.map(end));
  }
}

/** Gives a worker one job after the other until there are none left. */
function serve<Job, Done extends object>(
  worker: ChildProcess,
  queue: Job[],
  onDone: (done: Done) => boolean,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  worker.on("error", reject);
  worker.on("exit", (code, signal) => reject(new Error(`a worker of the fuzz ended with ${signal ?? code}`)));
  worker.on("message", (message) => {
    if (message !== "ready" && !onDone(message as Done)) queue.length = 0;
    const next = queue.shift();
    if (next) worker.send(next);
    else resolve();
  });
  return promise;
}

async function end(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  const ended = once(worker, "exit");
  worker.kill();
  await ended;
}

/** In a worker process: does each job, and says of a job that throws what `failed` makes of the error. */
export function serveJobs<Job, Done extends object>(
  run: (job: Job) => Promise<Done>,
  failed: (job: Job, error: unknown) => Done,
): void {
  process.on("message", (job) => {
    void run(job as Job)
      .catch((error: unknown) => failed(job as Job, error))
      .then((done) => process.send!(done));
  });
  process.send!("ready");
}
