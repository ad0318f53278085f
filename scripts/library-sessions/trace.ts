import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

/** What a session's program did, in the order in which it did it. */
export interface Note {
  readonly kind:
    /** The user said a word. */
    | "asked"
    /** A tool was started, gave its word back, or threw; its word is that of the call. */
    | "ran"
    | "gave"
    | "threw"
    /** The cycle of a call has ended with this result for its tool. */
    | "settled"
    /** A content filter or a refusal had the library take back, rewrite or reset the history. */
    | "moved"
    /** Something that must not be. */
    | "fault";
  readonly word?: string;
}

/** How far the sessions of a batch have come. */
export interface Progress {
  readonly session: number;
  readonly kind: "begun" | "done";
  /** Of one that is done: all that is wrong with it. */
  readonly faults?: readonly string[];
  /** How many calls were made in it, by what became of them. */
  readonly counts?: Readonly<Record<string, number>>;
}

/** Notes that outlive a kill: each is in its file when the call returns. */
export class Trace {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  note(session: number, kind: Note["kind"], word?: string): void {
    appendFileSync(this.#file(session), `${JSON.stringify({ kind, ...(word !== undefined && { word }) })}\n`);
  }

  read(session: number): Note[] {
    return readJsonLines<Note>(this.#file(session));
  }

  remove(session: number): void {
    rmSync(this.#file(session), { force: true });
  }

  advance(progress: Progress): void {
    appendFileSync(join(this.#folder, "progress"), `${JSON.stringify(progress)}\n`);
  }

  progress(): Progress[] {
    return readJsonLines<Progress>(join(this.#folder, "progress"));
  }

  #file(session: number): string {
    return join(this.#folder, `trace-${session}`);
  }
}

/** The whole lines of a file; a kill leaves no half ones behind, since each is one write. */
function readJsonLines<T>(file: string): T[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);
}
