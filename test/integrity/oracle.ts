import { REFUSED_RESULT as WITHHELD } from "../../src/recovery/words.ts";

/** How a crash leaves the calls of a cycle. */
export type CallState = { state: "pending" } | { state: "executing" } | { state: "recording"; text: string };

interface OracleCheckpoint {
  /** The history when it was made. */
  history: readonly string[];
  committed: boolean;
  rolledBack: boolean;
  /** Made by hand: it stays until it is committed. */
  manual: boolean;
}

/** A cycle that a crash has left in the journal. */
interface CutOff {
  checkpoint: OracleCheckpoint;
  ids: readonly string[];
  calls: readonly CallState[];
  /** The kill came when the history had them already. */
  stored: boolean;
}

/**
 * What a session must look like after any operations, worked out with lists of words and nothing of the code under
 * test. A history is a list of lines: `user:…`, `says:…`, `call:<ids>`, `result:<id>=<text>`.
 */
export class Oracle {
  history: string[];
  checkpoints: OracleCheckpoint[] = [];
  cutOff: CutOff[] = [];
  /** What must be found in the store for ever. */
  readonly real = new Set<string>();
  readonly retention: number;
  /** Refusals of a content filter in a row, as far as this process knows. */
  stops = 0;
  #serial = 0;

  constructor(retention: number, history: readonly string[]) {
    this.retention = retention;
    this.history = [...history];
    for (const line of history) this.real.add(line);
  }

  /** Something that nobody has said before. */
  fresh(): string {
    return `n${++this.#serial}`;
  }

  say(...lines: string[]): void {
    this.history.push(...lines);
    for (const line of lines) this.real.add(line);
  }

  checkpoint(manual = false): OracleCheckpoint {
    const made = { history: [...this.history], committed: false, rolledBack: false, manual };
    this.checkpoints.push(made);
    return made;
  }

  commit(checkpoint: OracleCheckpoint): void {
    if (checkpoint.committed || checkpoint.rolledBack) return;
    checkpoint.committed = true;
    this.prune(this.retention);
    this.pruneOthers();
  }

  /** What else is bounded: those that the session was taken back to, and those whose operation failed. */
  pruneOthers(): void {
    this.prune(this.retention, ({ rolledBack }) => rolledBack);
    const open = new Set(this.cutOff.map(({ checkpoint }) => checkpoint));
    this.prune(this.retention, (one) => !one.committed && !one.manual && !open.has(one));
  }

  prune(keep: number, which = ({ committed }: OracleCheckpoint): boolean => committed): void {
    const of = this.checkpoints.filter(which);
    const gone = new Set(of.slice(0, Math.max(0, of.length - keep)));
    this.checkpoints = this.checkpoints.filter((each) => !gone.has(each));
  }

  rollBack(checkpoint: OracleCheckpoint): void {
    this.recover();
    // Recovery commits, and so it may have pruned this one; it is found all the same, since it was looked up before.
    checkpoint.rolledBack = true;
    this.history = [...checkpoint.history];
  }

  /** A finished cycle, as the history gets it. */
  finish(ids: readonly string[], texts: readonly string[]): void {
    if (this.history.length === 0) this.history.push("user:opening");
    this.say(`call:${ids.join(",")}`, ...ids.map((id, at) => `result:${id}=${texts[at]}`));
  }

  /** What the journal knows of cycles that were cut off comes into the history. */
  recover(): void {
    const { cutOff } = this;
    this.cutOff = [];
    const [waiting, acted] = [true, false].map((none) =>
      cutOff.filter(({ calls }) => calls.every(({ state }) => state === "pending") === none),
    ) as [CutOff[], CutOff[]];
    for (const { checkpoint } of waiting) checkpoint.rolledBack = true;
    const { history } = this;
    const kept = new Set(this.checkpoints);
    // A checkpoint that was committed by hand and pruned knows its place no more.
    const begun = ({ checkpoint }: CutOff): number =>
      kept.has(checkpoint) && checkpoint.history.every((line, at) => line === history[at])
        ? checkpoint.history.length
        : history.length;
    // Each comes where it began, those of one place in their order.
    this.history = [];
    for (let at = 0; at <= history.length; at++) {
      for (const cut of acted)
        if (!cut.stored && begun(cut) === at)
          this.finish(
            cut.ids,
            cut.calls.map((call) =>
              call.state === "recording" ? call.text : call.state === "executing" ? "unknown" : "not started",
            ),
          );
      if (at < history.length) this.history.push(history[at]!);
    }
    for (const { checkpoint } of acted) if (this.checkpoints.includes(checkpoint)) this.commit(checkpoint);
  }

  /** The youngest checkpoint on the way to where the session stands. */
  latest(): OracleCheckpoint | undefined {
    return this.checkpoints.findLast(
      ({ rolledBack, history }) => !rolledBack && history.every((line, at) => line === this.history[at]),
    );
  }

  /**
   * A content filter. Half an answer behind `base` goes, and the first time that is all. Else results since the last
   * answer are withheld, and where there are none a person's newest question goes. Never anything behind an answer.
   */
  filter(begun?: number): void {
    this.recover();
    const { length } = this.history;
    const base = begun ?? length;
    let end = length;
    while (end > base && this.history[end - 1]!.startsWith("says:")) end--;
    this.history = this.history.slice(0, end);
    if (end < length && this.stops === 0) return void this.stops++;
    const from = this.history.findLastIndex((line) => /^(says|call):/.test(line)) + 1;
    const newest = this.history.slice(from);
    if (newest.some((line) => line.startsWith("result:") && !line.endsWith(WITHHELD))) {
      this.history.splice(
        from,
        newest.length,
        ...newest.map((line) => line.replace(/^(result:[^=]*=)[^]*/, `$1${WITHHELD}`)),
      );
      return;
    }
    this.stops++;
    const asked = this.history.findLastIndex((line) => line.startsWith("user:"));
    if (asked >= from) this.history.splice(asked, 1);
  }

  reset(): void {
    this.recover();
    this.history = [];
    this.checkpoints = [];
  }
}
