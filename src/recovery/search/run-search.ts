import { splitHistory } from "../forms/parts.ts";
import type { Treatment } from "../forms/treatment.ts";
import { classify } from "../errors/classify.ts";
import { isOfLimit } from "../failing.ts";
import type { ProviderError } from "../failure.ts";
import { treatAll } from "../remembered.ts";
import type { PartSearch } from "./refused-parts.ts";
import type { Probe } from "./search.ts";

/** What a search needs of its surroundings. */
export interface SearchPort {
  /** The refused history. */
  readonly messages: readonly unknown[];
  /** Asks whether messages are accepted; undefined where the answer says nothing about them. Never rejects. */
  ask(messages: unknown[]): Promise<boolean | undefined>;
  /** True when the search is to pause. */
  mustPause(): boolean;
}

/**
 * Makes the requests of a search, one after the other. A search that pauses, or whose request says nothing, can go on
 * later, also with a history that has grown since.
 */
export async function runSearch({ parts, search }: PartSearch, port: SearchPort): Promise<void> {
  for (let probe = search.next; probe && !port.mustPause(); probe = search.next) {
    const isTaken = await port.ask(treatAll([...port.messages], toTreatments(port.messages, parts, probe)));
    if (isTaken === undefined || port.mustPause()) return;
    search.takeAnswer(isTaken);
  }
}

/**
 * Returns how a history is sent with the parts of a request alone. A part is a list of keys: of parts [a] [b, c] [d], a
 * probe of 1 up to 2 leaves out the keys a and d.
 */
export function toTreatments(
  messages: readonly unknown[],
  parts: PartSearch["parts"],
  { from, end, inWords, without = [] }: Probe,
): Treatment[] {
  const kept = parts.slice(from, end).flat();
  const keptKeys = new Set(kept);
  const leftOut = splitHistory(messages)
    .flatMap(({ keys }) => keys)
    .filter((key) => !keptKeys.has(key));
  return [
    // First: the note of what is left out beside a message changes the key of one that has no time.
    ...(inWords ? [{ kind: "part", keys: kept, as: "words" } as const] : []),
    { kind: "part", keys: [...leftOut, ...without], as: "nothing" },
    // What is left out must not leave an order of roles that is refused for itself.
    { kind: "strict_roles" },
  ];
}

/**
 * True for an error that refuses the request of a search: one that speaks of its content; where the history was refused
 * by failures that say nothing (`isServerError`), such a failure too.
 */
export function refusesProbe(error: ProviderError, isServerError: boolean): boolean {
  const failure = classify(error);
  switch (failure.kind) {
    case "history":
    case "unknown":
    case "content_filter":
      return true;
    case "other":
      return failure.isRefused === true || isServerError;
    case "overload":
      return isServerError && !isOfLimit(error);
    default:
      return false;
  }
}
