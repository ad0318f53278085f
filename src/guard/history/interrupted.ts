/** Puts the outcomes of interrupted calls, which the journal knows, into the history that a model is sent. */
import { type JournalledOutcome, readOutcomes } from "../../journal/outcomes.ts";
import { emit } from "../../observe/index.ts";
import { withOutcomes } from "../../transcript/interrupted.ts";
import { originOfResult } from "../../transcript/invented.ts";
import { isObject } from "../../transcript/json/json.ts";
import { isResultBlock, isResultRole } from "../../transcript/read.ts";
import { noteHealed } from "../base/healed.ts";
import { withJournal } from "../base/journal.ts";
import { callsUnderWay, type SessionMemory } from "../base/memory.ts";

/** The outcomes of a session's open calls, from the journal. */
export interface OpenOutcomes {
  readonly outcomes: readonly JournalledOutcome[];
  /** This process reads the outcomes of the session for the first time. */
  readonly isFirst: boolean;
}

const NONE: OpenOutcomes = { outcomes: [], isFirst: false };

/**
 * Returns the outcomes of the calls whose real result no stored history is known to hold. A history decides nothing of
 * that: what OpenClaw has written in place of a result looks like one.
 */
export function openOutcomes(sessionId: string | undefined, memory: SessionMemory): OpenOutcomes {
  const outcomes = sessionId === undefined ? undefined : outcomesIn(sessionId);
  if (!outcomes) return NONE;
  const isFirst = !memory.journalRead;
  memory.journalRead = true;
  return { outcomes, isFirst };
}

function outcomesIn(sessionId: string): JournalledOutcome[] | undefined {
  const cycles = withJournal((journal) => journal.cycles.open(sessionId));
  return (
    cycles && readOutcomes(cycles).map((one) => (callsUnderWay.has(one.cycle.id) ? { ...one, isUnderWay: true } : one))
  );
}

/**
 * Returns the messages of a request with the outcome, from the journal, of each call whose result was invented while
 * the run went on: OpenClaw invents one for a call of an answer that broke off, and the same call may run all the same.
 */
export function withoutInvented(sessionId: string | undefined, messages: unknown[]): unknown[] {
  if (sessionId === undefined || !messages.some(hasInvented)) return messages;
  const outcomes = outcomesIn(sessionId) ?? [];
  return withOutcomes(
    messages,
    // A call without any result is the repair's.
    outcomes.map((one) => ({ ...one, isUnderWay: true })),
  ).messages as unknown[];
}

/**
 * Returns the messages of which a summary is made with the outcome, from the journal, of each call that has no real
 * result in them: none of them is in a later request.
 */
export function withKnownResults(sessionId: string | undefined, messages: readonly unknown[]): readonly unknown[] {
  return sessionId === undefined ? messages : withOutcomes(messages, outcomesIn(sessionId) ?? []).messages;
}

function hasInvented(message: unknown): boolean {
  if (!isObject(message)) return false;
  if (isResultRole(message.role)) return originOfResult(message) !== "real";
  if (message.role !== "user" || !Array.isArray(message.content)) return false;
  return (message.content as unknown[]).some((block) => isResultBlock(block) && originOfResult(block) !== "real");
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
      placed.map((outcome) => ({ kind: outcomeKind(outcome) })),
    );
  if (isFirst && placed.length > 0) {
    for (const outcome of placed)
      emit("l0:cycle:interrupted", () => ({ sessionId, cycleId: outcome.cycle.id, callId: outcome.callId }), {
        kind: KINDS[outcomeKind(outcome)]!,
      });
    const calls = placed.map((outcome) => ({
      tool: outcome.toolName,
      callId: outcome.callId,
      told: outcomeKind(outcome),
    }));
    withJournal((journal) => journal.incidents.log({ sessionId, kind: "interrupted_calls", details: { calls } }));
  }
  return completed as unknown[];
}

/** The kinds of the event, as in docs/operations.md. */
const KINDS: Record<string, string> = {
  result_from_journal: "replayed",
  interrupted_call: "unknown",
  not_started_call: "not_started",
};

function outcomeKind({ outcome }: JournalledOutcome): string {
  return typeof outcome === "string" ? `${outcome}_call` : "result_from_journal";
}
