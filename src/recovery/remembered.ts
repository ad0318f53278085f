import { treat, type Treatment } from "./forms/treatment.ts";

/**
 * Adds treatments to those of a session. Two that differ only in their place in the conversation become one: a provider
 * that refuses something of each turn leaves one treatment, not one for each turn. With `upTo`, the time of the newest
 * refused message, a treatment that takes something from messages leaves later messages as they are. A treatment that
 * only arranges messages applies to later ones too: otherwise each turn would cost another refusal.
 */
export function remember(treatments: Treatment[], confirmed: readonly Treatment[], upTo?: number): void {
  for (const each of confirmed) {
    const treatment = upTo !== undefined && isTaking(each) ? { ...each, upTo } : each;
    const at = treatments.findIndex((known) => scopeKey(known) === scopeKey(treatment));
    const [known] = at < 0 ? [] : treatments.splice(at, 1);
    treatments.push(known ? both(known, treatment) : treatment);
  }
}

function isTaking(treatment: Treatment): boolean {
  const { kind } = treatment;
  return kind === "flat" || kind === "one_message" || (kind === "without_thinking" && treatment.ids === undefined);
}

/** What a treatment is about, without its place: two of one scope can be made one. */
function scopeKey(treatment: Treatment): string {
  switch (treatment.kind) {
    case "flat":
      return `${treatment.kind} ${treatment.keepMedia}`;
    case "without_thinking":
      return `${treatment.kind} ${treatment.ids === undefined}`;
    case "without_media":
      return `${treatment.kind} ${treatment.images === undefined}`;
    default:
      return treatment.kind;
  }
}

/** Returns a treatment of the same scope as both, for the places of both. */
function both(known: Treatment, treatment: Treatment): Treatment {
  const later = "upTo" in treatment ? { ...treatment, upTo: laterTime(known.upTo, treatment.upTo) } : treatment;
  for (const field of ["ids", "images"] as const) {
    const [before, now] = [listIn(known, field), listIn(later, field)];
    if (before && now) return { ...later, [field]: [...new Set([...before, ...now])] } as Treatment;
  }
  if (!("until" in later)) return later;
  return { ...later, until: laterTime((known as { until?: number | undefined }).until, later.until) };
}

/** Returns the later of two times; undefined, which is no end, where one is. */
function laterTime(one: number | undefined, other: number | undefined): number | undefined {
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
