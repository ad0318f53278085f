import type { Part } from "../forms/parts.ts";

/** Most requests of one search. */
export const MAX_PROBES = 8;

/** Most that the requests of one search may hold in all, as a multiple of the history. */
const MAX_HISTORIES = 2;

/** Parts from the first up to, not with, the end. */
interface Stretch {
  readonly from: number;
  readonly end: number;
}

/** What each request has besides, in characters: the question, and notes in place of what is left out. */
const BESIDE = 600;

/** A request of a search: the history with these parts alone. */
export interface Probe extends Stretch {
  /** The parts are sent as text. */
  readonly inWords: boolean;
  /** Keys of what is left out of these parts too. */
  readonly without?: readonly string[];
}

/**
 * The smallest stretch of parts that was refused; or one of two stretches (`half`) that are refused together: the rest
 * is taken without it.
 */
interface Place extends Stretch {
  readonly found: "part" | "half";
  /** The words of the stretch are taken. */
  readonly inWords: boolean;
  /** Keys of what is to be left out of these parts; all of them without it. */
  readonly only?: readonly string[];
}

/** What a search has found. */
export type Finding =
  | Place
  /**
   * What was refused of the history is taken when it is asked about again: a passing failure, or chance, and no rule.
   * With the stretch where the search has found a part of it before, which is no longer blamed.
   */
  | ({ readonly found: "nothing" } & Partial<Stretch>)
  /** Both halves of the history were refused, and everything else that was asked about. */
  | { readonly found: "no_half" };

/** What is known before a search. */
export interface SearchOptions {
  /** The words of the whole history were refused too. */
  readonly areWordsRefused?: boolean;
}

/** What the next request asks about. */
type Step =
  /** The lighter half of the smallest suspected stretch, until that is one part. */
  | "halves"
  /** That part alone. */
  | "leaf"
  /** That part was taken: the largest suspected stretch, until two are known that are refused only together. */
  | "between"
  /** The smallest refused stretch once more. */
  | "again"
  /** No request was taken so far: the half of the history that was not asked about. */
  | "other_half"
  /** The blamed stretch, sent as text. */
  | "words"
  /** The blamed stretch, without a half of what may be enough to be left out. */
  | "leave_out_less"
  | "over";

/**
 * Halves a refused history down to one part, with at most {@link MAX_PROBES} requests that together hold at most twice
 * the history: enough for 128 parts. Pure: `next` is the request to be made, `takeAnswer` takes in its answer. Of four
 * parts of one size, the third of which is refused (search.test.ts; a stretch is `[from, end)`):
 *
 *     halves  [0,2) taken: [2,4) is suspected, which costs nothing to know
 *             [2,3) refused: it is suspected
 *     leaf    [2,3) refused again: it is to blame
 *     words   [2,3) as text: taken, and found is { found: "part", from: 2, end: 3, inWords: true }
 *
 *     halves -> leaf -> refused: words -> refused: leave_out_less -> over      (other_half before words where no
 *                    -> taken: between -> again -> refused: leave_out_less      request was taken so far)
 *
 * When the same request is refused once and taken once, no rule refuses it, and nothing is found. Nothing is found
 * without an answer either.
 */
export class Search {
  readonly #parts: readonly Part[];
  readonly #total: number;
  readonly #areWordsRefused: boolean;
  /**
   * Stretches, each within the one before. The first is the smallest that was refused, at first the whole history. The
   * others are suspected: the rest of the stretch before each of them was taken.
   */
  #suspected: Stretch[];
  /** A request with a part of the history was accepted. */
  #isTaken = false;
  #step: Step = "halves";
  /** Keys of each piece of what may be enough to be left out; at first of all that is blamed. */
  #leftOutPieces: readonly (readonly string[])[] = [];
  /** The size of the history without what is left out, when `leave_out_less` began or went on after {@link renew}. */
  #sizeBesides = 0;
  #probes = 0;
  #sent = 0;
  /** Whether each request was taken, by its name. */
  readonly #answers = new Map<string, boolean>();
  #finding: Finding | undefined;

  constructor(parts: readonly Part[], { areWordsRefused = false }: SearchOptions = {}) {
    this.#parts = parts;
    this.#suspected = [this.#whole];
    this.#areWordsRefused = areWordsRefused;
    this.#total = this.#measure(this.#whole);
    if (parts.length === 0) this.#step = "over";
    else this.#settle();
  }

