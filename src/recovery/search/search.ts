import type { Part } from "../forms/parts.ts";

/** Most requests of one search. */
export const MAX_PROBES = 8;

/** Most that the requests of one search may hold in all, as a multiple of the history. */
const MAX_HISTORIES = 2;

/** A request of a search: the history with these parts alone, from the first up to, not with, the end. */
export interface Probe {
  readonly from: number;
  readonly end: number;
  /** The parts are sent as text. */
  readonly inWords: boolean;
}

/** What a search has found. */
export type Finding =
  /** The smallest stretch of parts that was refused, and whether its words are taken. */
  | (Probe & { readonly found: "part" })
  /** Each half is taken, both together are not: the first half is to be left out. */
  | (Probe & { readonly found: "half"; readonly inWords: false })
  /** The history, or what was refused of it, is taken when it is asked about again: a passing failure. */
  | { readonly found: "nothing" }
  /** No request with a part of the history was accepted, of either half. */
  | { readonly found: "no_half" };

/** What is known before a search. */
export interface SearchOptions {
  /** The words of the whole history were refused too. */
  readonly areWordsRefused?: boolean;
}

/**
 * What is asked about: the lighter half of the suspected stretch; the suspected stretch itself; the smallest refused
 * stretch once more; the whole history; the half that was not asked about; words alone.
 */
type Step = "halves" | "leaf" | "again" | "whole" | "other_half" | "words" | "over";

/**
 * Halves a refused history down to its smallest refused stretch, with at most {@link MAX_PROBES} requests that together
 * hold at most twice the history. The lighter half is asked about: where it is taken, the other one is suspected, and of
 * the whole history asked about too. What is left in the end is asked about (`leaf`), since a refusal can be a passing
 * failure: what is found was refused twice, alone and in what holds it, or alone again. Where every request was refused,
 * the provider may refuse any history, and the other half is asked about; where both halves are taken, the whole
 * history. Pure: `next` is the request to be made, `told` takes in its answer. Nothing is found but by an answer.
 */
export class Search {
  readonly #parts: readonly Part[];
  readonly #total: number;
  readonly #options: SearchOptions;
  /** The suspected stretch. */
  #from = 0;
  #end: number;
  /** The smallest stretch that was refused. */
  #refused: { readonly from: number; readonly end: number } | undefined;
  /** A request with a part of the history was accepted. */
  #isTaken = false;
  #step: Step = "halves";
  #probes = 0;
  #sent = 0;
  #finding: Finding | undefined;

  constructor(parts: readonly Part[], options: SearchOptions = {}) {
    this.#parts = parts;
    this.#end = parts.length;
    this.#options = options;
    this.#total = this.#sizeOf(0, parts.length);
    if (parts.length === 0) this.#found({ found: "no_half" });
    else this.#settle();
  }

  /** How many requests were made. */
  get probes(): number {
    return this.#probes;
  }

  /** The result; undefined while a request is due, and when the search ended without a result. */
  get finding(): Finding | undefined {
    return this.#finding;
  }

  /** The request to be made next; undefined when the search is over. */
  get next(): Probe | undefined {
    const probe = this.#probe();
    if (!probe || this.#probes >= MAX_PROBES) return undefined;
    return this.#sent + this.#sizeOf(probe.from, probe.end) <= this.#total * MAX_HISTORIES ? probe : undefined;
  }

  /** Takes in whether the request {@link next} was accepted. */
  told(isTaken: boolean): void {
    const probe = this.next;
    if (!probe) return;
    this.#probes++;
    this.#sent += this.#sizeOf(probe.from, probe.end);
    const { from, end } = probe;
    this.#isTaken ||= isTaken && this.#step !== "words";
    switch (this.#step) {
      case "halves":
        if (!isTaken) {
          [this.#from, this.#end] = [from, end];
          this.#refused = { from, end };
        } else if (!this.#refused) this.#step = "other_half";
        else if (from === this.#from) this.#from = end;
        else this.#end = from;
        break;
      case "leaf":
        if (!isTaken) {
          this.#refused = { from, end };
          this.#step = this.#afterLeaf;
        } else if (this.#refused) this.#step = "again";
        else return this.#found({ found: "nothing" });
        break;
      case "again":
        return this.#found(isTaken ? { found: "nothing" } : { from, end, found: "part", inWords: false });
      case "whole":
        return this.#found(isTaken ? { found: "nothing" } : this.#firstHalf);
      case "other_half":
        if (this.#refused) {
          if (!isTaken) return this.#found({ found: "no_half" });
          this.#step = "words";
        } else if (isTaken) this.#step = "whole";
        else {
          [this.#from, this.#end] = [from, end];
          this.#refused = { from, end };
          this.#step = "halves";
        }
        break;
      default:
        return this.#found({ from, end, found: "part", inWords: isTaken });
    }
    this.#settle();
  }

  /** Goes on to the next step that has a request to make, or ends the search. */
  #settle(): void {
    if (this.#step === "halves" && (this.#end - this.#from <= 1 || this.#isSpent)) this.#step = "leaf";
    if (this.#step === "words" && (this.#options.areWordsRefused === true || this.next === undefined))
      return this.#found({ from: this.#from, end: this.#end, found: "part", inWords: false });
    // No request is left to ask more.
    if (this.next === undefined) this.#step = "over";
  }

  get #afterLeaf(): Step {
    return this.#isTaken || this.#parts.length === 1 ? "words" : "other_half";
  }

  /** True when the requests that are left are needed for what follows the halving. */
  get #isSpent(): boolean {
    const after = 1 + (this.#isTaken ? 0 : 1) + (this.#options.areWordsRefused === true ? 0 : 1);
    return MAX_PROBES - this.#probes <= after;
  }

  get #firstHalf(): Finding {
    return { found: "half", from: 0, end: middle(0, this.#parts.length), inWords: false };
  }

  #found(finding: Finding): void {
    this.#finding = finding;
    this.#step = "over";
  }

  #probe(): Probe | undefined {
    const { length } = this.#parts;
    switch (this.#step) {
      case "halves":
        return { ...this.#lighter(this.#from, this.#end), inWords: false };
      case "other_half": {
        const first = this.#lighter(0, length);
        const [from, end] = first.from === 0 ? [first.end, length] : [0, first.from];
        return { from, end, inWords: false };
      }
      case "whole":
        return { from: 0, end: length, inWords: false };
      case "again":
        return this.#refused && { ...this.#refused, inWords: false };
      case "leaf":
      case "words":
        return { from: this.#from, end: this.#end, inWords: this.#step === "words" };
      case "over":
        return undefined;
    }
  }

  /** Returns the half of a stretch that costs less to be asked about. */
  #lighter(from: number, end: number): { from: number; end: number } {
    const at = middle(from, end);
    return end - at > 0 && this.#sizeOf(at, end) < this.#sizeOf(from, at) ? { from: at, end } : { from, end: at };
  }

  #sizeOf(from: number, end: number): number {
    let size = 0;
    for (let at = from; at < end; at++) size += this.#parts[at]!.size;
    return size;
  }
}

function middle(from: number, end: number): number {
  return from + Math.ceil((end - from) / 2);
}
