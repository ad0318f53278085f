import { type JournalledOutcome, outcomesOf } from "../../journal/outcomes.ts";
import { emit } from "../../observe/index.ts";
import { withOutcomes } from "../../transcript/interrupted.ts";
import { looksHealthy } from "../../transcript/healthy.ts";
import { noteHealed } from "../base/healed.ts";
import { withJournal } from "../base/journal.ts";
import { callsUnderWay, type SessionMemory } from "../base/memory.ts";

/** The outcomes of a session's open calls, from the journal. */
export interface OpenOutcomes {
  readonly outcomes: readonly JournalledOutcome[];
  /** This process reads them for the first time. */
  readonly isFirst: boolean;
}

const NONE: OpenOutcomes = { outcomes: [], isFirst: false };

/**
 * Returns the outcomes of calls that may have no result in the stored history. The journal is read when this process
 * first sees a session, and whenever the history is not valid.
 */
export function openOutcomes(sessionId: string | undefined, memory: SessionMemory, messages: unknown[]): OpenOutcomes {
  if (sessionId === undefined || (memory.journalRead && looksHealthy(messages, "keep"))) return NONE;
  const cycles = withJournal((journal) => journal.cycles.open(sessionId));
  if (!cycles) return NONE;
  const isFirst = !memory.journalRead;
  memory.journalRead = true;
  return { outcomes: outcomesOf(cycles.filter(({ id }) => !callsUnderWay.has(id))), isFirst };
}

/**
 * Returns the history with the outcome of each call that has no result in it: the real result, or whether the call may
 * have run. Commits the calls that have an answer in the history.
 */
export function withJournalled(
  agent: object,
  sessionId: string | undefined,
  { outcomes, isFirst }: OpenOutcomes,
  messages: unknown[],
): unknown[] {
  const { messages: completed, placed, answered } = withOutcomes(messages, outcomes);
  if (answered.length > 0) withJournal((journal) => journal.cycles.commit(answered.map(({ cycle }) => cycle.id)));
  if (placed.length > 0)
    noteHealed(
      agent,
      "history",
      placed.map((outcome) => ({ kind: kindOf(outcome) })),
    );
  if (isFirst && placed.length > 0) {
    for (const outcome of placed)
      emit("l0:cycle:interrupted", () => ({ sessionId, cycleId: outcome.cycle.id, callId: outcome.callId }), {
        kind: KINDS[kindOf(outcome)]!,
      });
    const calls = placed.map((outcome) => ({ tool: outcome.toolName, callId: outcome.callId, told: kindOf(outcome) }));
    withJournal((journal) => journal.incidents.log({ sessionId, kind: "interrupted_calls", details: { calls } }));
  }
  return completed as unknown[];
}

/** The kinds of the event, as in docs/events.md. */
const KINDS: Record<string, string> = {
  result_from_journal: "replayed",
  interrupted_call: "unknown",
  not_started_call: "not_started",
};

function kindOf({ outcome }: JournalledOutcome): string {
  return typeof outcome === "string" ? `${outcome}_call` : "result_from_journal";
}
