import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** How a gateway is started. */
export interface GatewayCommand {
  /** OpenClaw's own start file. */
  entry: string;
  port: number;
  home: string;
  env: Record<string, string>;
  /** Gets every line that it prints. */
  log: (line: string) => void;
}

/** A gateway that was started. */
export interface RunningGateway {
  /** How it ended; undefined while it runs. */
  readonly end: string | undefined;
  /** Resolves with how it ended. */
  whenEnded(): Promise<string>;
  /** Its memory in bytes (resident set), where that is known. */
  memory?(): number | undefined;
  /** kill -9, and the wait until it is gone. */
  kill(): Promise<void>;
}

/** One run of the gateway's process. */
export class GatewayProcess implements RunningGateway {
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  #end: string | undefined;

  /** With `child` it was started otherwise: with its output in pipes, and gone when it is killed. */
  constructor({ entry, port, home, env, log }: GatewayCommand, child?: ChildProcess) {
    this.#child =
      child ??
      spawn(process.execPath, [entry, "gateway", "--port", String(port)], {
        cwd: home,
        env,
        stdio: ["ignore", "pipe", "pipe"],
      });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      if (stream) createInterface({ input: stream }).on("line", log);
    }
    // Nothing else ends it when we are ended.
    const killAtExit = (): void => void this.#child.kill("SIGKILL");
    process.once("exit", killAtExit);
    this.#exited = new Promise((resolve) => {
      const ended = (how: string): void => {
        this.#end ??= how;
        process.off("exit", killAtExit);
        resolve();
      };
      this.#child.on("error", (error) => ended(error.message));
      this.#child.on("exit", (code, signal) => ended(`the gateway ended (${signal ?? code})`));
    });
  }

  /** How it ended; undefined while it runs. */
  get end(): string | undefined {
    return this.#end;
  }

  /** Resolves with how it ended. */
  async whenEnded(): Promise<string> {
    await this.#exited;
    return this.#end ?? "";
  }

  /** Its memory in bytes, by what Linux tells of it; undefined elsewhere, and of a process that has ended. */
  memory(): number | undefined {
    try {
      const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.#child.pid}/status`, "utf8"))?.[1];
      return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
    } catch {
      return undefined;
    }
  }

  /** kill -9, and the wait until it is gone. Programs that it started are left running, as they would be. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#exited;
    // Those programs hold the other ends.
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream?.destroy();
  }
}
