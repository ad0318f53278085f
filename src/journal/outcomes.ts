import { existsSync } from "node:fs";
import type { KnownOutcome } from "../transcript/interrupted.ts";
import { rememberedHash } from "./content-hash.ts";
import { journalFile, openJournal } from "./journal.ts";
import type { ToolCycle } from "./tool-cycles.ts";

/** The outcome of a call according to the journal, with the tool cycle that reports it. */
export type JournalledOutcome = KnownOutcome & { readonly cycle: ToolCycle };

/**
 * Returns the outcomes of calls that are open in the journal: the real result, or whether the call may have run.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { inputHash, openJournal, readOutcomes } from "openclaw-integrity/journal";
 *
 * const journal = openJournal(":memory:");
 * const call = (callId: string, input: unknown) => ({
 *   sessionId: "s1",
 *   callId,
 *   toolName: "exec",
 *   inputHash: inputHash(input),
 * });
 * const ids = journal.cycles.pending([call("call_1", { command: "ls" }), call("call_2", { command: "make" })]);
 * journal.cycles.start(ids[0]!);
 * assert.deepEqual(
 *   readOutcomes(journal.cycles.open("s1")).map(({ callId, outcome }) => [callId, outcome]),
 *   [["call_1", "interrupted"], ["call_2", "not_started"]],
 * );
 * journal.close();
 * ```
 */
export function readOutcomes(cycles: readonly ToolCycle[]): JournalledOutcome[] {
  const hashInput = rememberedHash();
  return cycles.map((cycle) => {
    const { callId, toolName, result, state, pendingAt, startedAt, finishedAt, inputHash } = cycle;
    const outcome = result ? { result } : state === "pending" ? "not_started" : "interrupted";
    const isInput = (input: unknown): boolean => hashInput(input) === inputHash;
    return { callId, toolName, outcome, at: finishedAt ?? startedAt ?? pendingAt, isInput, cycle };
  });
}

/**
 * Returns {@link readOutcomes} the open calls of a session, from the journal in a state directory. The journal is
 * opened for reading only. Returns an empty list when the journal is missing or cannot be read, because callers can do
 * without it.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { mkdtempSync, rmSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { inputHash, journalFile, openJournal, storedOutcomes } from "openclaw-integrity/journal";
 *
 * const stateDirectory = mkdtempSync(join(tmpdir(), "state-"));
 * const journal = openJournal(journalFile(stateDirectory));
 * const input = { command: "ls" };
 * const [id] = journal.cycles.pending([
 *   { sessionId: "s1", callId: "call_1", toolName: "exec", inputHash: inputHash(input) },
 * ]);
 * journal.cycles.start(id!);
 * journal.cycles.record(id!, { content: [{ type: "text", text: "README.md" }], isError: false });
 * journal.close();
 *
 * const [known] = storedOutcomes(stateDirectory, "s1");
 * assert.equal(known?.isInput?.(input), true);
 * assert.deepEqual(known?.outcome, { result: { content: [{ type: "text", text: "README.md" }], isError: false } });
 * rmSync(stateDirectory, { recursive: true });
 * ```
 */
export function storedOutcomes(stateDirectory: string, sessionId: string): JournalledOutcome[] {
  const file = journalFile(stateDirectory);
  if (!existsSync(file)) return [];
  try {
    const journal = openJournal(file, { readOnly: true, busyTimeoutMs: 1000 });
    try {
      return readOutcomes(journal.cycles.open(sessionId));
    } finally {
      journal.close();
    }
  } catch {
    return [];
  }
}
