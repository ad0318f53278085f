import type { Action } from "./actions.ts";
import type { FaultKind } from "./judge.ts";
import { replay } from "./soak.ts";
import type { Side } from "./side.ts";

/** What is to be found again with less. */
export interface Case {
  kind: FaultKind;
  /** The actions of its conversation, to the one that it came with. */
  actions: readonly Action[];
}

/** The fewest actions that were found to lead to it; undefined where it did not come again. */
export interface Shrunk {
  actions: readonly Action[];
  /** How many conversations were played for it. */
  tries: number;
}

// Times decide: what does not come again in one of so many may come in another.
const AT_ONCE = 3;

/**
 * Looks for fewer actions that lead to the same kind of fault, each time in new conversations of the same gateway: the
 * last ones alone, twice as many each time, then these without one after the other. `prefix` names the conversations.
 */
export async function shrink(side: Side, { kind, actions }: Case, prefix: string): Promise<Shrunk | undefined> {
  let tries = 0;
  const comes = async (some: readonly Action[]): Promise<boolean> => {
    const names = Array.from({ length: AT_ONCE }, () => `${prefix}x${++tries}`);
    const found = await Promise.all(names.map((name) => replay(side, name, some)));
    return found.some((faults) => faults.some((fault) => fault.kind === kind));
  };
  let fewest: readonly Action[] | undefined;
  for (let last = 1; fewest === undefined; last *= 2) {
    const some = actions.slice(-last);
    if (await comes(some)) fewest = some;
    else if (last >= actions.length) return undefined;
  }
  for (let at = 0; at < fewest.length && fewest.length > 1;) {
    const without: readonly Action[] = fewest.toSpliced(at, 1);
    if (await comes(without)) fewest = without;
    else at++;
  }
  return { actions: fewest, tries };
}
