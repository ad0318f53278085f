import * as fc from "fast-check";
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { faultOfCommand } from "./commands.ts";
import { changedBytes, hostileInput, type HostileInput } from "./inputs.ts";
import { faultOfStore, faultOfText } from "./judge.ts";
import { putStore, type RealStores } from "./stores.ts";

/** A piece of the work. */
export interface HostileJob {
  readonly seed: number;
  readonly runs: number;
  /** One of so many inputs goes to a command too. */
  readonly commandEvery: number;
}

/** How many inputs of each family there were, and of commands. */
export type Counts = Record<string, number>;

/** What a worker says of a job. */
export interface HostileDone {
  readonly counts: Counts;
  /** The smallest input found that is not taken well, and how to get it again. */
  readonly failure?: string;
}

/** Runs a job in a folder of its own. */
export async function runHostile({ seed, runs, commandEvery }: HostileJob, stores: RealStores): Promise<HostileDone> {
  const counts: Counts = {};
  const stateDir = mkdtempSync(join(tmpdir(), "openclaw-integrity-fuzz-"));
  let turn = 0;
  let kind: string | undefined;
  const count = (name: string): void => {
    // What is tried while a failure is made smaller is no random input any more.
    if (kind === undefined) counts[name] = (counts[name] ?? 0) + 1;
  };
  const property = fc.asyncProperty(hostileInput, async (input) => {
    if (kind === undefined) turn++;
    const isCommanded = turn % commandEvery === 0;
    count(input.family);
    if (isCommanded) count("commands");
    const fault = await findFault(input, stateDir, stores, turn, isCommanded);
    if (fault === undefined || !fault.startsWith(kind ?? "")) return;
    kind ??= fault.split(":").slice(0, 2).join(":");
    throw new Error(fault);
  });
  try {
    const details = await fc.check(property, { seed, numRuns: runs, interruptAfterTimeLimit: 600_000 });
    if (!details.failed) return { counts };
    const error = details.errorInstance;
    const shown = JSON.stringify(details.counterexample)?.slice(0, 1500);
    return {
      counts,
      failure: `seed ${seed}, path ${details.counterexamplePath ?? "?"}, function turn ${turn}: ${error instanceof Error ? error.message : String(error)}\n${shown}`,
    };
  } finally {
    rmSync(stateDir, { recursive: true, force: true });
  }
}

async function findFault(
  input: HostileInput,
  stateDir: string,
  stores: RealStores,
  turn: number,
  isCommanded: boolean,
): Promise<string | undefined> {
  rmSync(join(stateDir, "agents"), { recursive: true, force: true });
  if ("store" in input) {
    const file = putStore(
      stateDir,
      stores,
      input.store,
      (bytes) => changedBytes(bytes, input.changes),
      (place, bytes) => writeFileSync(place, bytes, { mode: 0o600 }),
    );
    const fault = await faultOfStore(input.store, stateDir, file);
    return fault ?? (isCommanded ? faultOfCommand(stateDir, turn, input.store) : undefined);
  }
  const fault = await faultOfText(input.text, turn);
  if (fault !== undefined || !isCommanded) return fault;
  const folder = join(stateDir, "agents", "main", "sessions");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "hostile.jsonl"), input.text);
  writeFileSync(
    join(folder, "sessions.json"),
    JSON.stringify({ "agent:main:main": { sessionId: "hostile", updatedAt: 1 } }),
  );
  return faultOfCommand(stateDir, turn, "file");
}
