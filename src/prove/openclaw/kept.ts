/** The process that keeps a proof's OpenClaw, seen from the proof. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readProcessorTime } from "../../base/processes.ts";
import { quotedInline } from "../../base/quoted.ts";

/** A program to start. */
export interface ToKeeper {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Where the programs run. */
export interface KeptHome {
  readonly home: string;
  /** The beginning of the paths of its sockets. */
  readonly sockets: string;
}

/** What the keeper tells. */
export type FromKeeper =
  | ({ readonly kind: "ready" } & KeptHome)
  | { readonly kind: "started"; readonly pid: number | undefined }
  /** `how`: exit code, signal, or the reason why it could not be started. */
  | { readonly kind: "ended"; readonly how: string };

/** The last characters of what the programs print, for messages. */
const KEPT_OUTPUT = 20_000;

/** The path of a program of this room: beside this module, as TypeScript in the repository or built in the package. */
export function programFile(name: "keeper" | "seal" | "seeder"): string {
  const here = import.meta.url;
  return fileURLToPath(new URL(here.endsWith(".ts") ? `./${name}.ts` : `./prove-${name}.mjs`, here));
}

/** The part of a limit that a program has computed when it works; one that waits has its timers only. */
const BUSY = 0.05;

const SHOWN_LINES = 6;
const SHOWN_CHARACTERS = 1000;

/** The last lines that OpenClaw printed, quoted in one line. */
export function lastWords(output: string): string {
  const lines = output.split("\n").map((line) => line.trim());
  const last = lines.filter((line) => line !== "").slice(-SHOWN_LINES);
  return last.length === 0 ? "" : `; it printed: ${quotedInline(last.join(" | "), SHOWN_CHARACTERS)}`;
}

/** What programs print where the machine has no room, memory or right for them, or another user is in their way. */
const LIMITS =
  /\b(?:ENOSPC|EDQUOT|EMFILE|ENFILE|ENOMEM|EAGAIN|EROFS|EACCES|EPERM|EIO)\b|heap out of memory|disk is full|another user/;

/** Whether a program has named a limit of the machine as its reason. */
export function namesLimit(output: string): boolean {
  return LIMITS.test(output);
}

/** A home in a temporary folder, and at most one program at a time that runs in it. */
export class Kept {
  readonly #keeper: ChildProcess;
  readonly #home: Promise<KeptHome>;
  #output = "";
  #pid: number | undefined;
  #ended: string | undefined;
  #made: string | undefined;

  /** Starts the keeper. It ends by itself after `limitMs`. */
  constructor(node: string, env: Record<string, string>, limitMs: number) {
    // Out of the terminal's process group, or Ctrl-C would end it before it has cleaned up.
    this.#keeper = spawn(node, ["--no-warnings", programFile("keeper"), String(limitMs)], {
      env,
      detached: true,
      windowsHide: true,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    for (const stream of [this.#keeper.stdout, this.#keeper.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output = (this.#output + text).slice(-KEPT_OUTPUT);
      });
    this.#home = new Promise((resolve, reject) => {
      this.#keeper.on("message", (message: FromKeeper) => {
        if (message.kind === "ready") {
          this.#made = message.home;
          resolve(message);
        }
        if (message.kind === "started") this.#pid = message.pid;
        if (message.kind === "ended") this.#ended = message.how;
      });
      this.#keeper.once("error", reject);
      this.#keeper.once("exit", () => {
        this.#ended ??= "the process that keeps it ended";
        reject(new Error(`the process that keeps OpenClaw ended${lastWords(this.#output)}`));
      });
    });
    // Whoever asks for the home gets the rejection.
    this.#home.catch(() => undefined);
  }

  /** The home, as soon as it is there. Rejects when the keeper cannot be started. */
  get home(): Promise<KeptHome> {
    return this.#home;
  }

  /** How the program ended; undefined while it runs. */
  get ended(): string | undefined {
    return this.#ended;
  }

  /** The end of what the programs have printed. */
  get output(): string {
    return this.#output;
  }

  /** Starts a program. */
  start(program: ToKeeper): void {
    this.#ended = undefined;
    this.#output = "";
    this.#keeper.send(program, (error) => {
      if (error) this.#ended ??= error.message;
    });
  }

  /**
   * Begins a limit of time for what the program does now; the function says whether it is over. It begins anew while the
   * program works (where the system tells that), so that a slow machine makes nothing fail, and what hangs does.
   */
  limit(milliseconds: number): () => boolean {
    let end = performance.now() + milliseconds;
    let used = this.#processorTime();
    return () => {
      const now = this.#processorTime();
      if (now - used >= milliseconds * BUSY) [end, used] = [performance.now() + milliseconds, now];
      return performance.now() > end;
    };
  }

  #processorTime(): number {
    return (this.#pid === undefined ? undefined : readProcessorTime(this.#pid)) ?? 0;
  }

  /** Ends the program and removes the home. Resolves when both are gone. */
  async close(): Promise<void> {
    if (this.#keeper.exitCode === null && this.#keeper.signalCode === null && this.#keeper.pid !== undefined) {
      const exited = once(this.#keeper, "exit");
      if (this.#keeper.connected) this.#keeper.disconnect();
      else this.#keeper.kill();
      await exited;
    }
    // A keeper that was killed has done neither.
    if (this.#keeper.exitCode !== 0) this.#cleanUp();
    for (const stream of [this.#keeper.stdout, this.#keeper.stderr]) stream?.destroy();
  }

  #cleanUp(): void {
    if (this.#pid !== undefined) {
      if (process.platform === "win32") spawnSync("taskkill", ["/pid", String(this.#pid), "/T", "/F"]);
      else
        try {
          process.kill(-this.#pid, "SIGKILL");
        } catch {
          // It is gone.
        }
    }
    if (this.#made !== undefined) rmSync(this.#made, { recursive: true, force: true, maxRetries: 20 });
  }
}
