import { fork } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isEntry, parseLines, type TranscriptEntry } from "../openclaw/transcript.ts";
import type { ModelApi, Session } from "../openclaw/types.ts";
import type { StoreRequest } from "./store-worker.ts";

const WORKER = fileURLToPath(new URL("store-worker.ts", import.meta.url));

/** A session to be put into a gateway's store, or to be read from it. */
export interface StoredSession {
  key: string;
  id: string;
  transcript: string;
}

/** The sessions of one gateway, as it keeps them. */
export interface SessionStore {
  /** Stores sessions; the gateway must not run. */
  store(sessions: readonly StoredSession[]): Promise<void>;
  /** The entries of the session that the key leads to now, in stored order; none when there is no such session. */
  read(key: string): Promise<TranscriptEntry[]>;
}

type Index = Record<string, { sessionId?: string; updatedAt?: number }>;

/** Sessions as JSONL files beside an index by key. */
export function fileStore(stateDir: string): SessionStore {
  const folder = join(stateDir, "agents", "main", "sessions");
  const index = join(folder, "sessions.json");
  const load = async (): Promise<Index> =>
    existsSync(index) ? (JSON.parse(await readFile(index, "utf8")) as Index) : {};
  return {
    async store(sessions) {
      const entries = await load();
      for (const { key, id, transcript } of sessions) {
        await writeFile(join(folder, `${id}.jsonl`), transcript);
        entries[key] = { sessionId: id, updatedAt: Date.now() };
      }
      await writeFile(index, JSON.stringify(entries, null, 2));
    },
    async read(key) {
      const id = (await load())[key]?.sessionId;
      const file = join(folder, `${id}.jsonl`);
      return id !== undefined && existsSync(file) ? parseLines(await readFile(file, "utf8")).filter(isEntry) : [];
    },
  };
}

/** Sessions as rows in SQLite, through OpenClaw's own access to them, which takes seconds to start. */
export function rowStore(root: string, env: Record<string, string>, api: ModelApi): SessionStore {
  const session = ({ key, id, transcript }: StoredSession): Session => ({ key, id, transcript, api });
  return {
    async store(sessions) {
      await ask({ root, kind: "store", sessions: sessions.map(session) }, env);
    },
    async read(key) {
      return (await ask(
        { root, kind: "read", sessions: [session({ key, id: "", transcript: "" })] },
        env,
      )) as TranscriptEntry[];
    },
  };
}

async function ask(request: StoreRequest, env: Record<string, string>): Promise<unknown> {
  const child = fork(WORKER, [], {
    env,
    execArgv: ["--no-warnings"],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    serialization: "advanced",
  });
  try {
    child.send(request);
    const ended = once(child, "exit").then(([code]) => [{ error: `its process ended (${String(code)})` }]);
    const [reply] = (await Promise.race([once(child, "message"), ended])) as [{ value?: unknown; error?: string }];
    if (reply.error !== undefined)
      throw new Error(`expected OpenClaw's session store to ${request.kind} a session; found: ${reply.error}`);
    return reply.value;
  } finally {
    child.kill("SIGKILL");
  }
}
