import { asLastWords } from "../../recovery/forms/one-message.ts";
import { withoutNewest, withoutRefused } from "../../recovery/withhold.ts";
import { remember, treatAll, treatBeginning } from "../../recovery/remembered.ts";
import { Ladder, tookHistory, tookLastWords, type LadderPort } from "../../recovery/ladder.ts";
import { Tries } from "../../recovery/tries.ts";
import { hasParts } from "../../recovery/search/refused-parts.ts";
import { isStorable, leavesMediaOut, type Treatment } from "../../recovery/forms/treatment.ts";
import type { RouteFact } from "../../recovery/route-fact.ts";
import { routeName } from "../../recovery/route-name.ts";
import { factsBehind, isOfHistory } from "../../recovery/routes/lesson.ts";
import { writeNotes } from "../../recovery/routes/note.ts";
import { shapeMessages } from "../../recovery/routes/shape.ts";
import { WITHOUT_RESULTS_NOTE } from "../../recovery/words.ts";
import { isObject } from "../../transcript/json/json.ts";
import type { Core } from "../base/core.ts";
import type { KnownRoutes } from "../base/known-routes.ts";
import { describeThrown } from "../base/errors.ts";
import { beginsWith, type Beginning, noRungs } from "../base/session-memory.ts";
import { repairIn } from "../messages/native.ts";
import type { Session } from "../base/session.ts";
import type { GuardOptions } from "../wire-gate.ts";
import { knownParts } from "./parts.ts";
import { FROM_LAST_WORDS, WITHOUT_HISTORY } from "./result-texts.ts";

/** State of one `guardCall` over its requests. */
export class Attempt {
  readonly tries = new Tries();
  /** Decides what the next request of this call is made with. */
  readonly ladder: Ladder;
  /** The stored history before results of tools were left out because of a content filter; undefined where none are. */
  withResults: readonly unknown[] | undefined;
  /** Everything but the newest words is left out because of a content filter. */
  leavesHistory = false;
  /** The stored history of the last request, before treatments. */
  base: Beginning = { end: 0, hash: "" };
  /** The messages of the last request. */
  sent: readonly unknown[] = [];
  /** The checkpoint of the last request. */
  checkpointId: string | undefined;
  /** API and model of the call. */
  readonly route: string;
  readonly #routes: KnownRoutes;
  /** What was known of the route when the last request was made. */
  #known: readonly RouteFact[] = [];
  /** The body of the last request, where the call has healed it. */
  body: unknown;
  /** The history as it is sent before other forms of it are tried, and the same with what searches have found. */
  refused: readonly unknown[] | undefined;
  whole: readonly unknown[] | undefined;

  constructor(core: Core, session: Session, { api, model }: GuardOptions) {
    this.route = routeName({ api, id: model });
    this.#routes = core.routes;
    this.ladder = new Ladder(this.tries, this.#port(core, session));
  }

  /** What the ladder is told of this call. */
  #port(core: Core, session: Session): LadderPort {
    const { route } = this;
    const request = (): LadderPort["request"] => ({ messages: this.sent, sent: this.sent, body: this.body });
    return {
      route,
      memory: core.memory(session),
      get messages() {
        return session.messages;
      },
      get hasHistory() {
        return hasAnswer(session);
      },
      get request() {
        return request();
      },
      get isSuspected() {
        return hasParts(knownParts(core, session).get(route));
      },
      allows: (one) => appliesTo(session, one),
      learn: (facts) => this.#routes.learn(route, facts),
    };
  }

