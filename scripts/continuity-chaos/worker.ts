/**
 * A worker process: `node worker.ts <WorkerOptions as JSON>`. Ends with code 0 once every step of every project is
 * completed.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createHash } from "node:crypto";
import canonicalize from "canonicalize";
import {
  Continuity,
  ContinuityError,
  type ContinuityErrorCode,
  type Json,
  type Lease,
  type Project,
} from "../../src/continuity/index.ts";
import { type Random, makeRandom } from "../../harness/random.ts";
import { mayEnd, noteWriter } from "./notes.ts";
import { OutsideSystem } from "./outside.ts";
import { projectNames, type ScriptedStep, scriptedStep } from "./script.ts";
import { openStore, type StorePlace } from "./stores.ts";

/** What a worker is started with. */
export interface WorkerOptions {
  readonly worker: string;
  readonly seed: string;
  readonly folder: string;
  readonly store: StorePlace;
  readonly workflows: number;
  readonly stepsEach: number;
  /** How far this worker's clock is off, in milliseconds. */
  readonly clockOffMs?: number;
}

/** Refusals that kills, suspensions and a server that is away make; any other ends the worker and fails the run. */
const EXPECTED: ReadonlySet<ContinuityErrorCode> = new Set([
  "lease-held",
  "lease-expired",
  "fenced",
  "unavailable",
  "busy",
]);
const TTL_MS = { from: 300, to: 1000 } as const;
const MOST_STEPS_PER_LEASE = 20;

class Worker {
  readonly #options: WorkerOptions;
  readonly #random: Random;
  readonly #note: ReturnType<typeof noteWriter>;
  readonly #outside: OutsideSystem;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#random = makeRandom(`${options.seed}/${options.worker}`);
    this.#note = noteWriter(options.folder, options.worker);
    this.#outside = new OutsideSystem(options.folder);
  }

  async run(): Promise<void> {
    const { clockOffMs = 0 } = this.#options;
    const continuity = new Continuity({
      store: await this.#opened(),
      now: () => Date.now() + clockOffMs,
      monotonic: () => performance.now(),
    });
    const open = new Set(projectNames(this.#options.workflows));
    while (open.size > 0) {
      const project_id = this.#random.pick([...open]);
      try {
        if (await this.#work(await continuity.project(project_id))) open.delete(project_id);
      } catch (error) {
        if (!(error instanceof ContinuityError) || !EXPECTED.has(error.code)) throw error;
        this.#note({ kind: "refused", project_id, code: error.code });
        await sleep(this.#random.between(5, 40));
      }
    }
    await continuity.close();
  }

  /** The server may be on its way up. */
  async #opened(): ReturnType<typeof openStore> {
    for (;;) {
      try {
        return await openStore(this.#options.store);
      } catch (error) {
        if (!(error instanceof ContinuityError) || !EXPECTED.has(error.code)) throw error;
        await sleep(100);
      }
    }
  }

  /** Works on a project under one lease. Whether all its steps are completed. */
  async #work(project: Project): Promise<boolean> {
    const { stepsEach, worker } = this.#options;
    const random = this.#random;
    const { project_id } = project;
    const before = (await project.state()).completed_steps;
    if (before === stepsEach) return true;
    const end = mayEnd(this.#options.folder) ? stepsEach : stepsEach - 1;
    if (before === end) {
      await sleep(this.#random.between(5, 40));
      return false;
    }
    const lease = await project.acquireLease({
      owner_id: `${worker}, process ${process.pid}`,
      ttlMs: random.between(TTL_MS.from, TTL_MS.to),
    });
    this.#note({ kind: "leased", project_id, token: lease.fencing_token });
    // Some never say that they live on, so that their leases end while they work.
    const alive = random.chance(0.75) ? lease.keepAlive(() => undefined) : undefined;
    try {
      // Steps are done in their order, so that the count is the place. Some workers begin with one that is done.
      const { completed_steps } = await project.state();
      const first = Math.max(0, completed_steps - (random.chance(0.3) ? 1 : 0));
      for (const at of Array.from({ length: random.between(1, MOST_STEPS_PER_LEASE) }, (_, more) => first + more)) {
        if (at >= end) break;
        await this.#step(project, lease, scriptedStep(this.#options.seed, project_id, at));
        if (random.chance(0.1)) await this.#checkpoint(project, at);
      }
    } finally {
      alive?.stop();
    }
    // Some leave their lease as it is, as if they had been killed.
    if (random.chance(0.8)) await lease.release();
    return (await project.state()).completed_steps === stepsEach;
  }

  async #step(project: Project, lease: Lease, step: ScriptedStep): Promise<void> {
    const { project_id } = project;
    const { workMs, failures, ...request } = step;
    const token = lease.fencing_token;
    const { step_id } = request;
    for (;;) {
      let attempt = 0;
      try {
        // The outside system of this script recognises the keys.
        const again = { ...request, repeat: "after-unknown" } as const;
        const { result, executed } = await project.runStep(lease, again, async ({ attempt_id, idempotency_key }) => {
          this.#note({ kind: "executed", project_id, step_id, attempt_id, token });
          attempt = attempt_id;
          if (workMs > 0) await sleep(workMs);
          if (attempt_id <= failures) throw new ScriptedFailure(step_id);
          return this.#answer(
            project_id,
            step,
            { step_id, attempt_id, token, by: this.#options.worker },
            idempotency_key,
          );
        });
        if (executed)
          this.#note({
            kind: "acknowledged",
            project_id,
            step_id,
            attempt_id: attempt,
            token,
            result: hashJson(result),
          });
        else this.#note({ kind: "repeated", project_id, step_id, result: hashJson(result) });
        return;
      } catch (error) {
        if (!(error instanceof ScriptedFailure)) throw error;
      }
    }
  }

  /** A pure step gives the same whoever does it; the others what the outside system says. */
  #answer(project_id: string, { step_type, input, step_id }: ScriptedStep, proposal: Json, key: string | null): Json {
    if (step_type !== "non_idempotent" || key === null) return step_type === "pure" ? { of: input ?? null } : proposal;
    const answer = JSON.parse(this.#outside.carryOut(key, JSON.stringify(proposal))) as Json;
    this.#note({ kind: "effect", project_id, key, step_id, answer: hashJson(answer) });
    return answer;
  }

  /** A command that needs no lease: several processes write to one ledger at once. */
  async #checkpoint(project: Project, at: number): Promise<void> {
    const [task_id = ""] = Object.keys((await project.state()).tasks);
    const next_step = `${this.#options.worker} goes on with step ${at + 1}`;
    const { seq } = await project.updateCheckpoint({ task_id, where_we_left_off: `step ${at} is done`, next_step });
    this.#note({ kind: "checkpoint", project_id: project.project_id, seq, next_step });
  }
}

/** The failure of a step's body, which is recorded; the step is tried again. */
class ScriptedFailure extends Error {}

function hashJson(value: Json): string {
  return createHash("sha256")
    .update(canonicalize(value) ?? "")
    .digest("hex");
}

await new Worker(JSON.parse(process.argv[2]!) as WorkerOptions).run();
