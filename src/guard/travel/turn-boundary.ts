import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import type { Agent } from "../openclaw/session.ts";

/**
 * Gets the messages that a run would send next; returns their replacement, or undefined to keep them. Never rejects.
 */
export type AtBoundary = (
  messages: readonly unknown[],
  signal: AbortSignal | undefined,
) => Promise<unknown[] | undefined>;

type Snapshot = JsonObject | undefined;
type WithTurn = (turn: { context: { messages: unknown[] } }, signal?: AbortSignal) => Promise<Snapshot>;
type WithSignal = (signal?: AbortSignal) => Promise<Snapshot>;
type Transform = (messages: unknown[], signal?: AbortSignal) => Promise<unknown[]>;

/**
 * OpenClaw's agent with its hooks between two model calls of a run; which hooks exist depends on the release.
 */
interface BoundaryAgent extends Agent {
  /** Since 2026.8.1. */
  prepareNextTurnWithContext?: WithTurn;
  /** Since 2026.5.18. */
  prepareNextTurn?: WithSignal;
  /** In all releases. Up to 2026.5.17 the agent passes the very list that the run then uses. */
  transformContext?: Transform;
  state?: { messages?: unknown[]; systemPrompt?: unknown; tools?: unknown };
}

/**
 * Calls `atBoundary` between two model calls of every run of this agent, when all results of a batch are there. Wraps
 * the agent's own hooks, whose return value the running loop uses. Returns false where the release has none of them.
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
    // The list is the run's own, so that the run uses what is put into it.
    if (next) messages.splice(0, messages.length, ...next);
    return inner ? inner.call(agent, messages, signal) : messages;
  };
  return true;
}

function withMessages(snapshot: Snapshot, context: unknown, messages: unknown[] | undefined): Snapshot {
  return messages && isObject(context) ? { ...snapshot, context: { ...context, messages } } : snapshot;
}
