import type { RecordedRequest } from "../../harness/providers/index.ts";
import type { Phase, Plan } from "./plan.ts";

/** One turn of a conversation with a random provider. */
export interface PlayedTurn {
  phase: Phase;
  /** The marked word of the person's message. */
  mark: string;
  answered: boolean;
  /** What the person has seen. */
  text: string;
  /** What was said was refused alone, and is held back from then on, as the person (or the program) is told. */
  isHeldBack: boolean;
  /** How long the person has waited for it. */
  ms: number;
  /** The requests until the answer. */
  requests: RecordedRequest[];
  /** The requests behind the answer, until the next message. */
  behind: RecordedRequest[];
}

/** What became of a plan. */
export interface Played {
  plan: Plan;
  turns: PlayedTurn[];
  /** Incidents that ended with a reset, and archives; each in a few words. */
  archived: string[];
  /** Why it could not be played to its end. */
  failed?: string;
}

/** Requests that ask for no more tokens than this are no turn's. */
export const FEW_TOKENS = 16;

/** Bodies of a turn that are not those of the request before: what an SDK sends again on its own is one request. */
export function distinct(requests: readonly RecordedRequest[]): RecordedRequest[] {
  const seen = new Set<string>();
  return requests.filter(({ raw }) => !seen.has(raw) && seen.add(raw));
}
