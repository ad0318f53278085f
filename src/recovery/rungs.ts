import { chooseTreatment, type Refused } from "./choose.ts";
import { latestTime } from "./times.ts";
import { isOfRoute, treat, type Treatment } from "./treatment.ts";

/** Extra requests that one run may send. */
export const MAX_EXTRA_REQUESTS = 2;

/** Minimum time between two resets that no person has asked for. */
export const RESET_PAUSE_MS = 24 * 3_600_000;

/** How long a route must have refused a history whose last words it takes, before the history is archived. */
export const RESET_AFTER_MS = 2 * 3_600_000;

/** Which rungs of the ladder a run has used. */
export interface Rungs {
  /** The place that the provider names was treated. */
  healed: boolean;
  /** All tool traffic, or the whole history, was turned into text. */
  flattened: boolean;
  /** The last words were sent alone. */
  isAlone?: boolean;
  /** The turn before was refused too, in each form that was sent. */
  isAgain?: boolean;
  /** In an earlier turn the same route took the last words, and nothing that had more of the history. */
  isAtFault?: boolean;
}

/** The history of a conversation that a route refuses, as far as it is known to take it. */
export interface HistoryAtFault {
  /** Of {@link routeName}. */
  readonly route: string;
  /** When the route first took the last words and refused the history, in milliseconds since 1970. */
  readonly since: number;
}

/**
 * Returns the next treatment of a refused history, each rung once in a run: the place that the provider names, then all
 * images away where it is about them, or all tool traffic as text, or the whole history as one text. In the turn after
 * one that was refused in every form the plainest form comes at once, so that a request is left for the last words.
 * Undefined when no treatment is left that would change the history. Marks the rungs in `rungs` as used.
 */
export function nextTreatment(rungs: Rungs, refused: Refused): Treatment | undefined {
  if (rungs.isAgain && !rungs.healed) {
    rungs.healed = rungs.flattened = true;
    return rungs.isAtFault ? { kind: "last_words", withEnd: true } : plainest(refused);
  }
  if (!rungs.healed) {
    rungs.healed = true;
    const chosen = chooseTreatment(refused);
    if (chosen) return chosen;
  }
  if (rungs.flattened) return undefined;
  rungs.flattened = true;
  const messages = [...refused.messages];
  const { problem } = refused.failure;
  const isAboutMedia = problem === "image" || problem === "too_many_images";
  const until = latestTime(messages);
  const flat: Treatment[] = [
    ...(isAboutMedia ? [{ kind: "without_media", until } as const] : []),
    { kind: "flat", keepMedia: !isAboutMedia, ...(isAboutMedia && { until }) },
    { kind: "one_message" },
  ];
  const { allows = () => true } = refused;
  return flat.filter(allows).find((treatment) => treat(messages, treatment) !== messages);
}

/** The form that leaves the fewest rules to break, and all words in it, if it changes the history. */
function plainest({ messages, allows = () => true }: Refused): Treatment | undefined {
  const list = [...messages];
  const forms: Treatment[] = [{ kind: "one_message" }, { kind: "flat", keepMedia: false, until: latestTime(list) }];
  return forms.filter(allows).find((treatment) => treat(list, treatment) !== list);
}

/**
 * Adds treatments to those of a session. One that differs from an earlier one only in its place in the conversation
 * takes that one's place too: a provider that refuses something of each turn leaves one treatment, not one for each turn.
 * With `upTo`, the time of the newest refused message, one that takes something from messages leaves later messages as
 * they are. One that only arranges them stays: each turn would cost a refusal more.
 */
export function remember(treatments: Treatment[], confirmed: readonly Treatment[], upTo?: number): void {
  for (const each of confirmed) {
    const treatment = upTo !== undefined && isTaking(each) ? { ...each, upTo } : each;
    const at = treatments.findIndex((known) => scopeOf(known) === scopeOf(treatment));
    const [known] = at < 0 ? [] : treatments.splice(at, 1);
    treatments.push(known ? both(known, treatment) : treatment);
  }
}

function isTaking(treatment: Treatment): boolean {
  const { kind } = treatment;
  return kind === "flat" || kind === "one_message" || (kind === "without_thinking" && treatment.ids === undefined);
}

/** What a treatment is about, without its place: two of one scope can be made one. */
function scopeOf(treatment: Treatment): string {
  switch (treatment.kind) {
    case "flat":
      return `${treatment.kind} ${treatment.keepMedia}`;
    case "without_thinking":
      return `${treatment.kind} ${treatment.ids === undefined}`;
    case "without_media":
      return `${treatment.kind} ${treatment.images === undefined} ${isOfRoute(treatment)}`;
    default:
      return treatment.kind;
  }
}

/** Returns a treatment of the same scope as both, for the places of both. */
function both(known: Treatment, treatment: Treatment): Treatment {
  const later = "upTo" in treatment ? { ...treatment, upTo: laterOf(known.upTo, treatment.upTo) } : treatment;
  for (const field of ["ids", "images"] as const) {
    const [before, now] = [listIn(known, field), listIn(later, field)];
    if (before && now) return { ...later, [field]: [...new Set([...before, ...now])] } as Treatment;
  }
  if (!("until" in later)) return later;
  return { ...later, until: laterOf((known as { until?: number | undefined }).until, later.until) };
}

/** Returns the later of two times; undefined, which is no end, where one is. */
function laterOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : Math.max(one, other);
}

function listIn(treatment: Treatment, field: "ids" | "images"): readonly string[] | undefined {
  return (treatment as { [name in typeof field]?: readonly string[] | undefined })[field];
}

/** Applies the treatments to a history, one after the other. */
export function treatAll<T>(messages: T[], treatments: readonly Treatment[]): T[] {
  return treatments.reduce<T[]>((history, treatment) => treat(history, treatment), messages);
}

/**
 * Applies the treatments to the first `end` messages of a history; later messages stay as they are. Returns the same
 * list when nothing changes.
 */
export function treatBeginning<T>(messages: T[], end: number, treatments: readonly Treatment[]): T[] {
  if (end <= 0 || treatments.length === 0) return messages;
  const beginning = messages.slice(0, end);
  const treated = treatAll(beginning, treatments);
  const isSame = treated.length === beginning.length && treated.every((message, at) => message === beginning[at]);
  return isSame ? messages : treated.concat(messages.slice(end));
}
