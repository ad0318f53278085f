import type { PictureLimits } from "../forms/fewer-pictures.ts";
import { treat, type Treatment } from "../forms/treatment.ts";
import type { RouteFact } from "../route-fact.ts";

/** Returns the form in which a route takes a history, as these facts say. */
export function ofRoute(facts: readonly RouteFact[]): Treatment {
  return { kind: "of_route", facts, forms: listForms(facts) };
}

/**
 * Returns the messages as a route takes them, as far as the facts are about messages: see {@link shapeBody} for the
 * rest. The same list where nothing changes. Deterministic and idempotent; what is left out is said at its place.
 */
export function shapeMessages<T>(messages: T[], facts: readonly RouteFact[]): T[] {
  return facts.length === 0 ? messages : treat(messages, ofRoute(facts));
}

function listForms(facts: readonly RouteFact[]): Treatment[] {
  const forms: Treatment[] = [];
  let limits: PictureLimits = {};
  for (const fact of facts)
    switch (fact.what) {
      case "no_pictures":
        limits = { ...limits, most: 0 };
        break;
      case "most_pictures":
        limits = { ...limits, most: Math.min(fact.most, limits.most ?? Infinity) };
        break;
      case "largest_picture":
        limits = { ...limits, bytes: fact.bytes };
        break;
      case "longest_side":
        limits = { ...limits, pixels: fact.pixels };
        break;
      case "longest_side_of_many":
        limits = { ...limits, ofMany: { pixels: fact.pixels, above: fact.above } };
        break;
      case "text_only":
        limits = { ...limits, most: 0 };
        forms.push({ kind: "without_documents" });
        break;
      case "no_documents":
        forms.push({ kind: "without_documents" });
        break;
      case "strict_roles":
        forms.push({ kind: "strict_roles" });
        break;
      case "no_earlier_thinking":
        forms.push({ kind: "without_thinking", upTo: fact.until });
        break;
      default:
      // The others are about the body, or say only how it is.
    }
  return Object.keys(limits).length === 0 ? forms : [{ kind: "fewer_pictures", limits }, ...forms];
}
