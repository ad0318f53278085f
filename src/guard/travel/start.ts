import { enterTravel, leaveTravel } from "../../timetravel/index.ts";
import { isObject } from "../../transcript/json/json.ts";
import { logFailure } from "../base/log.ts";
import { agentMemory } from "../base/memory.ts";
import type { Run } from "../recovery/run.ts";
import { type Agent, type GuardContext, type GuardedSession, loadedMessages } from "../openclaw/session.ts";
import { isEnabled } from "../base/switch.ts";
import { AttemptRecord } from "./attempt-record.ts";
import { Traveller } from "./travel.ts";
import { turnsLeft } from "./context.ts";
import { isTravelling } from "./history.ts";
import { RunFiles } from "./run-files.ts";
import { holdTools, watchCalls } from "./watch-calls.ts";
import { watchBoundaries } from "./turn-boundary.ts";

/** Remembers the history before `limitHistoryTurns`, so {@link startTravel} can tell how many turns the limit kept. */
export function noteLoaded(agent: Agent, messages: readonly unknown[]): void {
  agentMemory(agent).loaded = messages;
}

/** Time travel of one run. */
export interface StartedTravel {
  /** To be called at each model call of the run. */
  readonly asked: (context: unknown) => void;
  /** What the end of an answer waits for: files that are still being captured. Never rejects. */
  readonly hold: () => Promise<void> | undefined;
}

/**
 * Lets the agent of this run move in its conversation by the tools that the plugin offers. A run that does not move
 * pays only a check between its model calls. Returns undefined where the release cannot move, in a compaction, and for
 * a run without a session key. Never throws.
 */
export function startTravel(session: GuardedSession, context: GuardContext, run: Run): StartedTravel | undefined {
  const { agent, sessionManager } = session;
  const { sessionKey } = context;
  if (sessionKey === undefined || run.isCompaction || !isTravelling(sessionManager)) return undefined;
  try {
    const { loaded: before } = agentMemory(agent);
    const after = loadedMessages(session);
    const attempt = new AttemptRecord(session);
    const files = RunFiles.begin(context, sessionManager);
    const traveller = new Traveller(session, context, run, before && after && turnsLeft(before, after), files);
    const hasBoundary = watchBoundaries(agent, async (messages, signal) => {
      if (isEnabled()) void files?.afterBatch(messages);
      const next = isEnabled() ? await traveller.atBoundary(messages, signal) : undefined;
      if (next) attempt.moved(messages);
      return next;
    });
    if (!hasBoundary) return undefined;
    if (files) watchCalls(session, files);
    agent.subscribe?.((event) => {
      if (isObject(event) && event.type === "agent_end") leaveTravel(sessionKey, traveller);
    });
    return {
      asked: (given) => {
        if (files) holdTools(agent, files, given);
        traveller.asked();
        enterTravel(sessionKey, traveller);
      },
      hold: () => files?.capturing(),
    };
  } catch (error) {
    logFailure("time travel", error, "the run continues without time travel");
    return undefined;
  }
}
