import { fork } from "node:child_process";
import { Worker } from "node:worker_threads";
import { StoreError } from "../../store/errors.ts";

/** A thread or process that answers calls. It keeps no process alive. */
interface Remote {
  post(message: unknown): void;
  onMessage(listener: (answer: RemoteAnswer) => void): void;
  onEnd(listener: (reason: string) => void): void;
  end(): unknown;
}

/** A call, and its answer. */
export interface RemoteCall {
  readonly id: number;
  readonly method: string;
  readonly argument: unknown;
}
export interface RemoteAnswer {
  readonly id: number;
  readonly value?: unknown;
  readonly failure?: { readonly code?: string; readonly isOfStore?: boolean; readonly message: string };
  readonly progress?: { readonly done: number; readonly total: number };
}

export type Progress = (done: number, total: number) => void;

/** The methods of `Of` that can be called remotely. */
type Methods<Of> = {
  [Name in keyof Of]: Of[Name] extends (argument: infer Argument, ...rest: never[]) => infer Answer
    ? { readonly argument: Argument; readonly answer: Awaited<Answer> }
    : never;
};

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: Progress | undefined;
}

/** Calls of the methods of `Of`, wherever these are executed. */
export type Calls<Of> = Pick<RemoteCalls<Of>, "call" | "stop">;

/**
 * Calls methods of `Of` in another thread or process, so that the gateway never blocks. The remote is started by the
 * first call.
 */
export class RemoteCalls<Of> {
  readonly #start: () => Remote;
  readonly #idleMs: number | undefined;
  readonly #waiting = new Map<number, Waiting>();
  #remote: Remote | undefined;
  #idle: NodeJS.Timeout | undefined;
  #calls = 0;

  /** With `idleMs` the remote is ended when no call was made for that time. */
  constructor(start: () => Remote, { idleMs }: { readonly idleMs?: number } = {}) {
    this.#start = start;
    this.#idleMs = idleMs;
  }

  /**
   * Calls a method. Rejects with the StoreError that the method threw; with an Error, which has the code of a refusal,
   * for any other failure, and when the remote ended before it answered.
   */
  call<Name extends keyof Methods<Of> & string>(
    method: Name,
    argument: Methods<Of>[Name]["argument"],
    onProgress?: Progress,
  ): Promise<Methods<Of>[Name]["answer"]> {
    const id = ++this.#calls;
    const remote = this.#started();
    clearTimeout(this.#idle);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as Waiting["resolve"], reject, onProgress });
      remote.post({ id, method, argument } satisfies RemoteCall);
    });
  }

  /**
   * Ends the remote; pending calls are rejected. The remote changes a store in one step, so nothing is left half done.
   */
  async stop(): Promise<void> {
    clearTimeout(this.#idle);
    const remote = this.#remote;
    // A call that comes while an idle remote ends must not be given to it.
    if (this.#waiting.size === 0) this.#remote = undefined;
    await remote?.end();
  }

  #started(): Remote {
    if (this.#remote !== undefined) return this.#remote;
    const remote = this.#start();
    remote.onMessage((answer) => this.#take(answer));
    remote.onEnd((reason) => this.#ended(remote, reason));
    this.#remote = remote;
    return remote;
  }

  #take({ id, value, failure, progress }: RemoteAnswer): void {
    const waiting = this.#waiting.get(id);
    if (progress) return waiting?.onProgress?.(progress.done, progress.total);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0 && this.#idleMs !== undefined)
      this.#idle = setTimeout(() => void this.stop(), this.#idleMs).unref();
    if (failure === undefined) waiting?.resolve(value);
    else {
      const { code, isOfStore = false, message } = failure;
      waiting?.reject(
        isOfStore ? new StoreError(code as StoreError["code"], message) : Object.assign(new Error(message), { code }),
      );
    }
  }

  #ended(remote: Remote, reason: string): void {
    if (this.#remote !== remote) return;
    this.#remote = undefined;
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of all) reject(new Error(reason));
  }
}

/** Starts a thread that runs the module `file`. */
export function thread(file: URL, workerData: unknown): Remote {
  const worker = new Worker(file, { workerData, execArgv: [] });
  worker.unref();
  return {
    post: (message) => worker.postMessage(message),
    onMessage: (listener) => void worker.on("message", listener),
    onEnd(listener) {
      worker.on("error", (error) => listener(`the plugin's thread failed: ${String(error)}`));
      worker.on("exit", () => listener("the plugin's thread was ended"));
    },
    end: () => worker.terminate(),
  };
}

/** Starts a process that runs the module `file`. */
export function childProcess(file: URL): Remote {
  // The output is ignored: OpenClaw, which the process loads, logs to the console.
  const child = fork(file, { stdio: ["ignore", "ignore", "ignore", "ipc"], execArgv: [], serialization: "advanced" });
  child.unref();
  child.channel?.unref();
  return {
    post: (message) => void child.send(message as object),
    onMessage: (listener) => void child.on("message", listener),
    onEnd(listener) {
      child.on("error", (error) => listener(`the process that works on stored sessions failed: ${error.message}`));
      child.on("exit", (code, signal) =>
        listener(`the process that works on stored sessions ended (${signal ?? code})`),
      );
    },
    end: () => child.kill("SIGKILL"),
  };
}
