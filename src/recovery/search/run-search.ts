import { partsOf } from "../forms/parts.ts";
import type { Treatment } from "../forms/treatment.ts";
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
  isOver(): boolean;
}

/**
 * Makes the requests of a search, one after the other. A search that pauses, or whose request says nothing, can go on
 * later, also with a history that has grown since.
 */
export async function runSearch({ parts, search }: PartSearch, port: SearchPort): Promise<void> {
  for (let probe = search.next; probe && !port.isOver(); probe = search.next) {
    const isTaken = await port.ask(treatAll([...port.messages], treatmentsOf(port.messages, parts, probe)));
    if (isTaken === undefined || port.isOver()) return;
    search.told(isTaken);
  }
}

/** Returns how a history is sent with the parts of a request alone. */
export function treatmentsOf(
  messages: readonly unknown[],
  parts: PartSearch["parts"],
  { from, end, inWords }: Probe,
): Treatment[] {
  const kept = parts.slice(from, end).flat();
  const isKept = new Set(kept);
  const others = partsOf(messages)
    .flatMap(({ keys }) => keys)
    .filter((key) => !isKept.has(key));
  return [
    { kind: "part", keys: others, as: "nothing" },
    ...(inWords ? [{ kind: "part", keys: kept, as: "words" } as const] : []),
    // What is left out must not leave an order of roles that is refused for itself.
    { kind: "strict_roles" },
  ];
}
