import { logFailure } from "../base/log.ts";
import {
  finishedMessage,
  isEventStream,
  sayEvents,
  type AssistantMessage,
  type EventStream,
  type StreamEvent,
} from "../openclaw/stream-events.ts";
import { toWord } from "../../transcript/json/json.ts";
import { mayBecomeSign } from "./silence.ts";

/** How one try of a model call ended. */
export type Ending = { message: AssistantMessage; event: StreamEvent } | { thrown: unknown };

/** What is done when a try has ended. */
export type Step =
  /** The ending is passed on to OpenClaw unchanged. */
  | { do: "pass" }
  /** Another request is sent; OpenClaw has seen nothing of the last one. */
  | { do: "send"; send: () => unknown }
  /** OpenClaw gets this message instead, with these texts of the guard appended. */
  | { do: "end"; message: AssistantMessage; words: readonly string[]; event?: StreamEvent };

type Next = IteratorResult<StreamEvent, undefined>;

const DONE: Next = Object.freeze({ done: true, value: undefined });

/**
 * Decides what happens when one try of a model call ends. `begun`: a part of the answer has come, and OpenClaw may have
 * it.
 */
export interface Decider {
  after(ending: Ending, begun: boolean): Step;
}

/**
 * Asked with the message that a turn's stream ends with: what its last event has to wait for. The promise must not
 * reject.
 */
export type Hold = (message: AssistantMessage | undefined) => Promise<void> | undefined;

/**
 * The stream that OpenClaw reads. Events of the model are passed on as they come, unchanged, in order and once; the
 * last one is held back until the decider has chosen a {@link Step}.
 */
export class Answer implements EventStream {
  /** Events that OpenClaw has not asked for yet; those before `#taken` are given. */
  readonly #queue: (StreamEvent | undefined)[] = [];
  #taken = 0;
  /** Whoever has asked for an event that has not come yet. */
  readonly #asking: ((next: Next | Promise<Next>) => void)[] = [];
  readonly #decider: Decider;
  readonly #hold: Hold | undefined;
  #isOver = false;
  /** The reader has got the failure, if there was one: once, behind the last event. */
  #isFailureTold = false;
  /** OpenClaw was given a start; a second one, of the next try, is left out. */
  #started = false;
  /** More than a start has come of this answer; OpenClaw has all of it but `#unsaid`. */
  #begun = false;
  /** Events from the first text on, as long as it may become the sign by which an agent says nothing. */
  #unsaid: StreamEvent[] | undefined;
  #saidSoFar = "";
  readonly #result: Promise<AssistantMessage>;