  /** How many requests were made, since {@link renew} where that was called. */
  get probes(): number {
    return this.#probes;
  }

  /** The result so far; undefined while there is none. */
  get finding(): Finding | undefined {
    return this.#finding;
  }

  /** The smallest stretch that was refused, at first the whole history. Requests are parts of it, but `other_half`. */
  get refused(): Stretch {
    return this.#suspected[0]!;
  }

  /** The request to be made next; undefined when the search is over, or has no request left. */
  get next(): Probe | undefined {
    const probe = this.#probe();
    if (!probe || this.#probes >= MAX_PROBES) return undefined;
    // Never so much that halves and words alone would not fit.
    const beside = probe.inWords ? 0 : (this.#probes + 1) * Math.min(BESIDE, this.#total / (2 * MAX_PROBES));
    // One request is always made.
    const history = this.#step === "leave_out_less" && this.#probes > 0 ? this.#sizeBesides : this.#total;
    return this.#sent + this.#measure(probe) + beside <= history * MAX_HISTORIES ? probe : undefined;
  }

  /** False while more requests would tell more, also where none is left: see {@link renew}. */
  get isOver(): boolean {
    return this.#step === "over";
  }

  /**
   * Gives the search the requests of another one. That the whole history was refused again in a turn does not count as
   * an answer: a provider may refuse what comes first in each turn, whatever it is.
   */
  renew(): void {
    [this.#probes, this.#sent] = [0, 0];
    if (this.#step === "leave_out_less") this.#sizeBesides = this.#total - this.#leftOutSize;
  }

  /** Takes in whether the request {@link next} was accepted. */
  takeAnswer(isTaken: boolean): void {
    const probe = this.next;
    if (!probe) return;
    this.#probes++;
    this.#sent += this.#measure(probe);
    this.#isTaken ||= isTaken;
    const name = this.#nameProbe(probe);
    const before = this.#answers.get(name) ?? isTaken;
    this.#answers.set(name, isTaken);
    if (before === isTaken) this.#take(isTaken, probe);
    else this.#endWithNothing();
    this.#settle();
  }

  /** Returns the same for requests that are sent as the same ones. */
  #nameProbe({ from, end, inWords, without = [] }: Probe): string {
    const isOther = inWords && !this.#parts.slice(from, end).every(({ isText }) => isText?.() === true);
    return [from, end, isOther, ...without].join(" ");
  }

  #take(isTaken: boolean, probe: Probe): void {
    switch (this.#step) {
      case "halves":
        if (isTaken) this.#suspected.push(findRest(this.#smallestSuspect, probe));
        else this.#suspected = [probe];
        break;
      case "leaf":
        if (isTaken) this.#step = "between";
        else this.#blame(probe);
        break;
      case "between":
        this.#suspected = isTaken ? this.#suspected.slice(0, 2) : this.#suspected.slice(1);
        break;
      case "again":
        if (isTaken) this.#endWithNothing();
        else this.#blameTogether();
        break;
      case "other_half":
        if (isTaken) this.#blame(this.#smallestSuspect);
        else this.#end({ found: "no_half" });
        break;
      case "words":
        if (isTaken) this.#end({ ...probe, found: "part", inWords: true });
        else this.#beginLeavingOutLess(this.#listPieces(probe));
        break;
      default:
        this.#takeLeftOutLess(isTaken);
    }
  }

  /** Goes on from a step that has nothing more to ask. */
  #settle(): void {
    if (this.#step === "between" && this.#suspected.length <= 2) this.#step = "again";
    if (this.#step !== "halves") return;
    const left = MAX_PROBES - this.#probes;
    if (this.#smallestSuspect.end - this.#smallestSuspect.from > 1 && left > 1) return;
    this.#step = "leaf";
    const needed = (this.#isTaken ? 0 : 1) + (this.#areWordsRefused ? 0 : 1);
    // It was refused alone already: it is asked about again where no other question needs the request.
    if (this.#suspected.length === 1 && left <= needed) this.#blame(this.#smallestSuspect);
  }

  /** Blames a stretch that was refused alone, unless the provider may refuse every stretch. */
  #blame(stretch: Stretch): void {
    this.#suspected = [stretch];
    if (!this.#isTaken && this.#parts.length > 1) {
      this.#step = "other_half";
      return;
    }
    this.#finding = { ...stretch, found: "part", inWords: false };
    if (this.#areWordsRefused) this.#beginLeavingOutLess(this.#listPieces(stretch));
    else this.#step = "words";
  }

  /** Blames one of two stretches that are taken, each alone, and refused together. */
  #blameTogether(): void {
    const { from, end } = findRest(this.#suspected[0]!, this.#smallestSuspect);
    this.#finding = { found: "half", from, end, inWords: false };
    const out = this.#parts.slice(from, end).map(({ keys }) => keys);
    this.#beginLeavingOutLess(out.length > 1 ? out : []);
  }

  #beginLeavingOutLess(out: readonly (readonly string[])[]): void {
    this.#leftOutPieces = out;
    this.#sizeBesides = this.#total - this.#leftOutSize;
    this.#step = out.length > 0 ? "leave_out_less" : "over";
  }

  #takeLeftOutLess(isTaken: boolean): void {
    const isLast = this.#leftOutPieces.length === 1;
    const half = this.#halfOfPieces;
    if (isTaken) this.#finding = { ...(this.#finding as Place), only: half.flat() };
    // Found only once something is taken without it.
    this.#leftOutPieces = isTaken ? half : this.#leftOutPieces.slice(half.length);
    if (isLast || (isTaken && half.length === 1)) this.#step = "over";
  }

  #endWithNothing(): void {
    const { from, end } = (this.#finding ?? {}) as Partial<Place>;
    this.#end({ found: "nothing", ...(from !== undefined && end !== undefined && { from, end }) });
  }

  #end(finding: Finding): void {
    this.#finding = finding;
    this.#step = "over";
  }

  #probe(): Probe | undefined {
    const [refused, inWords] = [this.#suspected[0]!, false];
    switch (this.#step) {
      case "halves":
        return { ...this.#lighter(this.#smallestSuspect), inWords };
      case "leaf":
        return { ...this.#smallestSuspect, inWords };
      case "again":
        return { ...refused, inWords };
      case "between":
        return { ...this.#suspected[1]!, inWords };
      case "other_half":
        return { ...findRest(this.#whole, this.#lighter(this.#whole)), inWords };
      case "words":
        return { ...refused, inWords: true };
      case "leave_out_less":
        return { ...refused, inWords, without: this.#halfOfPieces.flat() };
      case "over":
        return undefined;
    }
  }

  get #whole(): Stretch {
    return { from: 0, end: this.#parts.length };
  }

  /** The smallest suspected stretch. */
  get #smallestSuspect(): Stretch {
    return this.#suspected.at(-1)!;
  }

  /** The half of what may be left out that is asked about. */
  get #halfOfPieces(): readonly (readonly string[])[] {
    return this.#leftOutPieces.slice(0, middle(0, this.#leftOutPieces.length));
  }

  get #leftOutSize(): number {
    const { from, end, only } = this.#finding as Place;
    return this.#measure({ from, end }) - (only ? this.#measure({ from, end, without: only }) : 0);
  }

  /** Returns the keys of each part of a stretch, or of each piece of a part. */
  #listPieces({ from, end }: Stretch): readonly (readonly string[])[] {
    const parts = this.#parts.slice(from, end);
    return parts.length > 1 ? parts.map(({ keys }) => keys) : (parts[0]?.pieces?.() ?? []).map((key) => [key]);
  }

  /** Returns the half of a stretch that costs less to be asked about. */
  #lighter({ from, end }: Stretch): Stretch {
    const at = middle(from, end);
    const [first, second] = [
      { from, end: at },
      { from: at, end },
    ];
    return at < end && this.#measure(second) < this.#measure(first) ? second : first;
  }

  #measure({ from, end, without = [] }: Stretch & Partial<Probe>): number {
    let size = 0;
    for (let at = from; at < end; at++) {
      const part = this.#parts[at]!;
      if (!without.includes(part.keys[0]!)) size += part.size;
    }
    return size;
  }
}

/** Returns what of a stretch is not in its beginning or end. */
function findRest({ from, end }: Stretch, half: Stretch): Stretch {
  return half.from === from ? { from: half.end, end } : { from, end: half.from };
}

function middle(from: number, end: number): number {
  return from + Math.ceil((end - from) / 2);
}
