import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { workerEnvironment } from "./environment.ts";
import { makeHome } from "./home.ts";
import { WorkerProcess } from "./process.ts";
import type { Ask, Opened } from "./protocol.ts";
import type { TranscriptEntry } from "./transcript.ts";
import type { ModelApi, RunInput, RunResult, Session, TurnResult } from "./types.ts";
import { patience } from "../patience.ts";

/** Where OpenClaw is installed and whom it talks to. */
export interface OpenClawOptions {
  /** Folder that contains `node_modules/openclaw`; it is never written to. */
  root: string;
  /** For messages only; how the release is driven is found out from its files. */
  release: string;
  /** Base URL of the strict provider, without a path. */
  providerUrl: string;
  /** More environment for OpenClaw's process, e.g. `OPENCLAW_INTEGRITY`. */
  env?: Record<string, string>;
  /** Loads our plugin, as it is shipped, with this configuration. */
  plugin?: object;
  /** Gets every line that OpenClaw prints. */
  log?: (line: string) => void;
  /** How long one turn may take, 30 s by default. */
  turnTimeoutMs?: number;
  /** What stands in the agent's settings.json, such as how long it waits before it asks a provider again. */
  agentSettings?: object;
}

/** A running OpenClaw that stored transcripts can be put into. */
export interface OpenClawDriver {
  readonly release: string;
  /** The APIs that this installation can talk; a session with another one would only fail. */
  readonly apis: readonly ModelApi[];
  /** How the release is driven, in a few words. */
  readonly adapter: string;
  /** OpenClaw's state folder, where a patched one keeps its journal and its archives. */
  readonly stateDir: string;
  /**
   * Stores the transcript as a session of its own and sends each message in turn; runs are done one after the other.
   */
  run(input: RunInput): Promise<RunResult>;
  /** Kills OpenClaw as kill -9 does; it is started again, on the same state, when it is next needed. */
  kill(): void;
  /** Ends OpenClaw and removes everything that it has written. */
  close(): Promise<void>;
}

const START_TIMEOUT_MS = 120_000;
const STORE_TIMEOUT_MS = 60_000;
// OpenClaw gets the signal to stop at the limit itself; its process is killed only if that does not help.
const GRACE_MS = 5_000;

/** Starts OpenClaw, in a process of its own, with a state folder of its own. */
export async function startOpenClaw(options: OpenClawOptions): Promise<OpenClawDriver> {
  const { root, release } = options;
  if (!existsSync(join(root, "node_modules", "openclaw", "package.json"))) {
    throw new Error(`OpenClaw ${release} is not installed in ${root}`);
  }
  const home = await makeHome(`openclaw-${release}-`);
  if (options.agentSettings)
    await writeFile(
      join(home, "state", "agents", "main", "agent", "settings.json"),
      JSON.stringify(options.agentSettings),
    );
  const driver = new Driver(home, options);
  try {
    await driver.start();
  } catch (error) {
    await driver.close();
    throw new Error(`OpenClaw ${release} in ${root} cannot be driven`, { cause: error });
  }
  return driver;
}

class Driver implements OpenClawDriver {
  readonly release: string;
  readonly stateDir: string;
  apis: readonly ModelApi[] = [];
  adapter = "";
  readonly #home: string;
  readonly #options: OpenClawOptions;
  #worker: WorkerProcess | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(home: string, options: OpenClawOptions) {
    this.release = options.release;
    this.stateDir = join(home, "state");
    this.#home = home;
    this.#options = options;
  }

  async start(): Promise<WorkerProcess> {
    const { root, providerUrl, env = {}, plugin, log = () => {} } = this.#options;
    const home = this.#home;
    const worker = new WorkerProcess({ home, env: { ...workerEnvironment(home, providerUrl), ...env }, log });
    this.#worker = worker;
    const opened = (await worker.ask(
      { kind: "open", setup: { root, home, providerUrl, ...(plugin && { plugin }) } },
      patience(START_TIMEOUT_MS),
    )) as Opened;
    this.apis = opened.apis;
    this.adapter = opened.name;
    return worker;
  }

  run(input: RunInput): Promise<RunResult> {
    return this.#inTurn(() => this.#run(input));
  }

  kill(): void {
    this.#worker?.kill();
  }

  async close(): Promise<void> {
    await this.#worker?.stop();
    await rm(this.#home, { recursive: true, force: true, maxRetries: 5 });
  }

  async #run(input: RunInput): Promise<RunResult> {
    const { messages, ...session } = input;
    const id = randomUUID();
    // A direct chat, because the history limit is a setting of those; the peer makes each run a session of its own.
    const stored: Session = { ...session, id, key: `agent:main:telegram:dm:${id.slice(0, 8)}` };
    const result: RunResult = {
      sessionId: stored.id,
      sessionKey: stored.key,
      turns: [],
      send: (message, route) => this.#inTurn(() => this.#turn({ ...stored, ...route }, message)),
      readTranscript: () => this.#inTurn(() => this.#read(stored)),
    };
    try {
      await this.#ask({ kind: "store", session: stored }, patience(STORE_TIMEOUT_MS));
    } catch (error) {
      return { ...result, error: String(error) };
    }
    for (const message of messages) result.turns.push(await this.#turn(stored, message));
    return result;
  }

  async #turn(session: Session, message: string): Promise<TurnResult> {
    const timeoutMs = session.turnTimeoutMs ?? this.#options.turnTimeoutMs ?? patience(30_000);
    const started = performance.now();
    try {
      return (await this.#ask(
        { kind: "turn", session, message, timeoutMs },
        timeoutMs + patience(GRACE_MS),
      )) as TurnResult;
    } catch (error) {
      return { answered: false, text: "", error: String(error), ms: Math.round(performance.now() - started) };
    }
  }

  async #read(session: Session): Promise<TranscriptEntry[]> {
    return (await this.#ask({ kind: "read", session }, patience(STORE_TIMEOUT_MS))) as TranscriptEntry[];
  }

  async #ask(request: Ask, timeoutMs: number): Promise<unknown> {
    const worker = this.#worker?.alive ? this.#worker : await this.start();
    return worker.ask(request, timeoutMs);
  }

  /** One thing at a time: OpenClaw changes the working directory of its process while it works. */
  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(task);
    this.#queue = done.catch(() => {});
    return done;
  }
}
