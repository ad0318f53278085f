import type { HistoryFailure } from "./choose.ts";
import type { Treatment } from "./forms/treatment.ts";
import type { RouteFact } from "./route-fact.ts";
import { type HistoryAtFault, MAX_EXTRA_REQUESTS, type Rungs } from "./rungs.ts";

/** What a run of the agent, or a guarded call, has tried, and what its next requests are made with. */
export class Tries implements Rungs {
  extra = 0;
  treated: HistoryFailure | undefined;
  isPlain = false;
  lastWords: Rungs["lastWords"];
  atFault: HistoryAtFault | undefined;
  /** The last refusal gave no reason; a treatment that works is not stored. */
  wasUnexplained = false;
  /** The last words were sent because of failures that say nothing of their requests. */
  isServerError = false;
  /** Applied to every later request: its messages include the refused history, and would be refused again. */
  readonly treatments: Treatment[] = [];
  /** The last of `treatments`, which no answer has confirmed yet. */
  #unconfirmed: Treatment[] = [];

  /** True where another request may be sent. */
  get mayResend(): boolean {
    return this.extra < MAX_EXTRA_REQUESTS;
  }

  /** True where requests have the last words of the conversation in place of its history. */
  get isFromLastWords(): boolean {
    return this.treatments.at(-1)?.kind === "last_words";
  }

  /** What the treatments say of the route. */
  get facts(): RouteFact[] {
    return this.treatments.flatMap((one) => (one.kind === "of_route" ? one.facts : []));
  }

  /** Has the next requests sent with this treatment. The last words take the place of other forms of the history. */
  apply(treatment: Treatment): void {
    const isInPlace = treatment.kind === "last_words";
    const kept = isInPlace ? this.#unconfirmed.filter(({ kind }) => kind === "of_route") : this.#unconfirmed;
    this.treatments.splice(this.treatments.length - this.#unconfirmed.length);
    this.#unconfirmed = [...kept, treatment];
    this.treatments.push(...this.#unconfirmed);
  }

  /** Returns the treatments with which a request was answered for the first time; none where it had the last words. */
  confirmed(): readonly Treatment[] {
    const tried = this.isFromLastWords ? [] : this.#unconfirmed;
    this.#unconfirmed = [];
    return tried;
  }

  /** Drops the unconfirmed treatments: no answer came after them. */
  drop(): void {
    this.treatments.splice(this.treatments.length - this.#unconfirmed.length);
    this.#unconfirmed = [];
  }

  /** Drops all treatments: the history that they were for is gone. */
  clear(): void {
    this.treatments.length = 0;
    this.#unconfirmed = [];
  }
}
