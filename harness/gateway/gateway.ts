import { randomInt, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeHome, type ModelApi, type TranscriptEntry } from "../openclaw/index.ts";
import { GatewayClient, GatewayRefusal, type GatewayEvent } from "./client.ts";
import { gatewayConfig, gatewayEnvironment, hasSessionFiles } from "./config.ts";
import { Device } from "./device.ts";
import { type GatewayCommand, GatewayProcess, type RunningGateway, type Usage } from "./process.ts";
import { ReplyCollector, type Reply } from "./reply.ts";
import { fileStore, rowStore, type SessionStore } from "./store.ts";
import { patience } from "../patience.ts";

/** Which OpenClaw is started, and whom it talks to. */
export interface GatewayOptions {
  /** Folder that contains `node_modules/openclaw`; it is never written to. */
  root: string;
  /** For messages only. */
  release: string;
  /** Base URL of the strict provider, without a path. */
  providerUrl: string;
  /** The API of the model that every session talks to, `anthropic-messages` by default. */
  api?: ModelApi;
  /** OpenClaw's tools that are offered, `read` and `exec` by default. */
  tools?: readonly string[];
  /** How long a turn may take, in seconds; by default OpenClaw's own limit. */
  timeoutSeconds?: number;
  /** More environment for the gateway, e.g. `OPENCLAW_INTEGRITY`. */
  env?: Record<string, string>;
  /** What the client may do: `operator.read` and `operator.write` by default. */
  scopes?: readonly string[];
  /** Settings that are put over those of the test, two levels deep: `{ plugins: { entries: ... } }`. */
  settings?: Record<string, object>;
  /**
   * A home with a state that another OpenClaw has left; it stays when the gateway is closed. One of its own by default.
   */
  home?: string;
  /** The test lets something said disappear from a history, so that the guard may say so. */
  mayForget?: boolean;
  /** Starts the gateway, where that is not for the test to do; as a process of the test by default. */
  launch?: (command: GatewayCommand) => RunningGateway;
}

/** How a message is sent. */
export interface SendOptions {
  /**
   * How long the turn may take, 150 s by default: a release that retries with growing pauses needs more than one
   * minute.
   */
  timeoutMs?: number;
}

/** A gateway with a state folder of its own, and a client that is connected to it. */
export interface Gateway {
  readonly release: string;
  /** OpenClaw's state folder, where a patched one keeps its journal and its archives. */
  readonly stateDir: string;
  /** Where the agent's tools work; `WORKSPACE_NOTE` lies there. */
  readonly workspaceDir: string;
  /**
   * Stores a session under a key (`agent:main:...`) before the start; the transcript is JSONL text, stored as it is.
   */
  seed(key: string, transcript: string): Promise<void>;
  /** The same with several, which takes no longer than with one. */
  seedAll(sessions: readonly (readonly [key: string, transcript: string])[]): Promise<void>;
  /** Starts the gateway and connects; also again after a kill, on the same state. */
  start(): Promise<void>;
  /**
   * Sends a message and waits until OpenClaw is done with it, also with the attempts that a client hears nothing of.
   * Sessions may be served at once. Rejects when the gateway dies, refuses the message, or does not come to an end in
   * time.
   */
  send(key: string, text: string, options?: SendOptions): Promise<Reply>;
  /** As `send`, by another client, which may do what these scopes say. */
  sendAs(scopes: readonly string[], key: string, text: string): Promise<Reply>;
  /**
   * Sends a message and waits only until the gateway has acknowledged it; its run id. `more` goes with it, a
   * `queueMode` for instance. What becomes of it is told by events. Rejects when the gateway dies, refuses it, or
   * says that a stop came before it was taken.
   */
  post(key: string, text: string, more?: object): Promise<string>;
  /** Calls `listener` with each event from now on, of later starts too; the function it gives ends that. */
  listen(listener: (event: GatewayEvent) => void): () => void;
  /** What the gateway's process has used, where the system tells it and the process runs. */
  usage(): Usage | undefined;
  /** How many bytes a file may have that the gateway writes, from now on: 0 is a disk that is full. Linux only. */
  limitFiles(bytes: number): void;
  /** Calls a method of the gateway; rejects with its refusal. */
  request(method: string, params: object): Promise<Record<string, unknown>>;
  /** The messages of a session as a client is shown them. */
  history(key: string): Promise<Record<string, unknown>[]>;
  /** The entries that the store holds of a session, in stored order. */
  stored(key: string): Promise<TranscriptEntry[]>;
  /** Resolves when the gateway's process has ended by itself, with how. Its supervisor would `start()` it again. */
  whenEnded(): Promise<string>;
  /** kill -9, or another signal. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Kills it and starts it again on the same state. */
  restart(): Promise<void>;
  /** Everything that the gateway has printed. */
  log(): string;
  /** What the guard has said of messages that are in no later request of their session, line by line. */
  forgotten(): string[];
  /**
   * Ends the gateway and removes what it has written, unless it was given a home. Throws when the guard has found that
   * something said is gone, unless the test may forget.
   */
  close(): Promise<void>;
}

