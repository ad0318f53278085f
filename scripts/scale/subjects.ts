/** What is measured at growing sizes: each makes its data grow to a size, and does its work there. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { carelessBody } from "../../harness/arbitrary/bodies.ts";
import { Continuity, openSqliteStore } from "../../src/continuity/index.ts";
import { scan } from "../../src/health/index.ts";
import { openJournal, type Journal } from "../../src/journal/index.ts";
import { openCatalog } from "../../src/store/index.ts";
import { validate } from "../../src/transcript/index.ts";
import { heal } from "../../src/wire/index.ts";
import { projectWithTasks } from "../bench/continuity/append.ts";
import { makeHistory } from "../bench/calls.ts";
import { makeTranscript, TRANSCRIPT_ROWS } from "../bench/scan/scan.ts";

/** A subject that has grown to a size. */
export interface Grown {
  /** How many units one run of the work is for. */
  readonly units: number;
  /** What a run gets, made before its time is taken: objects that were judged before cost nothing. */
  readonly make?: () => unknown;
  readonly work: (made: unknown) => unknown;
}

/** How a subject grows in a folder of its own; called with sizes that become larger. */
export type Subject = (folder: string) => (size: number) => Grown | Promise<Grown>;

/** The subjects, by what one unit is. */
export const SUBJECTS: Readonly<Record<string, Subject>> = {
  "validate: a message": () => (size) => {
    const messages = makeHistory(size);
    const make = (): unknown => structuredClone(messages);
    return { units: messages.length, make, work: (made) => validate(made as unknown[]) };
  },
  "heal: a message of a Chat Completions body": () => (size) => {
    const body = carelessBody("openai-completions", makeHistory(size));
    const make = (): unknown => structuredClone(body);
    return {
      units: (body["messages"] as unknown[]).length,
      make,
      work: (made) => heal("openai-completions", made as typeof body),
    };
  },
  "scan: a stored message": (folder) => (size) => {
    const sessions = Math.max(1, Math.round(size / TRANSCRIPT_ROWS));
    storeSessions(folder, sessions);
    return { units: sessions * TRANSCRIPT_ROWS, work: () => scanAll(folder) };
  },
  "journal: a call behind so many": (folder) => {
    const journal = openJournal(join(folder, "journal.sqlite"));
    let calls = 0;
    return (size) => {
      while (calls < size) recordCall(journal, calls++);
      const units = Math.min(100, size);
      return { units, work: () => repeat(units, () => recordCall(journal, calls++)) };
    };
  },
  "kernel: an event behind so many": (folder) => {
    const store = openSqliteStore({ file: join(folder, "kernel.sqlite") });
    let events = 0;
    let begun: ReturnType<typeof projectWithTasks> | undefined;
    return async (size) => {
      begun ??= projectWithTasks(new Continuity({ store }), "scale");
      const { append } = await begun;
      for (; events < size; events++) await append();
      const units = Math.min(100, size);
      return { units, work: () => repeat(units, append) };
    };
  },
};

async function repeat(times: number, work: () => unknown): Promise<void> {
  for (let time = 0; time < times; time++) await work();
}

/** A call from before it runs until its result is in the transcript, in one of a thousand sessions. */
function recordCall({ cycles }: Journal, at: number): void {
  const callId = `call_${at}`;
  const inputHash = String(at).padStart(64, "0");
  const [id] = cycles.pending([{ sessionId: `session-${at % 1000}`, callId, toolName: "exec", inputHash }]);
  cycles.start(id!);
  cycles.record(id!, { content: [{ type: "text", text: `done ${at}` }], isError: false });
  cycles.commit([id!]);
}

function storeSessions(stateDirectory: string, sessions: number): void {
  const folder = join(stateDirectory, "agents", "main", "sessions");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const entries: Record<string, unknown> = {};
  const transcripts = Array.from({ length: Math.min(sessions, 50) }, (_, at) => makeTranscript(at));
  for (let at = 0; at < sessions; at++) {
    writeFileSync(join(folder, `session-${at}.jsonl`), transcripts[at % transcripts.length]!);
    entries[`agent:main:${at}`] = { sessionId: `session-${at}`, updatedAt: at };
  }
  writeFileSync(join(folder, "sessions.json"), JSON.stringify(entries));
}

async function scanAll(stateDirectory: string): Promise<void> {
  const catalog = openCatalog(stateDirectory);
  try {
    await scan(catalog);
  } finally {
    catalog.close();
  }
}
