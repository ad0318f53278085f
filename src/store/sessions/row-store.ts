import { existsSync } from "node:fs";
import { loadOpenClawSessions, type OpenClawSessions, type SessionTarget } from "../openclaw/openclaw-sessions.ts";
import { RowSession } from "./row-session.ts";
import { agentDatabase, agentOfKey } from "./session-coordinates.ts";
import { agentsIn } from "../state-directory.ts";
import type { SessionStore } from "./stored-session.ts";

/** Finds sessions in OpenClaw's database (since 2026.8). Throws `openclaw-unfit`. */
export async function rowStore(root: string, stateDirectory: string): Promise<SessionStore> {
  const openclaw = await loadOpenClawSessions(root, stateDirectory);
  return {
    find(idOrKey, agentId) {
      const target = findSessionTarget(openclaw, stateDirectory, idOrKey, agentId);
      return target && { ...target, open: () => new RowSession(openclaw, target) };
    },
  };
}

/**
 * Finds the session with this id, or the current session of the conversation with this key; undefined when there is
 * neither.
 */
export function findSessionTarget(
  openclaw: OpenClawSessions,
  stateDirectory: string,
  idOrKey: string,
  agentId?: string,
): SessionTarget | undefined {
  const keyed = agentOfKey(idOrKey);
  const agents = agentId === undefined ? agentsIn(stateDirectory) : [agentId];
  for (const agent of keyed === undefined ? agents : agents.filter((name) => name === keyed)) {
    // Reading a store that does not exist would create it.
    if (!existsSync(agentDatabase(stateDirectory, agent))) continue;
    const target = inAgent(openclaw, agent, idOrKey);
    if (target !== undefined) return target;
  }
  return undefined;
}

function inAgent(openclaw: OpenClawSessions, agentId: string, idOrKey: string): SessionTarget | undefined {
  const storePath = openclaw.resolveStorePath(undefined, { agentId });
  const current = openclaw.getSessionEntry({ agentId, sessionKey: idOrKey, storePath })?.sessionId;
  if (current !== undefined) return { agentId, sessionKey: idOrKey, sessionId: current, storePath };
  const sessionKey = openclaw.resolveTranscriptSessionKeyBySessionId({ agentId, sessionId: idOrKey, storePath });
  return sessionKey === undefined ? undefined : { agentId, sessionKey, sessionId: idOrKey, storePath };
}
