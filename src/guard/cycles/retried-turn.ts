import { setImmediate as nextTurn } from "node:timers/promises";
import { logFailure } from "../base/log.ts";
import { isEnabled } from "../base/switch.ts";
import { isEarly, type Agent, type GuardedSession } from "../openclaw/session.ts";

/** The part of OpenClaw's session that runs a turn, in releases up to 2026.4.2. */
interface PromptingSession extends GuardedSession {
  agent: Agent & { waitForIdle?: () => Promise<unknown> };
  prompt?: (...given: unknown[]) => Promise<unknown>;
  waitForRetry?: () => Promise<unknown>;
  readonly isRetrying?: boolean;
}

/**
 * Has a turn end when its agent has ended. After a broken answer OpenClaw asks again, and up to 2026.4.2 takes the turn
 * for over when the first answer is there, while its tools run and the model goes on: it stores an invented result for
 * each of them, and nobody gets the final answer. A turn whose agent is idle ends as before. Never throws.
 */
export function keepRetriedTurn(session: PromptingSession): void {
  const { agent, prompt } = session;
  if (!isEarly(agent) || typeof prompt !== "function" || typeof agent.waitForIdle !== "function") return;
  session.prompt = async (...given) => {
    try {
      return await prompt.apply(session, given);
    } finally {
      if (isEnabled()) await ended(session);
    }
  };
}

async function ended(session: PromptingSession): Promise<void> {
  try {
    do {
      await session.waitForRetry?.();
      await session.agent.waitForIdle?.();
      // The session hears of the agent's end later than the agent is idle, and may ask once more.
      await nextTurn();
    } while (session.isRetrying === true);
  } catch (error) {
    logFailure("retried turn", error, "the turn ends as OpenClaw ends it");
  }
}
