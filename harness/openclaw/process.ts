import { fork, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Ask, Reply } from "./protocol.ts";

const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));

/** How a worker is started. */
export interface ProcessOptions {
  home: string;
  env: Record<string, string>;
  log: (line: string) => void;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/**
 * One worker process and the requests that wait for it; it is dead for good when it dies or when a request times out.
 */
export class WorkerProcess {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  readonly #exited: Promise<void>;
  #next = 0;
  #dead: string | undefined;

  constructor(options: ProcessOptions) {
    this.#child = fork(WORKER, [], {
      cwd: options.home,
      env: options.env,
      execPath: process.execPath,
      // The test runner's own flags (its loaders) are not for OpenClaw.
      execArgv: ["--no-warnings"],
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      // JSON would turn undefined and lone surrogates of a corrupt transcript into something else.
      serialization: "advanced",
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      if (stream) createInterface({ input: stream }).on("line", options.log);
    }
    this.#child.on("message", (reply: Reply) => this.#settle(reply));
    this.#child.on("error", (error) => this.#die(error.message));
    this.#exited = new Promise((resolve) => {
      this.#child.on("exit", (code, signal) => {
        this.#die(`OpenClaw's process ended (${signal ?? code})`);
        resolve();
      });
    });
  }

  get alive(): boolean {
    return this.#dead === undefined;
  }

  /** Sends a request; a process that does not answer in time is killed, because nothing else stops a busy loop. */
  async ask(request: Ask, timeoutMs: number): Promise<unknown> {
    if (this.#dead !== undefined) throw new Error(this.#dead);
    const id = this.#next++;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, { resolve, reject });
    const timer = setTimeout(() => {
      this.#die(`OpenClaw did not come back within ${timeoutMs} ms`);
      this.kill();
    }, timeoutMs);
    this.#child.send({ ...request, id }, (error) => {
      if (error) this.#die(error.message);
    });
    return promise.finally(() => clearTimeout(timer));
  }

  /** What kill -9 does to a gateway: no handler runs, nothing is written any more. */
  kill(): void {
    this.#child.kill("SIGKILL");
  }

  /** Ends the process and waits until it is gone, so that its folder can be removed. */
  async stop(): Promise<void> {
    this.#die("The driver is closed");
    this.kill();
    await this.#exited;
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ("error" in reply) waiting?.reject(new Error(reply.error));
    else waiting?.resolve(reply.value);
  }

  #die(reason: string): void {
    this.#dead ??= reason;
    for (const waiting of this.#waiting.values()) waiting.reject(new Error(this.#dead));
    this.#waiting.clear();
  }
}
