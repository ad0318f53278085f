import { type JournalledOutcome, outcomesOf } from "../journal/outcomes.ts";
import { emit } from "../observe/index.ts";
import { withOutcomes } from "../transcript/interrupted.ts";
import { looksHealthy } from "../transcript/healthy.ts";
import { isUnderWay } from "./cycles.ts";
import { noteHealed } from "./healed.ts";
import { withJournal } from "./journal.ts";
import type { SessionMemory } from "./memory.ts";

/**
 * The stored history with what the journal knows of calls that have no result in it: the real result, or whether the call may have run.
 * The journal is asked when a process first sees a session, and whenever the history is not healthy. Issue 5, item 2.
 */
export function withJournalled(agent: object, sessionId: string | undefined, memory: SessionMemory, messages: unknown[]): unknown[] {
  if (sessionId === undefined || (memory.journalRead && looksHealthy(messages, "keep"))) return messages;
  const cycles = withJournal((journal) => journal.cycles.open(sessionId));
  if (!cycles) return messages;
  const isFirst = !memory.journalRead;
  memory.journalRead = true;
  const outcomes = outcomesOf(cycles.filter(({ id }) => !isUnderWay(id)));
  const { messages: told, placed, answered } = withOutcomes(messages, outcomes);
  if (answered.length > 0) withJournal((journal) => journal.cycles.commit(answered.map(({ cycle }) => cycle.id)));
  if (placed.length > 0) noteHealed(agent, "history", placed.map((outcome) => ({ kind: kindOf(outcome) })));
  if (isFirst && placed.length > 0) {
    for (const outcome of placed) emit("l0:cycle:interrupted", () => ({ sessionId, cycleId: outcome.cycle.id, callId: outcome.callId }), { kind: KINDS[kindOf(outcome)]! });
    const calls = placed.map((outcome) => ({ tool: outcome.toolName, callId: outcome.callId, told: kindOf(outcome) }));
    withJournal((journal) => journal.incidents.log({ sessionId, kind: "interrupted_calls", details: { calls } }));
  }
  return told as unknown[];
}

/** As docs/events.md names them. */
const KINDS: Record<string, string> = { result_from_journal: "replayed", interrupted_call: "unknown", not_started_call: "not_started" };

function kindOf({ outcome }: JournalledOutcome): string {
  return typeof outcome === "string" ? `${outcome}_call` : "result_from_journal";
}
