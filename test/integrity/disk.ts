import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openJournal, type Journal, type Session } from "../../src/integrity/index.ts";
import type { SessionKind } from "./kind.ts";

const PARTS = ["", "-wal", "-shm"];

/** What outlives a process: the journal's file and the session's store. A kill keeps what lies there at that moment. */
export class Disk {
  readonly retention: number;
  readonly #kind: SessionKind;
  readonly #folder = mkdtempSync(join(tmpdir(), "integrity-model-"));
  readonly #open: Journal[] = [];
  #life = 0;
  #next: () => Promise<Session>;
  #session: Session | undefined;

  constructor(kind: SessionKind, retention: number, history: readonly unknown[]) {
    this.#kind = kind;
    this.retention = retention;
    this.#next = () => kind.open(history);
  }

  async open(): Promise<{ journal: Journal; session: Session }> {
    const journal = openJournal(this.#file(this.#life));
    this.#open.push(journal);
    this.#session = await this.#next();
    return { journal, session: this.#session };
  }

  /** The process ends in peace. */
  end(session: Session): void {
    this.#next = () => this.#kind.reopen(session);
  }

  /** The process is killed here: the next `open` finds what is stored now, whatever is written after this call. */
  kill(session: Session): void {
    for (const part of PARTS)
      if (existsSync(this.#file(this.#life) + part))
        cpSync(this.#file(this.#life) + part, this.#file(this.#life + 1) + part);
    this.#life++;
    this.#next = this.#kind.image!(session);
  }

  everything(): Promise<readonly unknown[]> {
    return this.#kind.everything(this.#session!);
  }

  remove(): void {
    for (const journal of this.#open) journal.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #file(life: number): string {
    return join(this.#folder, `journal-${life}.sqlite`);
  }
}