const START_TIMEOUT_MS = patience(120_000);
const SEND_TIMEOUT_MS = patience(150_000);
const POLL_MS = 100;
const FORGOTTEN = "[openclaw-integrity] forgotten: ";

/** Makes a gateway of an installed release, with an empty state unless it is given a home; `start()` starts it. */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { root, release } = options;
  if (!existsSync(join(root, "node_modules", "openclaw", "package.json"))) {
    throw new Error(`expected OpenClaw ${release} in ${root}; it is not installed there`);
  }
  return new RealGateway(options.home ?? (await makeHome(`gateway-${release}-`)), options, await freePort());
}

class RealGateway implements Gateway {
  readonly release: string;
  readonly stateDir: string;
  readonly workspaceDir: string;
  readonly #home: string;
  readonly #options: GatewayOptions;
  readonly #port: number;
  readonly #token = randomUUID();
  readonly #device: Device;
  readonly #lines: string[] = [];
  readonly #store: SessionStore;
  readonly #env: Record<string, string>;
  readonly #listeners = new Set<(event: GatewayEvent) => void>();
  #configured = false;
  #process: RunningGateway | undefined;
  #client: GatewayClient | undefined;

  constructor(home: string, options: GatewayOptions, port: number) {
    this.release = options.release;
    this.stateDir = join(home, "state");
    this.workspaceDir = join(home, "workspace");
    this.#home = home;
    this.#options = options;
    this.#device = new Device(options.scopes);
    this.#port = port;
    this.#env = { ...gatewayEnvironment(home, options.providerUrl), ...options.env };
    this.#store = hasSessionFiles(this.#dist) ? fileStore(this.stateDir) : rowStore(options.root, this.#env, this.#api);
  }

  async seed(key: string, transcript: string): Promise<void> {
    await this.seedAll([[key, transcript]]);
  }

