import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { hasSessionFiles } from "../../harness/gateway/config.ts";
import { openGateway } from "../../harness/gateway/index.ts";
import { workerEnvironment } from "../../harness/openclaw/environment.ts";
import { makeHome } from "../../harness/openclaw/index.ts";
import { WorkerProcess } from "../../harness/openclaw/process.ts";
import type { Session, TurnResult } from "../../harness/openclaw/types.ts";
import { pluginSettings } from "../../harness/gateway/plugin-settings.ts";
import { MAY_TRAVEL, TOOLS } from "../../harness/openclaw/travelling.ts";
import { ORDERS_FILE, STEPS_FILE, type Orders, type Place, type Step } from "./steps.ts";

/** Which installations are run, and whom they ask. */
export interface HostOptions {
  readonly release: string;
  /** Folders that contain `node_modules/openclaw`; they are never written to. */
  readonly roots: Readonly<Record<Variant, string>>;
  readonly providerUrl: string;
  /** Gets every line that OpenClaw prints. */
  readonly log?: (line: string) => void;
  /** The plugin's settings; by default agents may travel. */
  readonly plugin?: object;
  /** What is loaded into OpenClaw's process before anything else. */
  readonly preload?: string;
}

export type Variant = "patched" | "stock";

/** What became of a message, by whichever OpenClaw. */
export type Said = Pick<TurnResult, "answered" | "error">;

const PRELOAD = fileURLToPath(new URL("preload.ts", import.meta.url));
const START_MS = 180_000;
const TURN_MS = 120_000;
const GRACE_MS = 5_000;
const LINES_KEPT = 20;

/** One state folder, and the OpenClaws that are started on it one after the other. */
export class Host {
  readonly #options: HostOptions;
  readonly #home: string;
  /** What OpenClaw printed last. */
  readonly #lines: string[] = [];
  #worker: WorkerProcess | undefined;

  private constructor(options: HostOptions, home: string) {
    this.#options = options;
    this.#home = home;
  }

  static async make(options: HostOptions): Promise<Host> {
    return new Host(options, await makeHome(`travel-${options.release}-`));
  }