  /** What the body of the next request has to be like for its route. */
  get facts(): readonly RouteFact[] {
    return [...this.#known, ...this.tries.facts];
  }

  /** Returns the messages of the next request. The session is not changed. */
  outgoing(core: Core, session: Session): readonly unknown[] {
    const { messages } = session;
    const chain = core.chain(session);
    const memory = core.memory(session);
    this.base = { end: messages.length, hash: chain.at(messages) };
    let next: unknown[] = withoutRefused(messages as unknown[], "all");
    if (this.leavesHistory) next = asLastWords(withoutNewest(next, "results"), false);
    const { unconfirmed } = memory;
    const isOfRoute = unconfirmed?.route === this.route && !this.leavesHistory;
    if (isOfRoute && beginsWith(chain, messages, unconfirmed))
      next = treatBeginning(next, unconfirmed.end, unconfirmed.treatments);
    this.#known = this.#routes.list(this.route);
    this.body = undefined;
    next = treatAll(shapeMessages(next, this.#known), memory.treatments);
    const { treatments } = this.tries;
    const isWhole = treatments.length === 0 && !this.leavesHistory;
    if (isWhole) this.whole = next;
    next = knownParts(core, session).without(this.route, next);
    if (isWhole) this.refused = next;
    next = treatAll(next, treatments);
    this.sent = next === messages ? messages : repairIn(session.format, next).messages;
    return this.sent;
  }

  /**
   * Remembers which treatments led to an answer, and stores them where possible; returns notes for the user. Never
   * rejects.
   */
  async answered(core: Core, session: Session): Promise<{ notes: string[]; warning: string | undefined }> {
    const memory = core.memory(session);
    Object.assign(memory, { rungs: noRungs(), stops: 0, taken: this.base });
    const { tries } = this;
    if (tries.isFromLastWords) {
      tookLastWords(memory, this.route, tries.isPlain);
      return { notes: [FROM_LAST_WORDS], warning: undefined };
    }
    tookHistory(memory);
    this.#routes.forgetTaken(this.route, { messages: this.sent, body: this.body });
    if (!this.leavesHistory) knownParts(core, session).taken(this.route);
    const tried = tries.confirmed();
    const notes = [
      ...(tried.length > 0 ? writeNotes(tried, tries.wasUnexplained) : []),
      ...(this.withResults ? [WITHOUT_RESULTS_NOTE] : []),
      ...(this.leavesHistory ? [WITHOUT_HISTORY] : []),
    ];
    if (tried.length === 0 || this.leavesHistory) return { notes, warning: undefined };
    const treatments = memory.unconfirmed?.route === this.route ? [...memory.unconfirmed.treatments] : [];
    remember(treatments, tried);
    memory.unconfirmed = { ...this.base, route: this.route, treatments };
    const isGuess = tried.some(leavesMediaOut);
    const isNamed = !isGuess && !tries.wasUnexplained;
    if (isNamed || (!isGuess && ++memory.confirmations > 1))
      this.#routes.learn(
        this.route,
        tried.flatMap((treatment) => factsBehind(treatment, this.sent)),
      );
    if (!isNamed) return { notes, warning: undefined };
    return { notes, warning: await this.#stored(core, session, tried.filter(isOfHistory)) };
  }

  async #stored(core: Core, session: Session, tried: readonly Treatment[]): Promise<string | undefined> {
    try {
      await this.#store(core, session, tried);
      return undefined;
    } catch (error) {
      return (
        "The history is sent in another form by this process only, because the form could not be " +
        `stored: ${describeThrown(error)}`
      );
    }
  }

  async #store(core: Core, session: Session, tried: readonly Treatment[]): Promise<void> {
    const memory = core.memory(session);
    const { messages } = session;
    const { end } = this.base;
    // The session was moved to another path meanwhile.
    if (!beginsWith(core.chain(session), messages, this.base)) return;
    const storable = tried.filter(isStorable);
    if (storable.length === 0) {
      remember(memory.treatments, tried);
      delete memory.unconfirmed;
      return;
    }
    // Messages that the call has appended are left as they are: their own calls are still open.
    const beginning = repairIn(session.format, treatAll(messages.slice(0, end), storable)).messages;
    await session.replaceMessages([...beginning, ...messages.slice(end)]);
    remember(
      memory.treatments,
      tried.filter((treatment) => !isStorable(treatment)),
    );
    delete memory.unconfirmed;
    memory.taken = { end: beginning.length, hash: core.chain(session).at(session.messages, beginning.length) };
  }
}

/** True where a session has an answer of a model. */
export function hasAnswer({ messages }: Session): boolean {
  return messages.some((message) => isObject(message) && message.role === "assistant");
}

/**
 * True where a treatment can apply to a session: in Anthropic's form the results of one message's calls share one
 * message, so `one_call_each` cannot separate them.
 */
export function appliesTo({ format }: Session, { kind }: Treatment): boolean {
  return format === "openclaw" || kind !== "one_call_each";
}