  async seedAll(sessions: readonly (readonly [key: string, transcript: string])[]): Promise<void> {
    if (this.#process?.end === undefined && this.#process !== undefined)
      throw new Error("expected seed() before start(); the gateway is running");
    await this.#configure();
    if (sessions.length > 0)
      await this.#store.store(sessions.map(([key, transcript]) => ({ key, id: randomUUID(), transcript })));
  }

  async start(): Promise<void> {
    await this.#configure();
    const entry = join(this.#options.root, "node_modules", "openclaw", "openclaw.mjs");
    const log = (line: string): void => void this.#lines.push(line);
    const command = { entry, port: this.#port, home: this.#home, env: this.#env, log };
    this.#process = this.#options.launch?.(command) ?? new GatewayProcess(command);
    this.#client = await this.#connect(this.#process);
    this.#client.listen((event) => {
      for (const listener of this.#listeners) listener(event);
    });
  }

  async send(key: string, text: string, options: SendOptions = {}): Promise<Reply> {
    return await this.#send(this.#connected(), key, text, options);
  }

  async sendAs(scopes: readonly string[], key: string, text: string): Promise<Reply> {
    const client = await GatewayClient.connect(`ws://127.0.0.1:${this.#port}`, this.#token, new Device(scopes));
    try {
      return await this.#send(client, key, text, {});
    } finally {
      client.close();
    }
  }

  async #send(
    client: GatewayClient,
    key: string,
    text: string,
    { timeoutMs = SEND_TIMEOUT_MS }: SendOptions,
  ): Promise<Reply> {
    const runId = randomUUID();
    const params = { sessionKey: key, message: text, idempotencyKey: runId };
    const collector = new ReplyCollector(runId);
    const stop = client.listen((event) => collector.take(event));
    try {
      await client.request("chat.send", params);
      const end = performance.now() + timeoutMs;
      while (!(collector.closed && (await isOver(client, params)))) {
        if (performance.now() > end)
          throw new Error(`expected an end of the turn within ${timeoutMs} ms; there was none`);
        client.assertOpen();
        await sleep(POLL_MS);
      }
      return collector.result();
    } finally {
      stop();
    }
  }

  async post(key: string, text: string, more: object = {}): Promise<string> {
    const runId = randomUUID();
    const params = { sessionKey: key, message: text, idempotencyKey: runId, ...more };
    const { status } = await this.#connected().request("chat.send", params);
    // So 2026.9 answers, without an error, a message that a stop reaches while it is being admitted.
    if (status === "timeout") throw new GatewayRefusal("stopped before it was taken");
    return runId;
  }

  listen(listener: (event: GatewayEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  usage(): Usage | undefined {
    return this.#process?.usage?.();
  }

  limitFiles(bytes: number): void {
    this.#process?.limitFiles?.(bytes);
  }

  async request(method: string, params: object): Promise<Record<string, unknown>> {
    return await this.#connected().request(method, params);
  }

  async history(key: string): Promise<Record<string, unknown>[]> {
    const { messages } = await this.#connected().request("chat.history", { sessionKey: key });
    return messages as Record<string, unknown>[];
  }

  stored(key: string): Promise<TranscriptEntry[]> {
    return this.#store.read(key);
  }

  async whenEnded(): Promise<string> {
    const how = (await this.#process?.whenEnded()) ?? "it was never started";
    this.#client?.close();
    this.#client = undefined;
    return how;
  }

  async kill(signal?: NodeJS.Signals): Promise<void> {
    await this.#process?.kill(signal);
    this.#client?.close();
    this.#client = undefined;
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  log(): string {
    return this.#lines.join("\n");
  }

  forgotten(): string[] {
    return this.#lines.filter((line) => line.includes(FORGOTTEN));
  }

  async close(): Promise<void> {
    await this.kill();
    if (this.#options.home === undefined) await rm(this.#home, { recursive: true, force: true, maxRetries: 5 });
    const [first] = this.forgotten();
    if (first !== undefined && this.#options.mayForget !== true)
      throw new Error(`expected each message of an accepted request in the next one; found: ${first}`);
  }

  get #dist(): string {
    return join(this.#options.root, "node_modules", "openclaw", "dist");
  }

  get #api(): ModelApi {
    return this.#options.api ?? "anthropic-messages";
  }

  async #configure(): Promise<void> {
    if (this.#configured) return;
    const { providerUrl, tools = ["read", "exec"], timeoutSeconds } = this.#options;
    const config = gatewayConfig({
      dist: this.#dist,
      home: this.#home,
      providerUrl,
      api: this.#api,
      tools,
      port: this.#port,
      token: this.#token,
      ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    });
    await writeFile(
      join(this.stateDir, "openclaw.json"),
      JSON.stringify(over(config as Record<string, object>, this.#options.settings ?? {}), null, 2),
    );
    this.#configured = true;
  }

  #connected(): GatewayClient {
    if (!this.#client)
      throw new Error("expected a gateway that runs; start() has not been called since it was made or killed");
    return this.#client;
  }

  /** A gateway that is still starting takes no connection, or refuses the client until it is ready. */
  async #connect(started: RunningGateway): Promise<GatewayClient> {
    const end = performance.now() + START_TIMEOUT_MS;
    for (;;) {
      try {
        return await GatewayClient.connect(`ws://127.0.0.1:${this.#port}`, this.#token, this.#device);
      } catch (error) {
        if (started.end !== undefined || performance.now() > end) {
          const found = started.end ?? "no gateway that takes a client";
          await started.kill();
          throw new Error(
            `expected OpenClaw ${this.release} to be ready within ${START_TIMEOUT_MS} ms; found: ${found}. It printed:\n${this.log()}`,
            { cause: error },
          );
        }
        await sleep(POLL_MS);
      }
    }
  }
}

function over(config: Record<string, object>, settings: Record<string, object>): object {
  return {
    ...config,
    ...Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, { ...config[key], ...value }])),
  };
}

/** The same message under the same key is no second one: it is answered with what has become of the first. */
async function isOver(client: GatewayClient, sent: object): Promise<boolean> {
  try {
    const { status } = await client.request("chat.send", sent);
    return status !== "started" && status !== "in_flight";
  } catch (error) {
    // A turn that failed is told again as it was.
    if (error instanceof GatewayRefusal) return true;
    throw error;
  }
}

// Below those that the system gives out by itself, and apart, because a gateway takes some behind its own too.
const FIRST_PORT = 20_000;
const PORT_STEP = 20;
const PORTS = 600;
const taken = new Set<number>();

/** A port that nobody listens on, a different one for each gateway of this process. */
async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORTS; tries++) {
    const port = FIRST_PORT + PORT_STEP * randomInt(PORTS);
    if (taken.has(port) || !(await isFree(port))) continue;
    taken.add(port);
    return port;
  }
  throw new Error(`expected a free port from ${FIRST_PORT} on; found none in ${PORTS} tries`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
