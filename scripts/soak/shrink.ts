import type { Action } from "./actions.ts";
import { fewest } from "./fewest.ts";
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
 * Looks for fewer actions that lead to the same kind of fault, each time in new conversations of the same gateway.
 * `prefix` names the conversations.
 */
export async function shrink(side: Side, { kind, actions }: Case, prefix: string): Promise<Shrunk | undefined> {
  let tries = 0;
  const comes = async (some: readonly Action[]): Promise<boolean> => {
    const names = Array.from({ length: AT_ONCE }, () => `${prefix}x${++tries}`);
    const found = await Promise.all(names.map((name) => replay(side, name, some)));
    return found.some((faults) => faults.some((fault) => fault.kind === kind));
  };
  const found = await fewest(actions, comes);
  return found && { actions: found, tries };
}
