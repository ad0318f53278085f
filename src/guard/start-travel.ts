import { enterTravel, leaveTravel } from "../timetravel/index.ts";
import { isObject } from "../transcript/json.ts";
import { logFailure } from "./log.ts";
import type { Run } from "./run.ts";
import type { Agent, GuardContext, GuardedSession } from "./session.ts";
import { messagesOf } from "./session-messages.ts";
import { isEnabled } from "./switch.ts";
import { Traveller } from "./travel.ts";
import { turnsLeft } from "./travel-context.ts";
import { isTravelling } from "./travel-history.ts";
import { watchBoundaries } from "./turn-boundary.ts";

/** What each agent's history was before OpenClaw's limit on it. */
const loaded = new WeakMap<object, readonly unknown[]>();

/**
 * Takes down the history of a run as it was loaded, for {@link startTravel} to see what OpenClaw's limit takes from it.
 */
export function noteLoaded(agent: Agent, messages: readonly unknown[]): void {
  loaded.set(agent, messages);
}

/** Told of each model call of the run. */
export interface StartedTravel {
  readonly asked: () => void;
}

/**
 * Lets the agent of this run move in the history of its conversation by the tools that the plugin offers. Costs a run
 * that does not move nothing but a look between its model calls. Undefined where this release cannot, or the run has no
 * conversation. Never throws. Issue 8.
 */
export function startTravel(session: GuardedSession, context: GuardContext, run: Run): StartedTravel | undefined {
  const { agent, sessionManager } = session;
  const { sessionKey } = context;
  if (sessionKey === undefined || run.isCompaction || !isTravelling(sessionManager)) return undefined;
  try {
    const before = loaded.get(agent);
    const after = messagesOf(session);
    const traveller = new Traveller(session, context, run, before && after && turnsLeft(before, after));
    const hasBoundary = watchBoundaries(agent, async (messages, signal) =>
      isEnabled() ? await traveller.atBoundary(messages, signal) : undefined,
    );
    if (!hasBoundary) return undefined;
    agent.subscribe?.((event) => {
      if (isObject(event) && event.type === "agent_end") leaveTravel(sessionKey, traveller);
    });
    return {
      asked: () => {
        traveller.asked();
        enterTravel(sessionKey, traveller);
      },
    };
  } catch (error) {
    logFailure("time travel", error, "the run goes on without");
    return undefined;
  }
}
