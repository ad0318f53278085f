import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Job } from "./jobs.ts";
import type { Proof } from "./proof.ts";

/** What a run has come to, so that one that was killed goes on. */
export interface State {
  commit: string;
  seed: string;
  command: string;
  beganAt: number;
  endsAt: number;
  jobs: Job[];
  done: Proof["parts"];
}

/** The state of the run that is under way, in a folder that is in no commit. */
export class StateFolder {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The run has come to its end; what its jobs have written stays until the next one. */
  end(): void {
    rmSync(this.path("state.json"), { force: true });
  }

  /** A file of a job. */
  path(name: string): string {
    return join(this.#folder, name);
  }

  /** The run that has not come to its end; undefined where there is none of this commit. */
  read(commit: string): State | undefined {
    const file = this.path("state.json");
    if (!existsSync(file)) return undefined;
    const state = JSON.parse(readFileSync(file, "utf8")) as State;
    return state.commit === commit ? state : undefined;
  }

  /** Forgets a run, and what its jobs have written. */
  clear(): void {
    rmSync(this.#folder, { recursive: true, force: true });
    mkdirSync(this.#folder, { recursive: true });
  }

  /** In one step: a kill leaves the former one or this one. */
  write(state: State): void {
    writeFileSync(this.path("state.new"), JSON.stringify(state));
    renameSync(this.path("state.new"), this.path("state.json"));
  }

  /** What a job has written; undefined where it has not come to its end. */
  readJson(name: string): unknown {
    const file = this.path(`${name}.json`);
    return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as unknown) : undefined;
  }
}

/** The jobs that are left, in their order. */
export function jobsLeft({ jobs, done }: State): Job[] {
  const names = new Set(done.map(({ name }) => name));
  return jobs.filter(({ name }) => !names.has(name));
}

/** The minutes that the first of these jobs has of what is left until the end. */
export function minutesFor([job, ...others]: readonly Job[], leftMs: number): number {
  const shares = others.reduce((sum, { share }) => sum + share, job?.share ?? 0);
  return shares === 0 ? 0 : (Math.max(0, leftMs) / 60_000) * ((job?.share ?? 0) / shares);
}
