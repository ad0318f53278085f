import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createSessionIntegrity,
  MemorySession,
  openJournal,
  type Session,
  type SessionIntegrity,
} from "../../../src/integrity/index.ts";
import { JsonlSession } from "../../../src/integrity/sessions/jsonl.ts";
import { healthyFrom } from "../../../harness/arbitrary/history.ts";
import { median } from "../measure.ts";

/** One operation of SessionIntegrity against the specification's target. */
export interface OperationCost {
  store: string;
  operation: string;
  messages: number;
  times: number;
  medianMs: number;
  p99Ms: number;
  /** The slowest in a hundred by CPU time: without what the disk and other programs took. */
  p99CpuMs: number;
  /** The specified upper bound; missing where none is specified. */
  targetMs?: number;
}

/** What the promise that a call which began is on the disk costs on this machine, whoever makes it. */
export const DISK = "the disk alone: 4 kB, fsync";
const PAGE = Buffer.alloc(4096);
const TIMES = 200;
const WARM_UP = 20;
const SIZES = [20, 200, 1000];

/** The specification's "Performance Target". */
const TARGETS: Readonly<Record<string, number>> = {
  validate: 5,
  checkpoint: 10,
  "commit a checkpoint": 5,
  "roll back": 20,
  repair: 50,
  "a normal turn": 20,
};

/** Measures each operation on sessions in memory and in a file, with the journal on the disk. */
export async function measureIntegrity(): Promise<OperationCost[]> {
  const folder = mkdtempSync(join(tmpdir(), "bench-integrity-"));
  const journal = openJournal(join(folder, "journal.sqlite"));
  const integrity = createSessionIntegrity({ journal });
  const disk = openSync(join(folder, "disk"), "w");
  try {
    const costs: OperationCost[] = [];
    for (const size of SIZES) {
      costs.push(
        ...(await measureStore(
          "memory",
          new MemorySession({ id: `memory-${size}`, format: "openclaw", messages: makeHistory(size) }),
          integrity,
          disk,
        )),
      );
      const inFile = JsonlSession.create(join(folder, `session-${size}.jsonl`), { format: "openclaw" });
      await inFile.append(makeHistory(size));
      costs.push(...(await measureStore("JSONL file", inFile, integrity, disk)));
    }
    return costs;
  } finally {
    closeSync(disk);
    journal.close();
    rmSync(folder, { recursive: true });
  }
}

/** A healthy history of about `size` messages that ends with an answer. */
function makeHistory(size: number): unknown[] {
  const long = healthyFrom(11, size);
  const end = long.findLastIndex((message, index) => index <= size && (message as { role: string }).role === "user");
  return long.slice(0, end);
}

const user = (text: string): object => ({ role: "user", content: [{ type: "text", text }], timestamp: 1 });
const says = (text: string): object => ({
  role: "assistant",
  content: [{ type: "text", text }],
  stopReason: "stop",
  timestamp: 1,
});

/** What one operation took once. */
interface Spent {
  ms: number;
  cpuMs: number;
}

async function measureStore(
  store: string,
  session: Session,
  integrity: SessionIntegrity,
  disk: number,
): Promise<OperationCost[]> {
  const messages = session.messages.length;
  const times = new Map<string, Spent[]>();
  for (let nth = -WARM_UP; nth < TIMES; nth++) {
    const spent = await once(session, integrity, disk, nth);
    if (nth < 0) continue;
    for (const [operation, one] of Object.entries(spent)) times.set(operation, [...(times.get(operation) ?? []), one]);
  }
  return [...times].map(([operation, all]) => {
    const targetMs = TARGETS[operation];
    return {
      store,
      operation,
      messages,
      times: TIMES,
      medianMs: median(all.map(({ ms }) => ms)),
      p99Ms: slowest(all.map(({ ms }) => ms)),
      p99CpuMs: slowest(all.map(({ cpuMs }) => cpuMs)),
      ...(targetMs !== undefined && { targetMs }),
    };
  });
}

/** The slowest in a hundred. */
function slowest(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)]!;
}

/**
 * A turn with a call of a tool, then a rollback and a repair; the session is as long as before in the end. What each
 * took, in ms.
 */
async function once(
  session: Session,
  integrity: SessionIntegrity,
  disk: number,
  nth: number,
): Promise<Record<string, Spent>> {
  const spent: Record<string, Spent> = {};
  async function take<Value>(operation: string, work: () => Value | Promise<Value>): Promise<Value> {
    const started = performance.now();
    const cpu = process.threadCpuUsage();
    const value = await work();
    const { user: inCode, system } = process.threadCpuUsage(cpu);
    spent[operation] = { ms: performance.now() - started, cpuMs: (inCode + system) / 1000 };
    return value;
  }
  await take(DISK, () => {
    writeSync(disk, PAGE);
    fsyncSync(disk);
  });
  const before = await integrity.checkpoint(session, "manual");
  await session.append([user("read the note")]);
  const checkpoint = await take("checkpoint", () => integrity.checkpoint(session, "api_call"));
  const { valid } = await take("validate", () => integrity.validate(session, { allowOpenEnd: false }));
  const call = {
    role: "assistant" as const,
    content: [{ type: "toolCall", id: `toolu_bench_${nth}`, name: "read", arguments: { path: "note.txt" } }],
    stopReason: "toolUse",
    timestamp: 1,
  };
  const cycle = await take("a tool cycle", () =>
    integrity.executeToolCycle(session, call, { execute: async () => ({ output: "blue heron" }) }),
  );
  await session.append([says("It is read.")]);
  await take("commit a checkpoint", () => integrity.checkpoints(session).commit(checkpoint.id));
  if (!valid || !cycle.success) throw new Error(`the turn failed: ${cycle.error ?? "the history is not valid"}`);
  const parts = ["checkpoint", "validate", "a tool cycle", "commit a checkpoint"].map((operation) => spent[operation]!);
  spent["a normal turn"] = {
    ms: parts.reduce((sum, { ms }) => sum + ms, 0),
    cpuMs: parts.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
  };
  await session.append([
    {
      role: "toolResult",
      toolCallId: `toolu_lost_${nth}`,
      toolName: "read",
      content: [{ type: "text", text: "of nothing" }],
      isError: false,
      timestamp: 1,
    },
  ]);
  const { repaired } = await take("repair", () => integrity.repair(session));
  const { success } = await take("roll back", () => integrity.rollback(session, before.id));
  if (!repaired || !success) throw new Error("the session could not be repaired and taken back");
  return spent;
}
