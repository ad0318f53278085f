import { isObject, isPositive, type JsonObject } from "../../transcript/json/json.ts";
import { marked } from "../../transcript/origin.ts";
import { makeExtract } from "../../recovery/summary/extract.ts";
import { CUT_OFF_OPENING } from "../../recovery/words.ts";
import { isHollow } from "../../recovery/summary/hollow.ts";
import { leaving } from "../../recovery/summary/leaving.ts";
import { planSecondCompaction } from "../../recovery/summary/second-compaction.ts";
import { budgetAfter } from "../../recovery/size/budget.ts";
import { fit } from "../../recovery/size/fit.ts";
import { measureMessages, type Budget } from "../../recovery/size/measure.ts";
import { readExcess } from "../../recovery/size/read-excess.ts";
import type { GuardedSession } from "../openclaw/session.ts";
import { withKnownResults } from "../history/interrupted.ts";
import { addStillKept } from "./still-kept.ts";
import { hearCalls } from "./summariser-calls.ts";
import { heardFrom, type Heard } from "./heard.ts";

/** What of OpenClaw's session a compaction goes through; each release has one of the two names of the runner. */
export interface CompactingSession extends GuardedSession {
  agent: GuardedSession["agent"] & { hasQueuedMessages?: () => unknown };
  /** All compactions, in releases that have one function for them. */
  runCompactionWork?: unknown;
  compact?: unknown;
  _runAutoCompaction?: unknown;
  runAutoCompaction?: unknown;
  emit?: unknown;
  _emit?: unknown;
  _extensionRunner?: unknown;
  currentExtensionRunner?: unknown;
  model?: unknown;
}

type Method = (...given: unknown[]) => unknown;

/** OpenClaw cuts a summary at this length. */
const MAX_CHARACTERS = 16_000;

/** Characters of a token that an extract may have where the room for it is given in tokens. */
const PER_TOKEN = 2.5;

/** Which part of a model's window an extract may take. */
const WINDOW_SHARE = 0.1;

/** An extract below a summary that was cut off is made where there is room for so many characters. */
const LEAST_BELOW = 1000;

/** The lists of messages that OpenClaw gives to its summariser, each in a request of its own. */
const GIVEN = ["messagesToSummarize", "turnPrefixMessages"] as const;

/** The event in which OpenClaw asks its extensions for a summary. */
const BEFORE = "session_before_compact";

/**
 * A running compaction of OpenClaw: watches what is to be summarised and what comes of it. When told to, it gives
 * OpenClaw an extract in place of the summary, as an extension would. `end` gives the session back as it was.
 */
export class Compaction {
  /** A summary was stored. */
  hasStored = false;
  /** When the last request for a summary began, of the clock that `performance.now` reads. */
  lastRequestAt = 0;
  /** Ends the requests of this attempt before OpenClaw's timer ends the compaction. */
  #requests = new AbortController();
  /** The next summary that OpenClaw asks its extensions for is an extract. */
  givesExtract = false;
  /** The event {@link BEFORE} of this attempt. */
  #request: JsonObject | undefined;
  /** What the summariser is given. */
  #budget: Budget | undefined;
  /** What was written in place of a summary. */
  #words: string | undefined;
  /** What was written of a summary that did not come to its end. */
  #part: string | undefined;
  /** A summariser of this attempt was stopped at the limit of its answer. */
  #isCutOff = false;
  /** The end of a first attempt, which OpenClaw's listeners have not seen. */
  #held: { readonly event: JsonObject; readonly emit: () => void } | undefined;
  readonly #session: CompactingSession;
  readonly #sessionId: string | undefined;
  /** An extension of OpenClaw makes the summaries, in a form of its own. */
  #isSafeguarded = false;
  /** Undo what was changed in the session, in the order in which it was changed. */
  readonly #ends: (() => void)[] = [];

  /** `given` is what OpenClaw begins the compaction of this session with. */
  constructor(session: CompactingSession, sessionId: string | undefined, given: readonly unknown[] = []) {
    this.#session = session;
    this.#sessionId = sessionId;
    try {
      this.#begin();
      this.#goOn(given[0]);
    } catch (error) {
      this.end();
      throw error;
    }
  }

