import { visible } from "../../../src/base/visible.ts";
import { clock } from "../clock.ts";
import { cut } from "./width.ts";

/** Where progress is shown. */
export interface ProgressStream {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

const BAR = 24;
// In a log file: a line for every tenth of the work, and for the first run after so long without one.
const STEPS = 10;
const SILENCE_MS = 5_000;
// Room for the ^C that a terminal writes behind the line.
const CTRL_C = 3;
// The first runs load OpenClaw and say nothing about the others.
const WARM_UP = 6;

/** Shows how far the work is: one line that is rewritten on a terminal, a line now and then elsewhere. */
export class Progress {
  readonly #stream: ProgressStream;
  readonly #label: string;
  readonly #total: number;
  readonly #started = performance.now();
  #done = 0;
  #said = 0;
  #warm = 0;
  #saidAt = this.#started;

  constructor(stream: ProgressStream, label: string, total: number) {
    this.#stream = stream;
    this.#label = label;
    this.#total = total;
    if (stream.isTTY) this.#draw("");
  }

  /** One run more is done. */
  step(what: string): void {
    this.#done++;
    if (this.#done === WARM_UP) this.#warm = performance.now() - this.#started;
    if (this.#stream.isTTY) {
      this.#draw(what);
      return;
    }
    const step = Math.floor((this.#done / this.#total) * STEPS);
    const now = performance.now();
    if (step === this.#said && now - this.#saidAt < SILENCE_MS) return;
    this.#said = step;
    this.#saidAt = now;
    this.#stream.write(`${this.#label}: ${this.#counts()}, ${this.#times()}\n`);
  }

  /** Takes the line away, so that other text can be printed. */
  clear(): void {
    if (this.#stream.isTTY) this.#stream.write("\r\u001b[2K");
  }

  #draw(what: string): void {
    const filled = Math.round((this.#done / this.#total) * BAR);
    const bar = "━".repeat(filled) + "─".repeat(BAR - filled);
    const line = `${this.#label} ${bar} ${this.#counts()}  ${this.#times()}  ${visible(what)}`;
    this.#stream.write(`\r\u001b[2K${cut(line.trimEnd(), (this.#stream.columns ?? 80) - CTRL_C)}`);
  }

  #counts(): string {
    return `${this.#done}/${this.#total} runs`;
  }

  #times(): string {
    const spent = performance.now() - this.#started;
    if (this.#done === 0) return clock(spent);
    if (this.#done === this.#total) return clock(spent);
    if (this.#done <= WARM_UP) return `${clock(spent)}, warming up`;
    const each = (spent - this.#warm) / (this.#done - WARM_UP);
    return `${clock(spent)}, about ${clock(each * (this.#total - this.#done))} left`;
  }
}
