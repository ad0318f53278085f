import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import type { Agent } from "../openclaw/session.ts";

/** What a run would send next, and what it sends instead; undefined leaves it as it is. Must not reject. */
export type AtBoundary = (
  messages: readonly unknown[],
  signal: AbortSignal | undefined,
) => Promise<unknown[] | undefined>;

type Snapshot = JsonObject | undefined;
type WithTurn = (turn: { context: { messages: unknown[] } }, signal?: AbortSignal) => Promise<Snapshot>;
type WithSignal = (signal?: AbortSignal) => Promise<Snapshot>;
type Transform = (messages: unknown[], signal?: AbortSignal) => Promise<unknown[]>;

/**
 * OpenClaw's agent with the hooks that it has between two model calls of a run; which of them there are depends on the
 * release.
 */
interface BoundaryAgent extends Agent {
  /** From 2026.8.1. */
  prepareNextTurnWithContext?: WithTurn;
  /** From 2026.5.18. */
  prepareNextTurn?: WithSignal;
  /** Everywhere; the agent core of up to 2026.5.17 hands over the very list that the run goes on with. */
  transformContext?: Transform;
  state?: { messages?: unknown[]; systemPrompt?: unknown; tools?: unknown };
}

/**
 * Has `atBoundary` asked between two model calls of every run of this agent, when all results of a batch are there:
 * through the agent's own hooks, whose answer the running loop goes on with (facts/time-travel.md, section 2). False
 * where this release has none of them. Issue 8, item 1.
 */
export function watchBoundaries(agent: BoundaryAgent, atBoundary: AtBoundary): boolean {
  if ("prepareNextTurnWithContext" in agent) {
    const inner = agent.prepareNextTurnWithContext;
    agent.prepareNextTurnWithContext = async (turn, signal) => {
      const snapshot = await inner?.call(agent, turn, signal);
      return withMessages(
        snapshot,
        snapshot?.context ?? turn.context,
        snapshot?.stop === true ? undefined : await atBoundary(turn.context.messages, signal),
      );
    };
    return true;
  }
  if ("prepareNextTurn" in agent) {
    const inner = agent.prepareNextTurn;
    agent.prepareNextTurn = async (signal) => {
      const snapshot = await inner?.call(agent, signal);
      const { messages = [], systemPrompt, tools } = agent.state ?? {};
      return withMessages(snapshot, snapshot?.context ?? { systemPrompt, tools }, await atBoundary(messages, signal));
    };
    return true;
  }
  if (!("transformContext" in agent)) return false;
  const inner = agent.transformContext;
  agent.transformContext = async (messages, signal) => {
    const next = await atBoundary(messages, signal);
    // The list is the run's own: what is put into it, the run goes on with.
    if (next) messages.splice(0, messages.length, ...next);
    return inner ? inner.call(agent, messages, signal) : messages;
  };
  return true;
}

function withMessages(snapshot: Snapshot, context: unknown, messages: unknown[] | undefined): Snapshot {
  return messages && isObject(context) ? { ...snapshot, context: { ...context, messages } } : snapshot;
}
