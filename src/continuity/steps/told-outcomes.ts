import { nameInline } from "../../base/quoted.ts";
import type { WorkState } from "../base/state.ts";
import { listAttempts } from "../decide/open-attempts.ts";
import type { LedgerEvent } from "../ledger/events.ts";
import { readCompletion } from "./step-record.ts";

/** An expectation of a ledger that does not hold. */
export interface Contradiction {
  readonly expected: string;
  readonly found: string;
}

/**
 * What the events of a ledger tell of its steps, beside the state that they lead to: a step of which the two differ
 * would run again.
 */
export class ToldOutcomes {
  readonly #completed = new Set<unknown>();
  /** The attempts whose outcome is unknown, by each step that must not happen twice. */
  readonly #unknown = new Map<string, Set<number>>();

  /** Takes the next event of the ledger in. Returns what it contradicts of the events before it. */
  next(event: LedgerEvent): Contradiction | undefined {
    const { event_seq, event_type, data } = event;
    const contradiction =
      event_type.startsWith("step_") && this.#completed.has(data["step_id"])
        ? {
            expected: `nothing about step ${nameInline(String(data["step_id"]))} after its completion`,
            found: `event ${event_seq} (${event_type})`,
          }
        : undefined;
    this.#note(event);
    if (readCompletion(event)) this.#completed.add(data["step_id"]);
    return contradiction;
  }

  /** Returns a contradiction for each attempt that may have acted, as the events say, and is not open in the state. */
  closedIn(state: WorkState): readonly Contradiction[] {
    return [...this.#unknown].flatMap(([step_id, attempts]) => {
      const open = new Set(listAttempts(state, step_id).map(({ attempt_id }) => attempt_id));
      return [...attempts]
        .filter((attempt_id) => !open.has(attempt_id))
        .map((attempt_id) => ({
          expected:
            `attempt ${attempt_id} of step ${nameInline(step_id)}, whose outcome nobody has recorded, to be open in ` +
            "the state",
          found: "it closed",
        }));
    });
  }

  #note({ event_type, data }: LedgerEvent): void {
    const { step_id, attempt_id, step_type, outcome } = data as Readonly<Record<string, string>> & {
      readonly attempt_id: number;
    };
    const unknown = this.#unknown;
    if (event_type === "step_started" && step_type === "non_idempotent")
      unknown.set(step_id!, (unknown.get(step_id!) ?? new Set()).add(attempt_id));
    else if (event_type === "step_completed" || outcome === "completed") unknown.delete(step_id!);
    else if ((event_type === "step_failed" && data["may_have_acted"] !== true) || outcome === "not_done")
      unknown.get(step_id!)?.delete(attempt_id);
    else if (outcome === "abandoned") unknown.get(step_id!)?.add(attempt_id);
  }
}
