import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * What a worker writes down at once, so that it is there after kill -9. `at` is in microseconds of the machine's one
 * clock that never goes back.
 */
export type Note = { readonly project_id: string; readonly at: number } & (
  | { readonly kind: "leased"; readonly token: number }
  /** The first line of a step's body. */
  | { readonly kind: "executed"; readonly step_id: string; readonly attempt_id: number; readonly token: number }
  /** The step's completion was acknowledged to the worker, with this checksum of its result. */
  | {
      readonly kind: "acknowledged";
      readonly step_id: string;
      readonly attempt_id: number;
      readonly token: number;
      readonly result: string;
    }
  /** The step had been completed before; that result was given. */
  | { readonly kind: "repeated"; readonly step_id: string; readonly result: string }
  /** The outside system carried out the effect of this key, or told that it had, with this checksum of its answer. */
  | { readonly kind: "effect"; readonly key: string; readonly step_id: string; readonly answer: string }
  | { readonly kind: "checkpoint"; readonly seq: number; readonly next_step: string }
  /** A refusal that chaos makes, by its code. */
  | { readonly kind: "refused"; readonly code: string }
);

type WithoutTime<Some> = Some extends Note ? Omit<Some, "at"> : never;

const END = ".jsonl";

/** Where a worker writes. */
export function notesFile(folder: string, worker: string): string {
  return join(folder, worker + END);
}

/** The writer of one worker's notes. One `write` per note: a kill leaves whole lines. */
export function noteWriter(folder: string, worker: string): (note: WithoutTime<Note>) => void {
  const file = notesFile(folder, worker);
  return (note) =>
    appendFileSync(file, `${JSON.stringify({ ...note, at: Number(process.hrtime.bigint() / 1000n) })}\n`);
}

/** The notes of all workers, in the order of their time. */
export function readNotes(folder: string): Note[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(END));
  const lines = files.flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n").slice(0, -1));
  return lines.map((line) => JSON.parse(line) as Note).toSorted((a, b) => a.at - b.at);
}

const PERMIT = "last-steps-permitted";

/**
 * Until this was called, the workers leave the last step of each project: so that all is done to them that a run is
 * for.
 */
export function permitLastSteps(folder: string): void {
  writeFileSync(join(folder, PERMIT), "");
}

/** Whether the workers may bring the work to its end. */
export function mayEnd(folder: string): boolean {
  return existsSync(join(folder, PERMIT));
}
