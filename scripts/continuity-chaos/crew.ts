import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Random, makeRandom } from "../../harness/random.ts";
import { notesFile, permitLastSteps } from "./notes.ts";
import type { WorkerOptions } from "./worker.ts";

/** How the workers are disturbed. */
export interface CrewPlan extends Omit<WorkerOptions, "worker"> {
  readonly workers: number;
  /** Milliseconds between two disturbances. */
  readonly pause: { readonly from: number; readonly to: number };
  /** Disturbances at most; without it, for as long as there is work. */
  readonly most?: number | undefined;
  /** Brings the server down and up again; undefined where there is none. */
  readonly restart: ((how: Restart) => Promise<void>) | undefined;
  /** Stops the server in the middle of what it does, and lets it go on; undefined where that is not to happen. */
  readonly hang?: Hang | undefined;
  /** The clock of every other worker is as far ahead, of the rest as far behind. */
  readonly skewMs?: number | undefined;
  /** After that much the run is given up. */
  readonly longestMs: number;
}

export type Restart = "fast" | "immediate";

/** The two ends of a standstill of the server. */
export interface Hang {
  readonly hang: () => void;
  readonly resume: () => void;
}
type Kind = "kill" | "suspend" | "restart" | "hang";

/** What was done to the workers. */
export interface Disturbances {
  workers: number;
  kills: number;
  /** Of the kills: of a worker that was suspended. */
  killsOfSuspended: number;
  suspensions: number;
  fastRestarts: number;
  crashes: number;
  hangs: number;
  /** Workers that ended by themselves with work left, with the last they said. */
  readonly failures: string[];
}

const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));
/** Longer than the longest lease holds. */
const SUSPENSION_MS = { from: 1050, to: 2000 } as const;
/** Some so long that PostgreSQL ends a transaction that stands open. */
const LONG_SUSPENSION_MS = { from: 5500, to: 7000 } as const;
const LONG_SHARE = 0.1;
const SHARES = { kill: 0.57, suspend: 0.35 } as const;
/** Of the restarts, where the server may hang too. */
const HANG_SHARE = 0.5;
/** Some longer than a lease holds. */
const HANG_MS = { from: 300, to: 2500 } as const;
const MOST_FAILURES = 20;
/** What every run has, however short it is. */
const FIRST: readonly Kind[] = ["kill", "suspend", "restart", "hang", "kill", "restart"];

interface Member {
  readonly child: ChildProcess;
  /** There once it has begun to work. */
  readonly notes: string;
  isSuspended: boolean;
  isKilled: boolean;
}

/** Keeps the workers at work until all steps are completed, and kills, suspends and restarts meanwhile. */
export async function playCrew(plan: CrewPlan, say: (line: string) => void = () => undefined): Promise<Disturbances> {
  return await new Crew(plan, say).play();
}

