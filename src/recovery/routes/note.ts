import type { Treatment } from "../forms/treatment.ts";
import type { RouteFact } from "../route-fact.ts";
import { CHANGED_NOTE, FEWER_MEDIA_NOTE, NO_DOCUMENTS_NOTE, NO_MEDIA_NOTE } from "../words.ts";

/** Facts for which some pictures are left out. */
const FEWER: readonly RouteFact["what"][] = [
  "most_pictures",
  "largest_picture",
  "longest_side",
  "longest_side_of_many",
];

/**
 * Returns the notes to the user behind an answer after these treatments. None where the request has all that was said,
 * in the form that its route wants. `wasUnexplained`: the refusals gave no reason.
 */
export function writeNotes(treatments: readonly Treatment[], wasUnexplained: boolean): string[] {
  const facts = treatments.flatMap((treatment) => (treatment.kind === "of_route" ? treatment.facts : []));
  const has = (...names: readonly RouteFact["what"][]): boolean => facts.some(({ what }) => names.includes(what));
  const pictures = has("no_pictures") ? [NO_MEDIA_NOTE] : has(...FEWER) ? [FEWER_MEDIA_NOTE] : [];
  const notes = [...pictures, ...(has("no_documents") ? [NO_DOCUMENTS_NOTE] : [])];
  const isOfRoute = treatments.every(({ kind }) => kind === "of_route");
  return isOfRoute && !(wasUnexplained && notes.length > 0) ? notes : [CHANGED_NOTE];
}
