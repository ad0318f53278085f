/** Shortens a history that is too large; see {@link Replay} for what is left out and in which order. */
import { blocksWithin } from "../forms/blocks.ts";
import { isPictureOrFile } from "../forms/images.ts";
import { isSystemPrompt } from "../forms/one-message.ts";
import { isWithin, messageSize, type Budget, type Size } from "./measure.ts";
import { isAnswer, isAsked, isQuestion } from "./outline.ts";
import { shorten, WHOLE, type Form } from "./shorten.ts";

/** Characters that older results and messages keep of their texts. */
const OLD_RESULT = 2000;
const OLD_WORDS = 4000;

/** The part of its budget to which a history that is too large is shortened: the rest is room to grow unchanged. */
const LOW = 0.75;

/** The part of a budget that the newest results may take before older messages are shortened for them. */
const NEWEST = 0.5;

/** The shortest text that the newest messages are shortened to. */
const SHORTEST = 500;

/** The part of a question that is left each time it is shortened. */
const QUESTION_FACTOR = 0.8;

/** The most characters of the note in place of left-out messages. */
const NOTE = 500;

/** One pass over the messages, the oldest first, that goes on with each request. Held messages are taken later. */
class Pass {
  #next = 0;
  /** Passed over, in order: all are held until there is another question. */
  #waiting: number[] = [];
  #questions = -1;