  get stateDir(): string {
    return join(this.#home, "state");
  }

  /** The folder in which agents work. */
  get workspace(): string {
    return join(this.#home, "workspace");
  }

  async store(session: Session): Promise<void> {
    const worker = this.#worker?.alive ? this.#worker : await this.#start("patched");
    await worker.ask({ kind: "store", session }, START_MS);
  }

  /** Sends a message, in a new process when the last one was killed. */
  async send(session: Session, message: string): Promise<Said> {
    return await this.#turn("patched", session, message);
  }

  /** What is done in the next turn with this tag in it. */
  order(orders: Orders | object): void {
    // Emptied and not removed: a process may have it open.
    writeFileSync(this.#stepsFile, "");
    writeFileSync(this.#ordersFile, JSON.stringify(orders));
  }

  /** From now on nothing is killed from inside. */
  relieve(): void {
    writeFileSync(this.#ordersFile, JSON.stringify({ tag: "" } satisfies Orders));
  }

  /** The steps that were taken since, and the place where the process ended if it did so by order. */
  taken(): { readonly steps: Step[]; readonly killed: Place | undefined } {
    const all = this.written() as (Step | { readonly killed: Place })[];
    return {
      steps: all.flatMap((line) => ("killed" in line ? [] : [line])),
      killed: all.flatMap((line) => ("killed" in line ? [line.killed] : []))[0],
    };
  }

  /** What the preload has written since. */
  written(): unknown[] {
    const lines = readFileSync(this.#stepsFile, "utf8")
      .split("\n")
      .filter((line) => line !== "");
    return lines.map((line) => JSON.parse(line) as unknown);
  }

  /** kill -9, and the wait until it is gone; also of one that has ended itself. */
  async kill(): Promise<void> {
    await this.#worker?.stop();
    this.#worker = undefined;
  }

  /** Runs `work` on a copy of the state, in the very same place; no process may run. */
  async onCopy<Result>(work: () => Promise<Result>): Promise<Result> {
    const kept = `${this.#home}.kept`;
    renameSync(this.#home, kept);
    cpSync(kept, this.#home, { recursive: true });
    try {
      return await work();
    } finally {
      await this.kill();
      rmSync(this.#home, { recursive: true, force: true, maxRetries: 5 });
      renameSync(kept, this.#home);
    }
  }

  /** Sends a message to the OpenClaw that nobody patched, without the plugin. */
  async sendToStock(session: Session, message: string): Promise<Said> {
    return await this.#turn("stock", session, message);
  }

  /** Sends messages to the patched gateway, one after the other. */
  async sendToGateway(session: Session, messages: readonly string[]): Promise<Said[]> {
    const { roots, release, providerUrl } = this.#options;
    const dist = join(roots.patched, "node_modules", "openclaw", "dist");
    const { plugins, channels } = pluginSettings(dist, MAY_TRAVEL);
    // Run in-process, such a release is told the file; its gateway looks it up.
    if (hasSessionFiles(dist))
      writeFileSync(
        join(this.stateDir, "agents", "main", "sessions", "sessions.json"),
        JSON.stringify({ [session.key]: { sessionId: session.id, updatedAt: Date.now() } }),
      );
    const gateway = await openGateway({
      root: roots.patched,
      release,
      providerUrl,
      home: this.#home,
      tools: TOOLS,
      settings: { plugins, channels },
    });
    try {
      await gateway.start();
      const said: Said[] = [];
      for (const message of messages) {
        const { finalText, error } = await gateway.send(session.key, message);
        said.push({ answered: error === undefined && finalText !== "", ...(error !== undefined && { error }) });
      }
      return said;
    } finally {
      await gateway.close();
      for (const line of gateway.log().split("\n")) this.#log(line);
    }
  }

  async close(): Promise<void> {
    await this.kill();
    rmSync(this.#home, { recursive: true, force: true, maxRetries: 5 });
  }

  async #turn(variant: Variant, session: Session, message: string): Promise<Said> {
    const worker = this.#worker?.alive ? this.#worker : await this.#start(variant);
    try {
      const { answered, error } = (await worker.ask(
        { kind: "turn", session, message, timeoutMs: TURN_MS },
        TURN_MS + GRACE_MS,
      )) as TurnResult;
      return { answered, ...(error !== undefined && { error }) };
    } catch (error) {
      return { answered: false, error: [String(error), ...this.#lines].join("\n") };
    }
  }

  async #start(variant: Variant): Promise<WorkerProcess> {
    const { roots, providerUrl } = this.#options;
    const home = this.#home;
    this.#lines.length = 0;
    const watched = {
      NODE_OPTIONS: `--import=${this.#options.preload ?? PRELOAD}`,
      [ORDERS_FILE]: this.#ordersFile,
      [STEPS_FILE]: this.#stepsFile,
    };
    const worker = new WorkerProcess({
      home,
      env: { ...workerEnvironment(home, providerUrl), ...(variant === "patched" && watched) },
      log: (line) => this.#log(line),
    });
    this.#worker = worker;
    await worker.ask(
      {
        kind: "open",
        setup: {
          root: roots[variant],
          home,
          providerUrl,
          ...(variant === "patched" && { plugin: this.#options.plugin ?? MAY_TRAVEL }),
        },
      },
      START_MS,
    );
    return worker;
  }

  #log(line: string): void {
    this.#options.log?.(line);
    this.#lines.push(line);
    if (this.#lines.length > LINES_KEPT) this.#lines.shift();
  }

  get #ordersFile(): string {
    return join(this.#home, "orders.json");
  }

  get #stepsFile(): string {
    return join(this.#home, "steps.jsonl");
  }
}
