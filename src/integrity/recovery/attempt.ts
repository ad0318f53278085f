import { asLastWords } from "../../recovery/forms/one-message.ts";
import { withoutRefused } from "../../recovery/stopped.ts";
import { remember, treatAll, treatBeginning } from "../../recovery/remembered.ts";
import { MAX_EXTRA_REQUESTS, type Rungs } from "../../recovery/rungs.ts";
import { withoutFound } from "../../recovery/search/refused-parts.ts";
import { isStorable, type Treatment } from "../../recovery/forms/treatment.ts";
import type { RouteFact } from "../../recovery/route-fact.ts";
import { routeName } from "../../recovery/route-name.ts";
import { factsBehind, lessonsOf, taughtTreatment } from "../../recovery/routes/lesson.ts";
import { noteOf } from "../../recovery/routes/note.ts";
import { shapeMessages } from "../../recovery/routes/shape.ts";
import { WITHOUT_RESULTS_NOTE } from "../../recovery/words.ts";
import type { Core } from "../base/core.ts";
import type { KnownRoutes } from "../base/known-routes.ts";
import { reasonOf } from "../base/errors.ts";
import { beginsWith, type Beginning, noRungs, type SessionMemory } from "../base/session-memory.ts";
import { repairIn } from "../messages/native.ts";
import type { Session } from "../base/session.ts";
import type { GuardOptions } from "../wire-gate.ts";
import { knownParts, noteTaken } from "./parts.ts";
import { FROM_LAST_WORDS, WITHOUT_HISTORY } from "./result-texts.ts";

/** State of one `guardCall` over its requests. */
export class Attempt {
  /** Rungs that were tried in this call. */
  readonly rungs: Rungs;
  /** Treatments that were tried in this call. */
  treatments: Treatment[] = [];
  /** The last refusal gave no reason; a treatment that works counts only the second time. */
  wasUnexplained = false;
  /** Results of tools were left out because of a content filter. */
  leavesResults = false;
  /** The last words were sent because of failures that say nothing of their requests. */
  isServerError = false;
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

  constructor(core: Core, { atFault }: SessionMemory, { api, model }: GuardOptions) {
    this.route = routeName({ api, id: model });
    this.#routes = core.routes;
    this.rungs = { ...noRungs(), ...(atFault?.route === this.route && { atFault }) };
  }

  /** Whether another request may be made. */
  get mayResend(): boolean {
    return this.rungs.extra < MAX_EXTRA_REQUESTS;
  }

  /** Has the next request sent with this treatment. */
  try(treatment: Treatment): void {
    this.treatments = treatment.kind === "last_words" ? [treatment] : [...this.treatments, treatment];
  }

  /** True where the last request had the last words in place of the history. */
  get isFromLastWords(): boolean {
    return this.treatments.at(-1)?.kind === "last_words";
  }

  /** What the body of the next request has to be like for its route. */
  get facts(): readonly RouteFact[] {
    return [...this.#known, ...this.treatments.flatMap((one) => (one.kind === "of_route" ? one.facts : []))];
  }

  /** Records what a refusal says of its route; returns the form in which the route takes the request, if there is one. */
  taught(said: readonly RouteFact[]): Treatment | undefined {
    const request = { messages: this.sent, body: this.body };
    const lessons = lessonsOf(said, request);
    this.#routes.learn(this.route, lessons);
    const treatment = this.mayResend && !this.isFromLastWords ? taughtTreatment(lessons, request) : undefined;
    if (!treatment) return undefined;
    this.rungs.treated ??= { kind: "history", problem: "route", ids: [] };
    this.rungs.extra++;
    this.try(treatment);
    return treatment;
  }

  /** Has the next call on this route begin with a request for the last words. */
  refusedInEachForm(memory: SessionMemory): void {
    if (memory.atFault?.route !== this.route)
      memory.atFault = { route: this.route, isPlain: this.rungs.isPlain === true };
  }

  /** Returns the messages of the next request. The session is not changed. */
  outgoing(core: Core, session: Session): readonly unknown[] {
    const { messages } = session;
    const chain = core.chain(session);
    const memory = core.memory(session);
    this.base = { end: messages.length, hash: chain.at(messages) };
    let next: unknown[] = withoutRefused(messages as unknown[], "all");
    if (this.leavesHistory) next = asLastWords(next, false);
    const { unconfirmed } = memory;
    if (unconfirmed && !this.leavesHistory && beginsWith(chain, messages, unconfirmed))
      next = treatBeginning(next, unconfirmed.end, unconfirmed.treatments);
    this.#known = this.#routes.of(this.route);
    this.body = undefined;
    next = treatAll(shapeMessages(next, this.#known), memory.treatments);
    const isWhole = this.treatments.length === 0 && !this.leavesHistory;
    if (isWhole) this.whole = next;
    next = withoutFound(next, knownParts(core, session, this.route));
    if (isWhole) this.refused = next;
    next = treatAll(next, this.treatments);
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
    delete memory.failing;
    if (this.isFromLastWords) {
      const isPlain = memory.atFault?.route === this.route && memory.atFault.isPlain;
      memory.atFault = { route: this.route, isPlain: isPlain || this.rungs.isPlain === true };
      return { notes: [FROM_LAST_WORDS], warning: undefined };
    }
    delete memory.atFault;
    this.#routes.forgetTaken(this.route, { messages: this.sent, body: this.body });
    if (!this.leavesHistory) await noteTaken(core, session, this.route);
    const notes = [
      ...(this.treatments.length > 0 ? noteOf(this.treatments, this.wasUnexplained) : []),
      ...(this.leavesResults ? [WITHOUT_RESULTS_NOTE] : []),
      ...(this.leavesHistory ? [WITHOUT_HISTORY] : []),
    ];
    if (this.treatments.length === 0 || this.leavesHistory) return { notes, warning: undefined };
    memory.unconfirmed = { ...this.base, treatments: this.treatments };
    if (this.wasUnexplained && ++memory.confirmations < 2) return { notes, warning: undefined };
    this.#routes.learn(
      this.route,
      this.treatments.flatMap((treatment) => factsBehind(treatment, this.sent)),
    );
    this.treatments = this.treatments.filter(({ kind }) => kind !== "of_route" && kind !== "strict_roles");
    return { notes, warning: await this.#stored(core, session) };
  }

  async #stored(core: Core, session: Session): Promise<string | undefined> {
    try {
      await this.#store(core, session);
      return undefined;
    } catch (error) {
      return `The history is sent in another form by this process only, because the form could not be stored: ${reasonOf(error)}`;
    }
  }

  async #store(core: Core, session: Session): Promise<void> {
    const memory = core.memory(session);
    const { messages } = session;
    const { end } = this.base;
    // The session was moved to another path meanwhile.
    if (!beginsWith(core.chain(session), messages, this.base)) return;
    const storable = this.treatments.filter(isStorable);
    if (storable.length === 0) {
      remember(memory.treatments, this.treatments);
      delete memory.unconfirmed;
      return;
    }
    // Messages that the call has appended are left as they are: their own calls are still open.
    const beginning = repairIn(session.format, treatAll(messages.slice(0, end), storable)).messages;
    await session.replaceMessages([...beginning, ...messages.slice(end)]);
    remember(
      memory.treatments,
      this.treatments.filter((treatment) => !isStorable(treatment)),
    );
    delete memory.unconfirmed;
    memory.taken = { end: beginning.length, hash: core.chain(session).at(session.messages, beginning.length) };
  }
}
