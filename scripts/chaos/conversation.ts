import { randomUUID } from "node:crypto";
import { toTranscript } from "../../harness/openclaw/index.ts";
import { FOUND, HEALTHY } from "../../harness/openclaw/samples.ts";
import type { Step } from "../../harness/providers/index.ts";
import { prepareCall, type Places, type ToolPlan } from "./calls.ts";
import type { Line } from "./front.ts";
import type { SessionPlan, TurnPlan } from "./plan.ts";
import type { Place } from "./places.ts";
import type { Chat } from "./runner.ts";

/** A turn in which OpenClaw was killed. */
export interface KilledTurn {
  plan: TurnPlan;
  place: Place;
  killedAt: number;
  /** Whether the person had the answer before the kill. */
  answered: boolean;
  /** Whether a request had gone out with the message in it. */
  sent: boolean;
  /** The calls of the answers that had begun to be sent, and whether the answer had been sent in full. */
  calls: { plan: ToolPlan; asked: boolean }[];
}

/** A conversation that is being killed, and what must be in it from now on. */
export interface Conversation {
  plan: SessionPlan;
  chat: Chat;
  line: Line;
  turns: KilledTurn[];
  /** Texts that were in an accepted request, or in an answer that the person had. */
  known: { what: "user message" | "answer"; text: string; since: string }[];
  checks: number;
  /** How many of the line's requests have been looked at. */
  seen: number;
}

const HISTORY = ["read a.txt", FOUND, "It is read."];

/** A conversation that nothing has happened in. */
export function makeConversation(plan: SessionPlan, line: Line): Conversation {
  const id = randomUUID();
  const texts = plan.fresh ? [] : HISTORY.map((piece) => tagged(piece, plan));
  return {
    plan,
    line,
    chat: { id, key: `agent:main:${plan.tag}` },
    turns: [],
    known: texts.map((text) => ({ what: "user message", text, since: "it had been stored at first" })),
    checks: 0,
    seen: 0,
  };
}

/**
 * The history that it begins with: a question, a call of a tool, its result, an answer; empty when it is yet to begin.
 */
export function makeTranscript(plan: SessionPlan): string {
  if (plan.fresh) return "";
  return HISTORY.reduce(
    (text, piece) => text.replaceAll(piece, tagged(piece, plan)),
    toTranscript(HEALTHY, { seed: plan.tag }),
  );
}

function tagged(piece: string, { tag }: SessionPlan): string {
  return `${piece} (${tag})`;
}

/** What the provider answers in a turn: an answer with calls for each round, then one in words. */
export function planSteps({ rounds, answer, pace }: TurnPlan, places: Places): Step[] {
  return [
    ...rounds.map((calls): Step => ({
      kind: "tool",
      text: "Let me see.",
      calls: calls.map((call) => prepareCall(call, places)),
      pace,
    })),
    { kind: "text", text: answer, pace, pieces: 6 },
  ];
}
