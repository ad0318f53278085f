import { execFileSync, spawn, type ChildProcess } from "node:child_process";
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

/** What a process has taken of its machine. */
export interface Usage {
  /** Its memory now (resident set). */
  bytes: number;
  /** The time that its threads have run since its start. */
  cpuMs: number;
}

// What Linux counts processor time in, on every platform that Node runs on.
const TICKS_A_SECOND = 100;

/** A gateway that was started. */
export interface RunningGateway {
  /** How it ended; undefined while it runs. */
  readonly end: string | undefined;
  /** Resolves with how it ended. */
  whenEnded(): Promise<string>;
  /** What it has used, where that is known. */
  usage?(): Usage | undefined;
  /** How many bytes a file may have that it writes, from now on: 0 is a disk that is full. Linux only. */
  limitFiles?(bytes: number): void;
  /** kill -9, or another signal, and the wait until it is gone. */
  kill(signal?: NodeJS.Signals): Promise<void>;
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

  /** What Linux tells of it; undefined elsewhere, and of a process that has ended. */
  usage(): Usage | undefined {
    try {
      const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.#child.pid}/status`, "utf8"))?.[1];
      // Behind the name, which may hold anything: the 14th and 15th field, in user mode and in the kernel.
      const fields = readFileSync(`/proc/${this.#child.pid}/stat`, "utf8").split(") ").at(-1)!.split(" ");
      const ticks = Number(fields[11]) + Number(fields[12]);
      if (kilobytes === undefined) return undefined;
      return { bytes: Number(kilobytes) * 1024, cpuMs: (ticks * 1000) / TICKS_A_SECOND };
    } catch {
      return undefined;
    }
  }

  limitFiles(bytes: number): void {
    const limit = bytes === Infinity ? "unlimited" : String(bytes);
    execFileSync("prlimit", ["--pid", String(this.#child.pid), `--fsize=${limit}:`]);
  }

  /**
   * kill -9, or another signal, and the wait until it is gone. Programs that it started are left running, as they would
   * be.
   */
  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    this.#child.kill(signal);
    await this.#exited;
    // Those programs hold the other ends.
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream?.destroy();
  }
}