class Crew {
  readonly #plan: CrewPlan;
  readonly #say: (line: string) => void;
  readonly #random: Random;
  readonly #members = new Set<Member>();
  readonly #done: Disturbances = {
    workers: 0,
    kills: 0,
    killsOfSuspended: 0,
    suspensions: 0,
    fastRestarts: 0,
    crashes: 0,
    hangs: 0,
    failures: [],
  };
  readonly #first: Kind[];
  #isDone = false;

  constructor(plan: CrewPlan, say: (line: string) => void) {
    this.#plan = plan;
    this.#say = say;
    this.#random = makeRandom(`${plan.seed}/crew`);
    this.#first = FIRST.filter(
      (kind) => (kind !== "restart" || plan.restart !== undefined) && (kind !== "hang" || plan.hang !== undefined),
    );
  }

  async play(): Promise<Disturbances> {
    const end = performance.now() + this.#plan.longestMs;
    const killAll = (): void => this.#members.forEach(({ child }) => child.kill("SIGKILL"));
    process.once("exit", killAll);
    for (let at = 0; at < this.#plan.workers; at++) this.#start();
    while (!this.#isDone) {
      await sleep(this.#random.between(this.#plan.pause.from, this.#plan.pause.to));
      if (performance.now() > end) this.#give(`not done after ${Math.round(this.#plan.longestMs / 1000)} s`);
      if (!this.#isDone && this.#disturbed < (this.#plan.most ?? Infinity)) await this.#disturb();
    }
    // One was done: so is all the work, and the others find that out.
    await Promise.all([...this.#members].map((member) => this.#ended(member)));
    process.off("exit", killAll);
    return this.#done;
  }

  get #disturbed(): number {
    const { kills, suspensions, fastRestarts, crashes, hangs } = this.#done;
    return kills + suspensions + fastRestarts + crashes + hangs;
  }

  async #disturb(): Promise<void> {
    const [first] = this.#first;
    const kind = first ?? this.#drawn();
    const { restart, hang } = this.#plan;
    if (kind === "restart" || kind === "hang") {
      if (kind === "hang" && hang) await this.#hang(hang);
      else if (restart) await this.#restart(restart);
      else return;
    } else if (!this.#disturbOne(kind)) return;
    if (first === undefined) return;
    this.#first.shift();
    if (this.#first.length === 0) permitLastSteps(this.#plan.folder);
  }

  #drawn(): Kind {
    const real = this.#random.real();
    if (real < SHARES.kill + SHARES.suspend) return real < SHARES.kill ? "kill" : "suspend";
    return this.#plan.hang !== undefined && this.#random.chance(HANG_SHARE) ? "hang" : "restart";
  }

  /** Whether there was one to kill or suspend. */
  #disturbOne(kind: "kill" | "suspend"): boolean {
    // One that has not come to work yet is left to it, mostly: else a slow machine would only start processes.
    const members = [...this.#members].filter(
      ({ notes, isSuspended }) => (existsSync(notes) || this.#random.chance(0.05)) && (kind === "kill" || !isSuspended),
    );
    if (members.length === 0) return false;
    const member = this.#random.pick(members);
    if (kind === "kill") this.#kill(member);
    else this.#suspend(member);
    return true;
  }

  #start(): void {
    const { seed, folder, store, workflows, stepsEach, skewMs = 0 } = this.#plan;
    const number = ++this.#done.workers;
    const worker = `worker-${number}`;
    const clockOffMs = number % 2 === 0 ? skewMs : -skewMs;
    const options: WorkerOptions = { worker, seed, folder, store, workflows, stepsEach, clockOffMs };
    const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, "compiled") };
    const child = spawn(process.execPath, ["--no-warnings", WORKER, JSON.stringify(options)], {
      stdio: ["ignore", "ignore", "pipe"],
      env,
    });
    const member: Member = { child, notes: notesFile(folder, worker), isSuspended: false, isKilled: false };
    this.#members.add(member);
    let said = "";
    child.stderr?.on("data", (bytes: Buffer) => (said = (said + bytes.toString()).slice(-4000)));
    child.on("close", (code, signal) => {
      this.#members.delete(member);
      if (code === 0) this.#isDone = true;
      else if (!member.isKilled)
        this.#give(`${worker} ended by itself (code ${code}, signal ${signal}): ${said.trim()}`);
      if (!this.#isDone) this.#start();
    });
  }

  #give(failure: string): void {
    this.#say(failure);
    this.#done.failures.push(failure);
    if (!failure.startsWith("not done") && this.#done.failures.length < MOST_FAILURES) return;
    this.#isDone = true;
    this.#members.forEach((member) => this.#kill(member));
  }

  #kill(member: Member): void {
    member.isKilled = true;
    this.#done.kills += 1;
    if (member.isSuspended) this.#done.killsOfSuspended += 1;
    member.child.kill("SIGKILL");
  }

  #suspend(member: Member): void {
    member.isSuspended = true;
    this.#done.suspensions += 1;
    member.child.kill("SIGSTOP");
    const { from, to } = this.#random.chance(LONG_SHARE) ? LONG_SUSPENSION_MS : SUSPENSION_MS;
    setTimeout(
      () => {
        member.isSuspended = false;
        member.child.kill("SIGCONT");
      },
      this.#random.between(from, to),
    );
  }

  async #restart(restart: (how: Restart) => Promise<void>): Promise<void> {
    const how = this.#done.fastRestarts <= this.#done.crashes ? "fast" : "immediate";
    this.#done[how === "fast" ? "fastRestarts" : "crashes"] += 1;
    await restart(how);
  }

  async #hang({ hang, resume }: Hang): Promise<void> {
    this.#done.hangs += 1;
    hang();
    await sleep(this.#random.between(HANG_MS.from, HANG_MS.to));
    resume();
  }

  async #ended({ child }: Member): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) await once(child, "close");
  }
}
