import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { ensureRelease } from "../../../harness/openclaw/ensure-release.ts";
import { calls, result, user } from "../../../harness/messages.ts";
import { RELEASES } from "../../../src/patching/base/releases.ts";
import { bareLoop } from "../bare.ts";
import { makeHistory } from "../calls.ts";
import { undisturbed } from "../measure.ts";
import { collectIds, type Message } from "./formats.ts";
import { tellDeeds, type Deeds } from "./deeds.ts";
import { installPinned } from "../../pinned.ts";
import { SUBJECTS, type Folders, type Subject } from "./subjects.ts";

/** What one project's step costs on healthy histories, and what it does with two broken ones. */
export interface PeerCost {
  readonly name: string;
  readonly does: string;
  /** Undefined where the project is not installed. */
  readonly measured?: {
    readonly orphan: string;
    readonly unanswered: string;
    readonly deeds: Deeds;
    readonly sizes: readonly SizeCost[];
  };
}

/** Of one length of the history: ms, and times of the two yardsticks; undefined where a call takes too long. */
export interface SizeCost {
  readonly messages: number;
  readonly cost?: { readonly ms: number; readonly bare: number; readonly json: number };
}

export const SIZES: readonly number[] = [10, 100, 1_000, 10_000, 100_000];
const ROUNDS = 61;
const TOTAL_MS = 2_000;
const MIN_ROUNDS = 3;
const ROUND_MS = 1;
const WARM_UP = 20;
/** A longer call is warm after the calls by which its time was estimated. */
const SHORT_MS = 20;
/** One call that takes longer than this is not repeated; longer histories are not tried. */
const TOO_LONG_MS = 20_000;
const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));

/** Measures all projects, each in a process of its own, on the same histories. */
export async function measurePeers(): Promise<PeerCost[]> {
  const openclaw: Record<string, string> = {};
  for (const { release } of RELEASES) openclaw[release] = join((await ensureRelease(release)).stock, "dist");
  const folders: Folders = { peers: await installPinned("peers", import.meta.dirname), openclaw };
  const costs: PeerCost[] = [];
  for (const { name, does } of SUBJECTS) {
    process.stderr.write(`measuring ${name}\n`);
    const child = fork(WORKER, [name, JSON.stringify(folders)], {
      execArgv: ["--no-warnings"],
      serialization: "advanced",
      // What others print while they are loaded is not of the report.
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const ended = once(child, "exit");
    const [measured] = (await Promise.race([once(child, "message"), ended])) as [PeerCost["measured"] | number];
    child.kill();
    await ended;
    if (typeof measured === "number") throw new Error(`The measurement of ${name} failed`);
    costs.push({ name, does, ...(measured && { measured }) });
  }
  return costs;
}

/** Measures one of them in this process; undefined where it is not installed. */
export async function measureSubject(name: string, folders: Folders): Promise<PeerCost["measured"]> {
  const subject = await SUBJECTS.find((one) => one.name === name)?.load(folders);
  if (!subject) return undefined;
  const sizes: SizeCost[] = [];
  let isTooLong = false;
  for (const size of SIZES) {
    const cost: SizeCost["cost"] = isTooLong ? undefined : await measureCost(subject, makeHistory(size) as Message[]);
    isTooLong ||= cost === undefined;
    sizes.push({ messages: size, ...(cost && { cost }) });
  }
  const [orphan, unanswered] = [await orphanOutcome(subject), await unansweredOutcome(subject)];
  return { orphan, unanswered, deeds: await tellDeeds(subject), sizes };
}

/** As `compare`, for functions that may be asynchronous or need seconds. */
async function measureCost(subject: Subject, messages: readonly Message[]): Promise<SizeCost["cost"]> {
  const history = subject.from(messages);
  const since = performance.now();
  await subject.run(history);
  if (performance.now() - since > TOO_LONG_MS) return undefined;
  const ways = [() => subject.run(history), () => bareLoop(messages, "content"), () => JSON.stringify(messages)].map(
    (run) => ({ run, times: [] as number[] }),
  );
  const counts: number[] = [];
  for (const { run } of ways) {
    const ms = await timed(run, 3);
    const count = Math.max(1, Math.round(ROUND_MS / Math.max(ms, 1e-5)));
    counts.push(count);
    // The engine has to have seen a function often before it is as fast as it gets.
    const rounds = ms < SHORT_MS ? WARM_UP : 0;
    for (let round = 0; round < rounds; round++) await timed(run, count);
  }
  const start = performance.now();
  for (let round = 0; round < ROUNDS && (round < MIN_ROUNDS || performance.now() - start < TOTAL_MS); round++)
    for (const [at, { run, times }] of ways.entries()) times.push(await timed(run, counts[at]!));
  const [own, bare, json] = ways.map(({ times }) => undisturbed(times)) as [number, number, number];
  return { ms: own, bare: own / bare, json: own / json };
}

async function timed(run: () => unknown, times: number): Promise<number> {
  const started = performance.now();
  for (let call = 0; call < times; call++) {
    const outcome = run();
    // A wait of nothing would be the cost of the fastest ones.
    if (outcome instanceof Promise) await outcome;
    else if (outcome === undefined) throw new Error("A measured call gave nothing");
  }
  return (performance.now() - started) / times;
}

/** A result without a call: what is left of it. */
async function orphanOutcome(subject: Subject): Promise<string> {
  const outcome = await measureOutcome(subject, [
    user("look"),
    calls("call1"),
    result("call1"),
    result("call9"),
    user("go on"),
  ]);
  if (typeof outcome === "string") return outcome;
  if (!outcome.results.has("call9")) return "removed";
  return outcome.calls.has("call9") ? "gets a call" : "stays";
}

/** A call without a result. */
async function unansweredOutcome(subject: Subject): Promise<string> {
  const outcome = await measureOutcome(subject, [
    user("look"),
    calls("call1", "call2"),
    result("call1"),
    user("go on"),
  ]);
  if (typeof outcome === "string") return outcome;
  if (outcome.results.has("call2")) return "gets a result";
  return outcome.calls.has("call2") ? "stays" : "removed";
}

async function measureOutcome(subject: Subject, messages: unknown[]): Promise<ReturnType<typeof collectIds> | string> {
  try {
    const out = (await subject.run(subject.from(messages as Message[]))) as unknown[];
    return collectIds(out);
  } catch {
    return "throws";
  }
}
