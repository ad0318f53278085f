import { existsSync } from "node:fs";
import type { KnownOutcome } from "../transcript/interrupted.ts";
import { rememberedHash } from "./content-hash.ts";
import { journalFile, openJournal } from "./journal.ts";
import type { ToolCycle } from "./tool-cycles.ts";

/** What the journal knows of a call, and where it knows it from. */
export type JournalledOutcome = KnownOutcome & { readonly cycle: ToolCycle };

/** What is known of calls that are open in the journal: the real result, or whether the call may have run. */
export function outcomesOf(cycles: readonly ToolCycle[]): JournalledOutcome[] {
  const hashOf = rememberedHash();
  return cycles.map((cycle) => {
    const { callId, toolName, result, state, pendingAt, startedAt, finishedAt, inputHash } = cycle;
    const outcome = result ? { result } : state === "pending" ? "not_started" : "interrupted";
    const isInput = (input: unknown): boolean => hashOf(input) === inputHash;
    return { callId, toolName, outcome, at: finishedAt ?? startedAt ?? pendingAt, isInput, cycle };
  });
}

/**
 * {@link outcomesOf} the open calls of a session, from the journal in a state directory, which is only read. None where
 * the journal is not there or cannot be read: whoever asks can do without.
 */
export function storedOutcomes(stateDirectory: string, sessionId: string): JournalledOutcome[] {
  const file = journalFile(stateDirectory);
  if (!existsSync(file)) return [];
  try {
    const journal = openJournal(file, { readOnly: true, busyTimeoutMs: 1000 });
    try {
      return outcomesOf(journal.cycles.open(sessionId));
    } finally {
      journal.close();
    }
  } catch {
    return [];
  }
}
