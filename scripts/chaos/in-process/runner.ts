import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { workerEnvironment } from "../../../harness/openclaw/environment.ts";
import type { Session } from "../../../harness/openclaw/types.ts";
import { makePlaces, type Places } from "../calls.ts";
import type { Chat, Runner, Said, Seed } from "../runner.ts";
import { eventsFile } from "../traces.ts";
import type { Ask, Reply, TurnResult } from "./protocol.ts";

const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));
const TURN_TIMEOUT_MS = 150_000;
const CLOSE_TO_TELL_MS = 50;

/** Which OpenClaw, and whom it asks. */
export interface InProcessOptions {
  /** Folder that contains `node_modules/openclaw`; it is never written to. */
  root: string;
  release: string;
  providerUrl: string;
  /** More environment for its process. */
  env?: Record<string, string>;
  /** Gets every line that OpenClaw prints. */
  log?: (line: string) => void;
}

/** OpenClaw's agent in a child process, as its command line runs it. */
export async function openInProcess(options: InProcessOptions): Promise<Runner> {
  const home = await mkdtemp(join(tmpdir(), `chaos-${options.release}-`));
  for (const path of ["state/agents/main/agent", "tmp"]) await mkdir(join(home, path), { recursive: true });
  return new InProcess(home, options);
}

class InProcess implements Runner {
  readonly mode = "in-process";
  readonly seesEvents = true;
  readonly marginMs = CLOSE_TO_TELL_MS;
  readonly resumesWithinMs = 0;
  readonly places: Places;
  readonly #home: string;
  readonly #options: InProcessOptions;
  #worker: Worker | undefined;

  constructor(home: string, options: InProcessOptions) {
    this.#home = home;
    this.#options = options;
    this.places = makePlaces(home);
  }

  async start(chats: readonly Seed[]): Promise<void> {
    const { root, providerUrl, env = {}, log = () => {} } = this.#options;
    const home = this.#home;
    this.#worker = new Worker(home, { ...workerEnvironment(home, providerUrl), ...env }, log);
    await this.#ask({ kind: "open", setup: { root, home, providerUrl }, events: eventsFile(this.places.traces) });
    await this.#ask({ kind: "store", sessions: chats.map(({ chat, transcript }) => toSession(chat, transcript)) });
  }

  async send(chat: Chat, message: string): Promise<Said> {
    return (await this.#ask({
      kind: "turn",
      session: toSession(chat),
      message,
      timeoutMs: TURN_TIMEOUT_MS,
    })) as TurnResult;
  }

  async stored(chat: Chat): Promise<string> {
    return JSON.stringify(await this.#ask({ kind: "read", session: toSession(chat) }));
  }

  async kill(): Promise<number> {
    const at = Date.now();
    await this.#worker?.kill();
    this.#worker = undefined;
    return at;
  }

  async close(): Promise<void> {
    await this.kill();
    await rm(this.#home, { recursive: true, force: true, maxRetries: 5 });
  }

  async #ask(request: Ask): Promise<unknown> {
    if (this.#worker === undefined) throw new Error("expected OpenClaw to run; start() it first");
    return await this.#worker.ask(request);
  }
}

function toSession({ id, key }: Chat, transcript = ""): Session {
  return { id, key, transcript, api: "anthropic-messages", tools: ["read", "exec"] };
}

/** One process, and the requests that wait for it. */
class Worker {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  readonly #exited: Promise<unknown>;
  #next = 0;
  #end: string | undefined;

  constructor(home: string, env: Record<string, string>, log: (line: string) => void) {
    this.#child = fork(WORKER, [], {
      cwd: home,
      env,
      execArgv: ["--no-warnings"],
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      serialization: "advanced",
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      if (stream) createInterface({ input: stream }).on("line", log);
    this.#child.on("message", (reply: Reply) => {
      const waiting = this.#waiting.get(reply.id);
      this.#waiting.delete(reply.id);
      if ("error" in reply) waiting?.reject(new Error(reply.error));
      else waiting?.resolve(reply.value);
    });
    this.#exited = once(this.#child, "exit").then(([code, signal]) =>
      this.#die(`OpenClaw's process ended (${String(signal ?? code)})`),
    );
  }

  ask(request: Ask): Promise<unknown> {
    if (this.#end !== undefined) return Promise.reject(new Error(this.#end));
    const id = this.#next++;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, { resolve, reject });
    this.#child.send({ ...request, id }, (error) => {
      if (error) this.#die(error.message);
    });
    return promise;
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#exited;
    // Commands that go on as orphans hold the other ends.
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream?.destroy();
  }

  #die(reason: string): void {
    this.#end ??= reason;
    for (const { reject } of this.#waiting.values()) reject(new Error(this.#end));
    this.#waiting.clear();
  }
}