  /**
   * Calls `take` for each message before `end` that is not `held`, as long as `goesOn`. Those that were passed over
   * are looked at again when `questions`, the number of questions so far, has grown.
   */
  run(
    end: number,
    questions: number,
    held: (at: number) => boolean,
    goesOn: () => boolean,
    take: (at: number) => void,
  ): void {
    if (!goesOn()) return;
    if (questions !== this.#questions) {
      const passedOver = this.#waiting;
      this.#waiting = [];
      let at = 0;
      for (; at < passedOver.length && goesOn(); at++)
        if (held(passedOver[at]!)) this.#waiting.push(passedOver[at]!);
        else take(passedOver[at]!);
      if (at < passedOver.length) this.#waiting = this.#waiting.concat(passedOver.slice(at));
      else this.#questions = questions;
    }
    for (; this.#next < end && goesOn(); this.#next++)
      if (held(this.#next)) this.#waiting.push(this.#next);
      else take(this.#next);
  }
}

/** The place of a question that the history does not have. */
export const NO_QUESTION = -1;

/**
 * A history that grows request by request as it did in its conversation: where a request is above the budget, as much
 * is left out as brings it well below, and stays left out. So the requests between two such places begin with the same
 * bytes, which a provider has in its cache. A step is an answer with the results of its calls. Left out are, each only
 * as far as it takes:
 *
 * 1. the middles of the newest results, where they take more than half of the budget;
 * 2. pictures and files from the oldest on, where only the bytes are too many;
 * 3. the middles of older results, then of older messages, from the oldest on, and their pictures and files;
 * 4. the oldest turns, then the oldest steps of the newest turn;
 * 5. the middles of the newest results and words, their pictures, those of the question, and earlier questions without
 *    an answer. Then the newest question is shortened, the last step is left out, the question is shortened further,
 *    and the kept messages (`isKept`) come last.
 */
export class Replay {
  readonly #messages: readonly unknown[];
  /** The sizes of the messages as they were given. */
  readonly #wholeSizes: readonly Size[];
  readonly #budget: Budget;
  readonly #isKept: (message: unknown) => boolean;
  /** The messages so far, each in the form in which it is sent. */
  readonly shown: unknown[] = [];
  /** How much of each message is sent, and the size that it then has. */
  readonly #forms: Form[] = [];
  readonly #sizes: Size[] = [];
  /** Where turns begin: at the first of questions that follow each other. */
  readonly #turns: number[] = [];
  /** Places of messages that are never left out. */
  readonly #kept = new Set<number>();
  #total: Size = { characters: 0, bytes: 0, messages: 0 };
  /** What the request under way is brought down to: well below the budget. */
  #target: Budget = {};
  /** Place of the user's newest words, in a question or behind results in one message with them; -1 for none. */
  #asked = -1;
  /** Place of the newest question, which answers no call. */
  #question = NO_QUESTION;
  /** Place of the newest answer; -1 for none. */
  #answered = -1;
  /** How many messages could be the newest question so far. */
  #questions = 0;
  /** How far results, words and pictures of older messages are shortened. */
  readonly #results = new Pass();
  readonly #words = new Pass();
  readonly #pictures = new Pass();
  /** The messages that are left out. */
  readonly leftOut = new Set<number>();
  /** The messages before this one are left out with their turns, except the kept ones. */
  firstKeptTurn = 0;
  messagesInLeftTurns = 0;
  /** How many messages are left out behind each question, or before the first message for {@link NO_QUESTION}. */
  readonly messagesInLeftSteps = new Map<number, number>();
  /** The steps of the newest turn before this message are left out. */
  #firstKeptStep = 0;

  constructor(
    messages: readonly unknown[],
    sizes: readonly Size[],
    budget: Budget,
    isKept: (message: unknown) => boolean,
  ) {
    this.#messages = messages;
    this.#wholeSizes = sizes;
    this.#budget = budget;
    this.#isKept = isKept;
  }

  /** Plays all requests: one before each answer of the assistant, and the one that is to be made. */
  run(): this {
    const messages = this.#messages;
    for (let at = 0; at < messages.length; at++) {
      const message = messages[at];
      if (isAnswer(message)) {
        if (at > 0) this.#request();
        this.#answered = at;
      } else if (isAsked(message)) this.#asked = at;
      const isNewest = isQuestion(message);
      if (isNewest || this.#asked === at) this.#questions++;
      if (isNewest) {
        if (this.#turns.length === 0 || this.#question !== at - 1) this.#turns.push(at);
        this.#question = at;
      }
      if (isSystemPrompt(message) || this.#isKept(message)) this.#kept.add(at);
      this.shown.push(message);
      this.#forms.push(WHOLE);
      this.#sizes.push({ characters: 0, bytes: 0, messages: 0 });
      this.#resize(at, this.#wholeSizes[at]!);
    }
    this.#request();
    return this;
  }

  #request(): void {
    const { characters = Infinity, bytes = Infinity, messages = Infinity } = this.#budget;
    const isLong = this.#total.characters > characters;
    const isHeavy = this.#total.bytes > bytes;
    const isMany = this.#total.messages > messages;
    if (!isLong && !isHeavy && !isMany) return;
    this.#target = {
      characters: isLong ? characters * LOW : characters,
      bytes: isHeavy ? bytes * LOW : bytes,
      messages: isMany ? messages * LOW : messages,
    };
    // What is said behind results belongs to their step.
    const turn = this.#turns.at(-1) ?? 0;
    const newest = Math.max(turn, this.#answered);
    const asked = this.#asked;
    const questions = this.#questions;
    const isHeld = (at: number): boolean => at === asked || (at >= turn && at <= this.#question) || this.#kept.has(at);
    const isLarge = (): boolean => !isWithin(this.#total, this.#target);
    // Shorter messages are not fewer.
    const goesOn = (): boolean => !isWithin({ ...this.#total, messages: 0 }, this.#target);
    this.#shortenNewest(newest);
    const results = (): void =>
      this.#results.run(newest, questions, isHeld, goesOn, (at) => this.#applyForm(at, { results: OLD_RESULT }));
    const words = (): void =>
      this.#words.run(newest, questions, isHeld, goesOn, (at) => this.#applyForm(at, { words: OLD_WORDS }));
    const pictures = (): void =>
      this.#pictures.run(newest, questions, isHeld, goesOn, (at) => this.#applyForm(at, { withoutPictures: Infinity }));
    if (isHeavy && !isLong) {
      // Nearly all bytes are in the pictures; where the newest alone are too heavy, no earlier words go for them.
      pictures();
      const ofAsked = (): number => this.#sizes[asked]?.bytes ?? 0;
      const older = this.#total.bytes - this.#sizeFrom(newest).bytes - ofAsked();
      this.#leaveOutPictures(newest, () => this.#total.bytes - older > bytes);
      this.#leaveOutAskedPictures(asked, () => ofAsked() > bytes);
    }
    results();
    words();
    pictures();
    this.#leaveOutTurns(isLarge);
    this.#leaveOutSteps(newest, isLarge);
    this.#shortenLast(newest);
  }

  /** Shortens the newest results, so that they do not displace everything before them. */
  #shortenNewest(newest: number): void {
    const { characters = Infinity, bytes = Infinity } = this.#budget;
    const most = { characters: characters * NEWEST, bytes: bytes * NEWEST };
    const isLarge = (): boolean => !isWithin(this.#sizeFrom(newest), most);
    for (const cap of this.#caps(OLD_RESULT)) {
      if (!isLarge()) return;
      this.#applyFormFrom(newest, { results: cap });
    }
  }

  /** Leaves the oldest turns out, up to the one with the newest question. */
  #leaveOutTurns(goesOn: () => boolean): void {
    const turn = this.#turns.at(-1) ?? 0;
    let nth = this.#turns.findIndex((at) => at > this.firstKeptTurn);
    for (; this.firstKeptTurn < turn && goesOn(); nth++) {
      const end = this.#turns[nth]!;
      for (let at = this.firstKeptTurn; at < end; at++) {
        if (this.messagesInLeftSteps.delete(at)) this.#addToTotal(-NOTE);
        this.#leaveOutOfTurns(at);
      }
    }
  }

  #leaveOutOfTurns(at: number): void {
    this.firstKeptTurn = at + 1;
    if (this.#kept.has(at)) return;
    if (this.messagesInLeftTurns === 0) this.#addToTotal(NOTE);
    this.#leaveOut(at);
    this.messagesInLeftTurns++;
  }

  /** Leaves the oldest steps of the newest turn out, up to the last one. */
  #leaveOutSteps(newest: number, goesOn: () => boolean): void {
    this.#firstKeptStep = Math.max(this.#firstKeptStep, this.#question + 1);
    while (this.#firstKeptStep < newest && goesOn()) {
      let end = this.#firstKeptStep + 1;
      while (end < newest && !isAnswer(this.#messages[end])) end++;
      this.#leaveOutStep(this.#firstKeptStep, end);
      this.#firstKeptStep = end;
    }
  }

  /** Leaves messages behind the newest question out, unless the user's newest words are among them. */
  #leaveOutStep(start: number, end: number): void {
    if (start <= this.#asked && this.#asked < end) return;
    for (let at = start; at < end; at++) {
      if (this.#kept.has(at) || this.leftOut.has(at)) continue;
      this.#leaveOut(at);
      const count = this.messagesInLeftSteps.get(this.#question) ?? 0;
      if (count === 0) this.#addToTotal(NOTE);
      this.messagesInLeftSteps.set(this.#question, count + 1);
    }
  }

  /** Shortens what is newest, where nothing else is left: the question last. */
  #shortenLast(newest: number): void {
    const isOver = (): boolean => !isWithin({ ...this.#total, messages: 0 }, this.#budget);
    for (const cap of this.#caps(SHORTEST)) if (isOver()) this.#applyFormFrom(newest, { results: cap });
    for (const cap of this.#caps(SHORTEST)) if (isOver()) this.#applyFormFrom(newest, { words: cap }, this.#asked);
    this.#leaveOutPictures(newest, isOver);
    if (this.#asked > this.#question) this.#shortenAskedStep(isOver);
    // Words behind results do not stand for the question before them: either may be the long one.
    const asked = [...new Set([this.#question, this.#asked])].filter((at) => at >= 0);
    for (const at of asked.toReversed()) this.#leaveOutAskedPictures(at, isOver);
    if (!isWithin(this.#total, this.#budget)) this.#leaveOutQuestions();
    for (const at of asked) if (isOver()) this.#shortenQuestion(at, OLD_WORDS);
    if (isOver() && newest === this.#answered) this.#leaveOutStep(newest, this.shown.length);
    for (const at of asked) if (isOver()) this.#shortenQuestion(at, SHORTEST);
    for (const at of this.#kept)
      if (isOver() && !isSystemPrompt(this.#messages[at])) this.#applyForm(at, { ...WHOLE, words: SHORTEST });
  }

  /** Shortens the step whose results have the newest words of the user behind them: it is not left out. */
  #shortenAskedStep(goesOn: () => boolean): void {
    for (const cap of this.#caps(SHORTEST)) {
      if (!goesOn()) return;
      for (let at = Math.max(this.#question + 1, this.#asked - 1); at <= this.#asked; at++)
        this.#applyForm(at, at === this.#asked ? { results: cap } : { words: cap });
    }
  }

  /** Lengths of texts, each half of the one before, from the budget's on: powers of two, so that they seldom change. */
  #caps(least: number): number[] {
    const caps: number[] = [];
    const { characters = Infinity, bytes = Infinity } = this.#budget;
    const most = Math.min(characters, bytes);
    if (most === Infinity) return caps;
    for (let cap = 2 ** Math.floor(Math.log2(Math.max(most, 1))); cap >= least; cap /= 2) caps.push(cap);
    return caps;
  }

  /** Leaves out the pictures of the newest messages, except those in the user's newest words. */
  #leaveOutPictures(newest: number, goesOn: () => boolean): void {
    for (let at = newest; at < this.shown.length && goesOn(); at++)
      if (at !== this.#asked) this.#applyForm(at, { withoutPictures: Infinity });
  }

  /** Leaves pictures of a question out, in each step twice as many. */
  #leaveOutAskedPictures(at: number, goesOn: () => boolean): void {
    if (at < 0 || !goesOn()) return;
    const most = blocksWithin(this.#messages[at]).filter(isPictureOrFile).length;
    for (let count = 1; count < 2 * most && goesOn(); count *= 2) this.#applyForm(at, { withoutPictures: count });
  }

  /** Shortens the questions that come before the newest one without an answer between, then leaves them out. */
  #leaveOutQuestions(): void {
    const isLarge = (): boolean => !isWithin(this.#total, this.#target);
    const goesOn = (): boolean => !isWithin({ ...this.#total, messages: 0 }, this.#target);
    for (let at = this.firstKeptTurn; at < this.#question && goesOn(); at++)
      this.#applyForm(at, { words: OLD_WORDS, withoutPictures: Infinity });
    for (let at = this.firstKeptTurn; at < this.#question && isLarge(); at++) this.#leaveOutOfTurns(at);
  }

  /** Shortens the newest question, or the user's newest words, to at least `least` characters. */
  #shortenQuestion(at: number, least: number): void {
    const goesOn = (): boolean => !isWithin(this.#total, this.#target);
    let cap = Math.min(this.#sizes[at]!.characters, this.#forms[at]!.words);
    while (cap > least && goesOn()) {
      cap = Math.max(Math.floor(cap * QUESTION_FACTOR), least);
      this.#applyForm(at, { words: cap });
    }
  }

  #applyFormFrom(start: number, change: Partial<Form>, but = -1): void {
    for (let at = start; at < this.shown.length; at++) if (at !== but) this.#applyForm(at, change);
  }

  /** Shortens a message to this form where it is longer: what was taken from it once stays out. */
  #applyForm(at: number, change: Partial<Form>): void {
    if (this.leftOut.has(at)) return;
    const before = this.#forms[at]!;
    const form = {
      results: Math.min(before.results, change.results ?? Infinity),
      words: Math.min(before.words, change.words ?? Infinity),
      withoutPictures: Math.max(before.withoutPictures, change.withoutPictures ?? 0),
    };
    this.#forms[at] = form;
    const next = shorten(this.#messages[at], form);
    if (next === this.#messages[at]) return;
    this.shown[at] = next;
    this.#resize(at, messageSize(next));
  }

  #leaveOut(at: number): void {
    this.leftOut.add(at);
    this.#resize(at, { characters: 0, bytes: 0, messages: 0 });
  }

  #resize(at: number, size: Size): void {
    const before = this.#sizes[at]!;
    this.#sizes[at] = size;
    this.#addToTotal(size.characters - before.characters, size.bytes - before.bytes, size.messages - before.messages);
  }

  #addToTotal(characters: number, bytes = characters, messages = 0): void {
    this.#total = {
      characters: this.#total.characters + characters,
      bytes: this.#total.bytes + bytes,
      messages: this.#total.messages + messages,
    };
  }

  #sizeFrom(start: number): Size {
    let characters = 0;
    let bytes = 0;
    for (let at = start; at < this.#sizes.length; at++) {
      if (at === this.#asked) continue;
      characters += this.#sizes[at]!.characters;
      bytes += this.#sizes[at]!.bytes;
    }
    return { characters, bytes, messages: 0 };
  }
}
