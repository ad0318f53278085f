import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { providerPlugins } from "../../harness/openclaw/adapters/provider-plugins.ts";
import { workerEnvironment } from "../../harness/openclaw/environment.ts";
import { chooseModel } from "../../harness/openclaw/models.ts";
import type { TranscriptEntry } from "../../harness/openclaw/index.ts";
import type { Session } from "../../harness/openclaw/types.ts";
import type { ChatRequest } from "./chat-worker.ts";

const WORKER = fileURLToPath(new URL("chat-worker.ts", import.meta.url));
const REPLY_TIMEOUT_MS = 120_000;

/** An OpenClaw that gets messages the way its channels give them. */
export class Chat {
  readonly #home: string;
  readonly #dist: string;
  readonly #session: Session;
  readonly #child: ChildProcess;

  private constructor(home: string, dist: string, session: Session, child: ChildProcess) {
    this.#home = home;
    this.#dist = dist;
    this.#session = session;
    this.#child = child;
  }

  /** Starts OpenClaw with a state folder of its own in which the session is stored. */
  static async open(root: string, session: Session, providerUrl: string): Promise<Chat> {
    const home = await mkdtemp(join(tmpdir(), "openclaw-chat-"));
    const dist = join(root, "node_modules", "openclaw", "dist");
    for (const path of ["state/agents/main/agent", "tmp", "workspace"])
      await mkdir(join(home, path), { recursive: true });
    await writeFile(join(home, "state", "openclaw.json"), JSON.stringify(makeConfig(home, dist, session, providerUrl)));
    const env = workerEnvironment(home, providerUrl);
    const child = fork(WORKER, [], {
      cwd: home,
      env,
      execArgv: ["--no-warnings"],
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    const chat = new Chat(home, dist, session, child);
    try {
      await chat.#ask({ kind: "store", dist, session });
      return chat;
    } catch (error) {
      await chat.close();
      throw error;
    }
  }

  /** Sends a message; gives what the user is shown. */
  async send(text: string): Promise<string> {
    const texts = (await this.#ask({ kind: "message", dist: this.#dist, session: this.#session, text })) as string[];
    return texts.join("\n") || "(nothing)";
  }

  /** What the store holds of the session, in stored order. */
  async stored(): Promise<readonly TranscriptEntry[]> {
    return (await this.#ask({ kind: "stored", dist: this.#dist, session: this.#session })) as TranscriptEntry[];
  }

  /** Ends OpenClaw and removes what it has written. */
  async close(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill("SIGKILL");
      await once(this.#child, "exit");
    }
    await rm(this.#home, { recursive: true, force: true, maxRetries: 5 });
  }

  async #ask(request: ChatRequest): Promise<unknown> {
    this.#child.send(request);
    const replied = once(this.#child, "message", { signal: AbortSignal.timeout(REPLY_TIMEOUT_MS) }).catch(
      (error: unknown) => {
        throw new Error(`expected an answer to "${request.kind}" within ${REPLY_TIMEOUT_MS} ms; OpenClaw gave none.`, {
          cause: error,
        });
      },
    );
    const [reply] = (await replied) as [{ value?: unknown; error?: string }];
    if (reply.error !== undefined) throw new Error(`OpenClaw failed: ${reply.error}`);
    return reply.value;
  }
}

function makeConfig(home: string, dist: string, session: Session, providerUrl: string): object {
  const { provider, model, config } = chooseModel(session, providerUrl);
  return {
    models: { mode: "replace", providers: { [provider]: config } },
    agents: {
      defaults: { workspace: join(home, "workspace"), skipBootstrap: true, model: { primary: `${provider}/${model}` } },
    },
    tools: { allow: ["read"], toolSearch: false },
    plugins: { allow: providerPlugins(dist), slots: { memory: "none" } },
  };
}