  #begin(): void {
    const session = this.#session;
    const name = "currentExtensionRunner" in session ? "currentExtensionRunner" : "_extensionRunner";
    // A session without extensions has no runner in early releases.
    if (!isObject(session[name]))
      this.#shadow(session as unknown as JsonObject, name, { hasHandlers: () => false, emit: () => undefined });
    const runner = session[name] as JsonObject;
    this.#isSafeguarded = (runner.hasHandlers as Method | undefined)?.call(runner, BEFORE) === true;
    this.#wrap(runner, "hasHandlers", (inner, given) => given[0] === BEFORE || inner(...given));
    this.#wrap(runner, "emit", (inner, given) => this.#emitted(inner, given));
    this.#wrap(session as unknown as JsonObject, "_emit", (inner, given) => this.#announced(inner, given));
    this.#wrap(session.agent as unknown as JsonObject, "streamFn", (inner, given) => {
      const { options, hear } = this.#asked(given[2]);
      const stream = inner(given[0], given[1], options);
      heardFrom(stream, hear);
      return stream;
    });
    const manager = session.sessionManager as JsonObject | undefined;
    if (manager) this.#wrap(manager, "appendCompaction", (inner, given) => this.#stored(inner, given));
  }

  /** Has OpenClaw compact more where it would find the session compacted, and its messages still too many. */
  #goOn(given: unknown): void {
    const { sessionManager: manager, settingsManager, model, agent } = this.#session;
    const path = manager?.getBranch?.();
    if (!manager || !path) return;
    const options = isObject(given) && isObject(given.settings) ? given : undefined;
    const settings = options?.settings ?? settingsManager?.getCompactionSettings?.();
    if (!isObject(settings)) return;
    const { contextWindow } = isObject(model) ? model : ({} as JsonObject);
    const { systemPrompt } = (agent.state ?? {}) as JsonObject;
    const again = planSecondCompaction(path, { contextWindow, reserveTokens: settings.reserveTokens, systemPrompt });
    if (!again) return;
    this.#wrap(manager as JsonObject, "getBranch", (inner, from) =>
      from[0] === undefined ? again.path.slice() : inner(...from),
    );
    const next = { ...settings, keepRecentTokens: again.keepRecentTokens };
    if (options) this.#shadow(options, "settings", next);
    else this.#wrap(settingsManager as JsonObject, "getCompactionSettings", () => next);
  }

  /** True where OpenClaw has found something to summarise, stores nothing, and nobody has stopped it. */
  get hasFailed(): boolean {
    return this.#request !== undefined && !this.hasStored && !this.isStopped;
  }

  /** True where a part of a summary was made, which stands above an extract. */
  get hasPart(): boolean {
    return this.#part !== undefined;
  }

  get isStopped(): boolean {
    const signal = this.#request?.signal;
    return signal instanceof AbortSignal && signal.aborted;
  }

  /** True when the requests of this attempt are ended, and it makes no more of them. */
  get isGivenUp(): boolean {
    return this.#requests.signal.aborted;
  }

  /** Ends an attempt that waits for its summary, as if the summariser had failed. */
  giveUp(): void {
    if (this.#request && !this.hasStored && !this.isStopped) this.#requests.abort();
  }

  /** The options with which a request for a summary is made, and the function that hears how it ends. */
  #asked(options: unknown): { readonly options: unknown; readonly hear: (heard: Heard) => void } {
    this.lastRequestAt = performance.now();
    const hear = (heard: Heard): void => this.#hear(heard);
    if (!isObject(options)) return { options: { signal: this.#requests.signal }, hear };
    const { signal } = options;
    const both = signal instanceof AbortSignal ? [signal, this.#requests.signal] : [this.#requests.signal];
    return { options: { ...options, signal: AbortSignal.any(both) }, hear };
  }

  end(): void {
    for (const end of this.#ends.toReversed()) end();
  }

  /** Passes on what was held back of a first attempt that failed. */
  emitHeld(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held) held.emit();
  }

  /** What OpenClaw's listeners are told of a first attempt that failed. */
  get heldError(): string | undefined {
    const error = this.#held?.event.errorMessage;
    return typeof error === "string" ? error : undefined;
  }

  /** Passes an event on, so that listeners see one beginning and one end of a compaction that takes two attempts. */
  #announced(inner: Method, given: readonly unknown[]): unknown {
    const event = isObject(given[0]) ? given[0] : ({} as JsonObject);
    const { type } = event;
    const isEnd = type === "auto_compaction_end" || type === "compaction_end";
    if (isEnd && this.hasFailed && !this.givesExtract) {
      this.#held = { event, emit: () => inner(...given) };
      return undefined;
    }
    const isSecondStart = type === "auto_compaction_start" || type === "compaction_start";
    return isSecondStart && this.#held !== undefined ? undefined : inner(...given);
  }

  #emitted(inner: Method, given: readonly unknown[]): unknown {
    const [event] = given;
    if (!isObject(event) || event.type !== BEFORE) return inner(...given);
    this.#request = event;
    this.#requests = new AbortController();
    this.lastRequestAt = performance.now();
    addStillKept(this.#preparation, Array.isArray(event.branchEntries) ? event.branchEntries : []);
    this.#addKnownResults();
    this.#isCutOff = false;
    if (event.signal instanceof AbortSignal) hearCalls(event.signal, (options) => this.#asked(options));
    this.#shrink();
    return this.givesExtract ? { compaction: this.#extract() } : inner(...given);
  }

  /**
   * Has the next attempt give the summariser less, by what its refusal says of the size: in early releases no gate sees
   * its request. False where there is nothing to give less of.
   */
  shrinks(refusal: string, tries: number): boolean {
    const sizes = GIVEN.map((name) => measureMessages(this.#given(name)));
    const largest = sizes.reduce((one, other) => (other.characters > one.characters ? other : one));
    if (largest.characters === 0) return false;
    this.#budget = budgetAfter(largest, readExcess({ text: refusal }), {}, tries);
    return true;
  }

  /** Adds results that only the journal knows: what is summarised is in no later request. */
  #addKnownResults(): void {
    for (const name of GIVEN) {
      const list = this.#given(name);
      const known = withKnownResults(this.#sessionId, list);
      if (known !== list) this.#preparation[name] = known;
    }
  }

  #shrink(): void {
    if (!this.#budget || this.givesExtract) return;
    // OpenClaw summarises what its extensions have left in these lists.
    for (const name of GIVEN) {
      const whole = this.#given(name);
      if (whole.length > 0) this.#preparation[name] = fit(whole, this.#budget);
    }
  }

  #given(name: (typeof GIVEN)[number]): unknown[] {
    const list = this.#preparation[name];
    return Array.isArray(list) ? list : [];
  }

  #hear({ stopReason, words }: Heard): void {
    if (stopReason === "length") this.#isCutOff = true;
    const isUnfinished =
      stopReason === "length" || stopReason === "error" || (stopReason === "aborted" && this.isGivenUp);
    if (isUnfinished && !isHollow(words, Infinity)) this.#part = words;
  }

  /** What OpenClaw stores of a summary that was cut off: an extract stands below it, as far as there is room. */
  #completed(summary: string, details: unknown): readonly unknown[] | undefined {
    const characters = Math.min(this.#room, this.#most - summary.length) - 2;
    if (characters < LEAST_BELOW) return undefined;
    const extract = this.#extractIn(characters, CUT_OFF_OPENING);
    return [`${summary}\n\n${extract}`, marked(isObject(details) ? details : {}, { extract: true })];
  }

  #stored(inner: Method, given: readonly unknown[]): unknown {
    const [summary, firstKept, tokensBefore, details, ...more] = given;
    if (!this.givesExtract && typeof summary === "string" && this.#request) {
      const { messages } = this.#leaving;
      if (isHollow(summary, measureMessages(messages).characters)) {
        this.#words = summary.trim();
        throw new Error("The model that was asked for a summary has made none.");
      }
    }
    const completed =
      this.#isCutOff && !this.givesExtract && typeof summary === "string" && this.#request
        ? this.#completed(summary, details)
        : undefined;
    const entryId = completed ? inner(completed[0], firstKept, tokensBefore, completed[1], ...more) : inner(...given);
    this.hasStored = true;
    return entryId;
  }

  /** What OpenClaw stores as an extension's summary. */
  #extract(): JsonObject {
    const { firstKeptEntryId, tokensBefore } = this.#preparation;
    const words = (this.#part ?? this.#words)?.slice(0, this.#most / 2).toWellFormed();
    const characters = words ? Math.min(this.#room, this.#most - words.length - 2) : this.#room;
    const extract = this.#extractIn(characters, this.hasPart ? CUT_OFF_OPENING : undefined);
    const summary = words ? `${words}\n\n${extract}` : extract;
    return {
      summary,
      firstKeptEntryId,
      tokensBefore,
      details: marked({ readFiles: [], modifiedFiles: [] }, { extract: true }),
    };
  }

  #extractIn(characters: number, opening?: string): string {
    const { messages, previous } = this.#leaving;
    const form = this.#isSafeguarded ? "safeguard" : "plain";
    return makeExtract({ messages, previous, form, characters, ...(opening !== undefined && { opening }) });
  }

  get #leaving(): ReturnType<typeof leaving> {
    const { branchEntries } = this.#request ?? {};
    const left = leaving(Array.isArray(branchEntries) ? branchEntries : [], this.#preparation.firstKeptEntryId);
    return { ...left, messages: withKnownResults(this.#sessionId, left.messages) };
  }

  get #preparation(): JsonObject {
    const preparation = this.#request?.preparation;
    return isObject(preparation) ? preparation : {};
  }

  /** How many characters a summary may have, with all that is added to it. */
  get #most(): number {
    const { summaryTokenBudget } = this.#preparation;
    const budget = isPositive(summaryTokenBudget) ? Math.floor(summaryTokenBudget * PER_TOKEN) : Infinity;
    return Math.min(MAX_CHARACTERS, budget);
  }

  /** How many characters an extract may have. */
  get #room(): number {
    const { model } = this.#session;
    const { contextWindow } = isObject(model) ? model : ({} as JsonObject);
    const share = isPositive(contextWindow) ? Math.floor(contextWindow * WINDOW_SHARE * PER_TOKEN) : Infinity;
    return Math.min(this.#most, share);
  }

  #wrap(target: JsonObject, name: string, through: (inner: Method, given: readonly unknown[]) => unknown): void {
    const inner = target[name];
    if (typeof inner !== "function") return;
    this.#shadow(target, name, (...given: unknown[]) =>
      through((...next) => (inner as Method).apply(target, next), given),
    );
  }

  #shadow(target: JsonObject, name: string, value: unknown): void {
    const before = Object.getOwnPropertyDescriptor(target, name);
    Object.defineProperty(target, name, { value, configurable: true, writable: true });
    this.#ends.push(() => {
      if (before) Object.defineProperty(target, name, before);
      else delete target[name];
    });
  }
}
