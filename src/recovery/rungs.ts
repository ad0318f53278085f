/** Decides which form of a refused history is sent next: the rungs of the ladder, in their order. */
import { chooseTreatment, type HistoryFailure, type Refused } from "./choose.ts";
import { latestTime } from "./forms/times.ts";
import { treat, type Treatment } from "./forms/treatment.ts";

/** Extra requests that one run may send. */
export const MAX_EXTRA_REQUESTS = 2;

/** Minimum time between two resets that no person has asked for. */
export const RESET_PAUSE_MS = 24 * 3_600_000;

/** Minimum time between two searches that find no half of a history accepted, before the history is archived. */
export const RESET_AFTER_MS = 2 * 3_600_000;

/** What the ladder has tried. */
export interface Rungs {
  /** Extra requests of this run so far. */
  extra: number;
  /** What the first treatment of the run was for. */
  treated?: HistoryFailure | undefined;
  /** The plainest form of the history was sent. */
  isPlain?: boolean | undefined;
  /** The last words were sent, with the end of the conversation before them or alone. */
  lastWords?: "with_end" | "alone" | undefined;
  /** In an earlier turn the same route took the last words, and nothing that had more of the history. */
  atFault?: HistoryAtFault | undefined;
}

/** What is known of a route that refuses the history of a conversation. */
export interface HistoryAtFault {
  /** The route, as {@link routeName} names it. */
  readonly route: string;
  /** The plainest form was refused too. */
  isPlain: boolean;
  /** The last words were refused with the end of the conversation before them. */
  isEndRefused?: boolean;
}

/** What is done about a refused history. */
export type Rung =
  | { readonly send: Treatment }
  /** The last words alone are refused too: the endpoint refuses every request. */
  | { readonly send?: undefined; readonly end: "endpoint" }
  /** No request is left, or there is no history to be left out. */
  | { readonly send?: undefined; readonly end: "refused" };

/** A refused request, and what the experiments with it may be. */
export interface Climb extends Refused {
  /** True where the last words may be sent alone: the conversation has an answer of a model. */
  hasHistory: boolean;
}

/**
 * Returns what is sent after a refusal: a treatment of the place that the provider names, else the plainest form of the
 * history; then the last words alone, which show whether the history is the reason. A second form comes before these
 * only where the same words name another call or picture. In later turns of a history that its route refuses, the
 * plainest form comes first, and from then on the last words with the end of the conversation. Each request is another
 * one, at most {@link MAX_EXTRA_REQUESTS} in a run. Without `hasHistory`, where no last words can be sent alone, a
 * second form is tried. Marks in `rungs` what is sent.
 */
export function nextRung(rungs: Rungs, refused: Climb): Rung {
  if (rungs.lastWords === "alone") return { end: "endpoint" };
  if (rungs.lastWords === "with_end" && rungs.atFault) rungs.atFault.isEndRefused = true;
  if (rungs.extra >= MAX_EXTRA_REQUESTS) return { end: "refused" };
  const { hasHistory } = refused;
  const treatment = mayTreat(rungs, refused) ? treatmentFor(rungs, refused) : undefined;
  if (!treatment && !hasHistory) return { end: "refused" };
  rungs.extra++;
  if (treatment) {
    rungs.treated ??= refused.failure;
    return { send: treatment };
  }
  const { atFault } = rungs;
  // The last request of a run is made with what is refused least.
  const withEnd = atFault?.isPlain === true && atFault.isEndRefused !== true && rungs.extra < MAX_EXTRA_REQUESTS;
  rungs.lastWords = withEnd ? "with_end" : "alone";
  return { send: { kind: "last_words", ...(withEnd && { withEnd }) } };
}

/** True where another form may be tried: the last request of a run is kept for the last words. */
function mayTreat({ extra, treated, atFault, lastWords }: Rungs, refused: Climb): boolean {
  if (atFault?.isPlain === true || lastWords !== undefined) return false;
  return !refused.hasHistory || extra < MAX_EXTRA_REQUESTS - 1 || namesAnother(refused, treated);
}

/**
 * True where the same words now name another call or picture, and the first one was changed: a rule refuses several.
 * Any other words that name another place may mislead, as words about pictures do where none stands, and would leave
 * the turn without an answer.
 */
function namesAnother(refused: Refused, before: HistoryFailure | undefined): boolean {
  const { problem } = refused.failure;
  if (before?.problem !== problem) return false;
  const next = chooseTreatment(refused);
  return next?.kind === "without_media"
    ? next.images !== undefined
    : next?.kind === "calls_as_text" && problem !== "image";
}

function treatmentFor(rungs: Rungs, refused: Refused): Treatment | undefined {
  // What is refused in one place after the other is refused wherever it is, but for pictures.
  const { treated } = rungs;
  const isOfPlaces = treated !== undefined && treated.problem !== "route" && treated.problem !== "image";
  const chosen = rungs.atFault || isOfPlaces ? undefined : chooseTreatment(refused);
  if (chosen || rungs.isPlain === true) return chosen;
  const plain = plainest(refused, rungs.atFault !== undefined);
  // Where no form may be tried, nothing is known of the words.
  rungs.isPlain = plain !== undefined || !mayChange(refused);
  return plain;
}

/** True where a plainer form, if one were allowed, would be another one. */
function mayChange({ allows: _allows, ...refused }: Refused): boolean {
  return plainest(refused, false) !== undefined;
}

/**
 * Returns the form with the fewest rules to break, and all words in it, if it changes the history: all tool traffic as
 * text, or the whole history as one text, which comes first where the provider was seen to refuse more.
 */
function plainest({ failure, messages, allows = () => true }: Refused, isOneMessage: boolean): Treatment | undefined {
  const list = [...messages];
  const until = latestTime(list);
  const isAboutMedia = failure.problem === "image" || failure.problem === "too_many_images";
  const flat: Treatment[] = [
    ...(isAboutMedia ? [{ kind: "without_media", until } as const] : []),
    { kind: "flat", keepMedia: !isAboutMedia && !isOneMessage, ...((isAboutMedia || isOneMessage) && { until }) },
  ];
  const forms: Treatment[] = isOneMessage ? [{ kind: "one_message" }, ...flat] : [...flat, { kind: "one_message" }];
  return forms.filter(allows).find((treatment) => treat(list, treatment) !== list);
}
