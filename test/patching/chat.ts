/**
 * A chat with OpenClaw 2026.2.3 whose agent is another program, and that program fails with the message it is given.
 */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { workerEnvironment } from "../../harness/openclaw/environment.ts";
import type { ChatMessage } from "./chat-worker.ts";
import { patience } from "../../harness/patience.ts";

const WORKER = fileURLToPath(new URL("chat-worker.ts", import.meta.url));
const REPLY_TIMEOUT_MS = patience(120_000);
/** What a program of the user's prints when its provider refuses a request: the provider's own text. */
const PROGRAM = "console.error(process.argv.at(-1));\nprocess.exit(1);\n";

/** A session that is there before the chat begins. */
export interface StoredSession {
  readonly key: string;
  readonly id: string;
  readonly transcript: string;
  /** Name of the transcript's file, where it is not the session's id. */
  readonly file?: string;
}

/** An OpenClaw that stored sessions were given to. */
export class FailingChat {
  readonly #root: string;
  readonly #home: string;
  readonly #folder: string;
  readonly #child: ChildProcess;

  /** Starts the OpenClaw in `root` with these sessions; `env` is added to its environment. */
  constructor(root: string, sessions: readonly StoredSession[], env: Readonly<Record<string, string>> = {}) {
    this.#root = root;
    this.#home = mkdtempSync(join(tmpdir(), "openclaw-failing-chat-"));
    this.#folder = join(this.#home, "state", "agents", "main", "sessions");
    for (const path of ["state/agents/main/sessions", "state/agents/main/agent", "tmp", "workspace"])
      mkdirSync(join(this.#home, path), { recursive: true });
    writeFileSync(join(this.#home, "program.mjs"), PROGRAM);
    writeFileSync(join(this.#home, "state", "openclaw.json"), JSON.stringify(makeConfig(this.#home)));
    writeFileSync(
      join(this.#folder, "sessions.json"),
      JSON.stringify(Object.fromEntries(sessions.map((session) => [session.key, this.#store(session)]))),
    );
    this.#child = fork(WORKER, [], {
      cwd: this.#home,
      // No provider is asked: nothing listens there.
      env: { ...workerEnvironment(this.#home, "http://127.0.0.1:9"), ...env },
      execArgv: ["--no-warnings"],
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
  }

  /** Sends a message, with whose text the program fails; gives what the user is shown. */
  async send(key: string, text: string): Promise<string> {
    this.#child.send({ root: this.#root, key, text } satisfies ChatMessage);
    const replied = once(this.#child, "message", { signal: AbortSignal.timeout(REPLY_TIMEOUT_MS) }).catch(
      (error: unknown) => {
        throw new Error(`expected a reply to "${text}" within ${REPLY_TIMEOUT_MS} ms; OpenClaw gave none.`, {
          cause: error,
        });
      },
    );
    const [reply] = (await replied) as [{ value?: string; error?: string }];
    if (reply.error !== undefined) throw new Error(`expected a reply to "${text}"; OpenClaw failed: ${reply.error}`);
    return reply.value ?? "";
  }

  /** What lies in the sessions' folder whose name begins so, by name. */
  files(prefix: string): Readonly<Record<string, string>> {
    const names = readdirSync(this.#folder).filter((name) => name.startsWith(prefix));
    return Object.fromEntries(names.map((name) => [name, readFileSync(join(this.#folder, name), "utf8")]));
  }

  /** The id of the session that the chat goes on in. */
  sessionId(key: string): string | undefined {
    const store = JSON.parse(readFileSync(join(this.#folder, "sessions.json"), "utf8")) as Record<
      string,
      { sessionId?: string }
    >;
    return store[key]?.sessionId;
  }

  /** Ends OpenClaw and removes what it has written. */
  async close(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill("SIGKILL");
      await once(this.#child, "exit");
    }
    rmSync(this.#home, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Writes the transcript, and returns the session's entry in OpenClaw's store. */
  #store({ id, transcript, file = `${id}.jsonl` }: StoredSession): object {
    const sessionFile = join(this.#folder, file);
    writeFileSync(sessionFile, transcript);
    return { sessionId: id, sessionFile, updatedAt: Date.now() };
  }
}

function makeConfig(home: string): object {
  return {
    models: { mode: "replace", bedrockDiscovery: { enabled: false } },
    agents: {
      defaults: {
        workspace: join(home, "workspace"),
        skipBootstrap: true,
        model: { primary: "claude-cli/opus" },
        cliBackends: { "claude-cli": { command: process.execPath, args: [join(home, "program.mjs")] } },
      },
    },
    plugins: { enabled: false },
  };
}