  /** `first` is the stream of the first request, or what that request threw. */
  constructor(first: EventStream | { thrown: unknown }, decider: Decider, hold?: Hold) {
    this.#decider = decider;
    this.#hold = hold;
    this.#result = this.#run(first).finally(() => {
      this.#isOver = true;
      for (const answer of this.#asking.splice(0)) answer(this.#end());
    });
    // OpenClaw reads the events first; an error must not count as unhandled until it asks for the result.
    this.#result.catch(() => undefined);
  }

  result(): Promise<AssistantMessage> {
    return this.#result;
  }

  /** No generator: one costs three turns of the microtasks for each event, and a token comes with one or more. */
  [Symbol.asyncIterator](): AsyncIterableIterator<StreamEvent> {
    let isLeft = false;
    return {
      next: () => (isLeft ? Promise.resolve(DONE) : this.#next()),
      return: () => {
        isLeft = true;
        return Promise.resolve(DONE);
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  #next(): Promise<Next> {
    if (this.#taken < this.#queue.length) {
      const value = this.#queue[this.#taken]!;
      this.#queue[this.#taken++] = undefined;
      if (this.#taken === this.#queue.length) this.#queue.length = this.#taken = 0;
      return Promise.resolve({ done: false, value });
    }
    if (this.#isOver) return this.#end();
    return new Promise((resolve) => this.#asking.push(resolve));
  }

  /** What comes behind the last event: once the failure, if the stream has failed, then nothing more. */
  async #end(): Promise<Next> {
    if (this.#isFailureTold) return DONE;
    this.#isFailureTold = true;
    await this.#result;
    return DONE;
  }

  async #run(first: EventStream | { thrown: unknown }): Promise<AssistantMessage> {
    let next = first;
    for (;;) {
      const ending = isEventStream(next) ? await this.#read(next) : next;
      const step = this.#decide(ending);
      const held =
        step.do === "send" ? undefined : this.#hold?.(step.do === "end" ? step.message : endingMessage(ending));
      if (held) await held;
      if (step.do === "pass") return this.#pass(ending);
      if (step.do === "end") return this.#endWith(step);
      this.#sayUnsaid();
      this.#saidSoFar = "";
      next = await opened(step.send);
    }
  }

  #decide(ending: Ending): Step {
    try {
      return this.#decider.after(ending, this.#begun);
    } catch (error) {
      logFailure("recovery", error, "the answer is passed on unchanged");
      return { do: "pass" };
    }
  }

  /** Passes events on until the last one, which is held back. */
  async #read(stream: EventStream): Promise<Ending> {
    try {
      for await (const event of stream) {
        const message = finishedMessage(event);
        if (message) return { message, event };
        if (event.type !== "start") this.#begun = true;
        // OpenClaw would take a second start for a second message.
        if (event.type !== "start" || !this.#started) this.#giveUnlessSign(event);
        if (event.type === "start") this.#started = true;
      }
      return toEnding(await stream.result());
    } catch (thrown) {
      return { thrown };
    }
  }

  /**
   * A client shows each piece of a text as it comes. Of a sign it would show the first pieces, and of words behind it
   * nothing: OpenClaw takes a text that begins with the sign for the sign.
   */
  #giveUnlessSign(event: StreamEvent): void {
    const isText = event.type === "text_start" || event.type === "text_delta";
    if (this.#saidSoFar === "" && isText) this.#unsaid ??= [];
    if (!this.#unsaid) return this.#give(event);
    this.#unsaid.push(event);
    if (event.type !== "text_delta") return;
    this.#saidSoFar += toWord(event.delta);
    if (!mayBecomeSign(this.#saidSoFar)) this.#sayUnsaid();
  }

  #sayUnsaid(): void {
    for (const event of this.#unsaid ?? []) this.#give(event);
    this.#unsaid = undefined;
  }

  #pass(ending: Ending): AssistantMessage {
    this.#sayUnsaid();
    if ("thrown" in ending) throw ending.thrown;
    this.#give(ending.event);
    return ending.message;
  }

  #endWith({ message, words, event }: Extract<Step, { do: "end" }>): AssistantMessage {
    // Words in place of a text are not said behind it.
    if (words.length > 0 && !message.content.some(({ type }) => type === "text")) this.#unsaid = undefined;
    this.#sayUnsaid();
    if (!this.#started) this.#give({ type: "start", partial: message });
    let ended = message;
    for (const text of words) {
      const said = sayEvents(ended, text);
      for (const each of said.events) this.#give(each);
      ended = said.message;
    }
    this.#give(
      event
        ? { ...event, [event.type === "error" ? "error" : "message"]: ended }
        : { type: "done", reason: "stop", message: ended },
    );
    return ended;
  }

  #give(event: StreamEvent): void {
    const answer = this.#asking.shift();
    if (answer) answer({ done: false, value: event });
    else this.#queue.push(event);
  }
}

function endingMessage(ending: Ending): AssistantMessage | undefined {
  return "message" in ending ? ending.message : undefined;
}

function toEnding(message: AssistantMessage): Ending {
  const { stopReason } = message;
  const isError = stopReason === "error" || stopReason === "aborted";
  return {
    message,
    event: isError
      ? { type: "error", reason: stopReason, error: message }
      : { type: "done", reason: stopReason, message },
  };
}

/** Sends a request and returns its stream. What the request throws is returned as an ending; never throws. */
export async function opened(send: () => unknown): Promise<EventStream | { thrown: unknown }> {
  try {
    const stream = await send();
    return isEventStream(stream)
      ? stream
      : { thrown: new TypeError(`expected a stream from the model call, found ${typeof stream}.`) };
  } catch (thrown) {
    return { thrown };
  }
}
