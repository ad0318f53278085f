import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeRandom, type Random } from "../../harness/random.ts";
import { Trace } from "./trace.ts";

/** What is played. */
export interface RunOptions {
  readonly sessions: number;
  readonly seed: string;
  /** One in so many sessions is hit by a kill, more or less. */
  readonly oneKillIn: number;
  /** Where the sessions lie; a folder of its own is made in it. */
  readonly folder?: string;
  /** No later than this the run ends with the batch that is being played. */
  readonly longestMs?: number;
  readonly say?: (line: string) => void;
}

/** What came of it. */
export interface RunResult {
  readonly counts: ReadonlyMap<string, number>;
  readonly kills: number;
  readonly faults: readonly string[];
  readonly seconds: number;
}

/** Sessions that share a folder, a journal and, until it is killed, a process. */
const BATCH = 500;
/** A process that says nothing for so long hangs. */
const SILENCE_MS = 60_000;

/** Plays the sessions in processes that are killed at random moments, and collects what is wrong. */
export async function playRun({
  sessions,
  seed,
  oneKillIn,
  folder = tmpdir(),
  longestMs = Number.POSITIVE_INFINITY,
  say = () => {},
}: RunOptions): Promise<RunResult> {
  const counts = new Map<string, number>();
  const faults: string[] = [];
  let kills = 0;
  const random = makeRandom(`${seed}:kills`);
  const home = mkdtempSync(join(folder, "library-sessions-"));
  const begun = performance.now();
  for (let first = 0; first < sessions && performance.now() - begun < longestMs; first += BATCH) {
    const count = Math.min(BATCH, sessions - first);
    const batch = join(home, String(first));
    mkdirSync(batch);
    const ended = await playBatch(batch, { seed, first, count, oneKillIn, random });
    kills += ended.kills;
    const found = [...ended.faults];
    for (const { kind, faults: wrong, counts: more, session } of new Trace(batch).progress()) {
      if (kind !== "done") continue;
      for (const fault of wrong ?? []) found.push(`session ${session}: ${fault}`);
      for (const [name, number] of Object.entries(more ?? {})) counts.set(name, (counts.get(name) ?? 0) + number);
    }
    for (const fault of found) {
      faults.push(fault);
      // A run that is cut off has no summary.
      say(fault);
    }
    if (found.length === 0) rmSync(batch, { recursive: true, force: true });
    say(
      `${first + count} of ${sessions} sessions, ${kills} kills, ${faults.length} faults, ${Math.round((performance.now() - begun) / 1000)} s`,
    );
  }
  if (faults.length === 0) rmSync(home, { recursive: true, force: true });
  else say(`what is wrong lies in ${home}`);
  return { counts, kills, faults, seconds: (performance.now() - begun) / 1000 };
}

interface Batch {
  readonly seed: string;
  readonly first: number;
  readonly count: number;
  readonly oneKillIn: number;
  readonly random: Random;
}

async function playBatch(
  folder: string,
  { seed, first, count, oneKillIn, random }: Batch,
): Promise<{ kills: number; faults: string[] }> {
  let left = Math.round(count / oneKillIn);
  let kills = 0;
  for (;;) {
    // The moment of a kill: behind so many sessions, and some time within the next.
    const killAfter =
      left > 0
        ? {
            sessions: random.between(
              0,
              Math.max(1, Math.floor((2 * count) / Math.max(1, Math.round(count / oneKillIn)))),
            ),
            ms: random.real() * 25,
          }
        : undefined;
    const end = await playLife(folder, [seed, String(first), String(count)], killAfter);
    if (end === "done") return { kills, faults: [] };
    if (end !== "killed") return { kills, faults: [end] };
    kills++;
    left--;
  }
}

/** A process from its start to its end, which is in peace, by our kill, or by what must not be. */
async function playLife(
  folder: string,
  given: readonly string[],
  killAfter: { sessions: number; ms: number } | undefined,
): Promise<string> {
  const worker = spawn(process.execPath, [join(import.meta.dirname, "worker.ts"), folder, ...given], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { promise, resolve } = Promise.withResolvers<string>();
  let [said, played, isKilled] = ["", 0, false];
  const hang = setTimeout(() => {
    said = `hangs: a process has said nothing for ${SILENCE_MS} ms`;
    worker.kill("SIGKILL");
  }, SILENCE_MS);
  const kill = (): void => {
    isKilled = worker.kill("SIGKILL");
  };
  worker.stdout.on("data", (chunk: Buffer) => {
    hang.refresh();
    const before = played;
    played += chunk.toString().split("\n").length - 1;
    // The first line is said when the process has begun.
    if (killAfter && before <= killAfter.sessions && played > killAfter.sessions) setTimeout(kill, killAfter.ms);
  });
  worker.stderr.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(0, 2000);
  });
  worker.on("close", (code) => {
    clearTimeout(hang);
    if (code === 0) resolve("done");
    else resolve(isKilled ? "killed" : said.startsWith("hangs") ? said : `ends: a process ended with ${code}: ${said}`);
  });
  return promise;
}
