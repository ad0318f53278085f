import { newestOnly, withoutRefused } from "../../recovery/stopped.ts";
import { remember, type Rungs, treatAll, treatBeginning } from "../../recovery/rungs.ts";
import { isOfRoute, isStorable, type Treatment } from "../../recovery/treatment.ts";
import { CHANGED_NOTE, WITHOUT_RESULTS_NOTE } from "../../recovery/words.ts";
import type { Core } from "../base/core.ts";
import { reasonOf } from "../base/errors.ts";
import { beginsWith, type Beginning, noRungs, type SessionMemory } from "../base/session-memory.ts";
import { repairIn } from "../messages/native.ts";
import type { Session } from "../base/session.ts";
import type { GuardOptions } from "../wire-gate.ts";
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
  /** Everything but the newest words is left out because of a content filter. */
  leavesHistory = false;
  /** Whether another request may be made. */
  mayResend = true;
  /** The stored history of the last request, before treatments. */
  base: Beginning = { end: 0, hash: "" };
  /** The messages of the last request. */
  sent: readonly unknown[] = [];
  /** The checkpoint of the last request. */
  checkpointId: string | undefined;
  /** API and model of the call. */
  readonly #route: string;

  constructor({ isRefused, atFault }: SessionMemory, { api, model }: GuardOptions) {
    this.#route = [api, model].join(" ");
    this.rungs = { ...noRungs(), isAgain: isRefused, isAtFault: atFault === this.#route };
  }

  /** Has the next request sent with the last words of the history alone. */
  sendLastWords(): void {
    this.rungs.isAlone = true;
    this.treatments = [{ kind: "last_words" }];
  }

  /** Returns the messages of the next request. The session is not changed. */
  outgoing(core: Core, session: Session): readonly unknown[] {
    const { messages } = session;
    const chain = core.chain(session);
    const memory = core.memory(session);
    this.base = { end: messages.length, hash: chain.at(messages) };
    let next: unknown[] = withoutRefused(messages as unknown[]);
    if (this.leavesHistory) next = newestOnly(next) ?? next;
    const { unconfirmed } = memory;
    if (unconfirmed && !this.leavesHistory && beginsWith(chain, messages, unconfirmed))
      next = treatBeginning(next, unconfirmed.end, unconfirmed.treatments);
    const ofRoute: Treatment[] = memory.withoutMedia.has(this.#route) ? [{ kind: "without_media", ofRoute: true }] : [];
    next = treatAll(next, [...ofRoute, ...memory.treatments, ...this.treatments]);
    this.sent = next === messages ? messages : repairIn(session.format, next).messages;
    return this.sent;
  }

  /**
   * Remembers which treatments led to an answer, and stores them where possible; returns notes for the user. Never
   * rejects.
   */
  async answered(core: Core, session: Session): Promise<{ notes: string[]; warning: string | undefined }> {
    const memory = core.memory(session);
    Object.assign(memory, { rungs: noRungs(), stops: 0, isHistoryFiltered: this.leavesHistory });
    if (this.treatments.at(-1)?.kind === "last_words") {
      memory.atFault = this.#route;
      delete memory.taken;
      return { notes: [FROM_LAST_WORDS], warning: undefined };
    }
    memory.isRefused = false;
    delete memory.atFault;
    if (this.leavesHistory) delete memory.taken;
    else memory.taken = this.base;
    const notes = [
      ...(this.treatments.length > 0 ? [CHANGED_NOTE] : []),
      ...(this.leavesResults ? [WITHOUT_RESULTS_NOTE] : []),
      ...(this.leavesHistory ? [WITHOUT_HISTORY] : []),
    ];
    if (this.treatments.length === 0 || this.leavesHistory) return { notes, warning: undefined };
    memory.unconfirmed = { ...this.base, treatments: this.treatments };
    if (this.wasUnexplained && ++memory.confirmations < 2) return { notes, warning: undefined };
    if (this.treatments.some(isOfRoute)) memory.withoutMedia.add(this.#route);
    this.treatments = this.treatments.filter((treatment) => !isOfRoute(treatment));
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
