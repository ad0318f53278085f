import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "../../transcript/json/json.ts";
import { FileSession } from "./file-session.ts";
import { agentOfKey } from "./session-coordinates.ts";
import { conversationKeys, readIndex, parseSessionId, transcriptOfEntry, type SessionIndex } from "./session-index.ts";
import { agentsIn } from "../state-directory.ts";
import type { FoundSession, SessionStore } from "./stored-session.ts";

/** Finds sessions in JSONL transcripts with a sessions.json (to 2026.7). */
export function fileStore(stateDirectory: string): SessionStore {
  return {
    find(idOrKey, agentId) {
      const keyed = agentOfKey(idOrKey);
      const agents = agentId === undefined ? agentsIn(stateDirectory) : [agentId];
      for (const agent of keyed === undefined ? agents : agents.filter((name) => name === keyed)) {
        const folder = join(stateDirectory, "agents", agent, "sessions");
        if (!existsSync(folder)) continue;
        const index = readIndex(join(folder, "sessions.json"));
        const found = byKey(agent, index, idOrKey) ?? byId(agent, index, folder, idOrKey);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

function byKey(agentId: string, index: SessionIndex | undefined, sessionKey: string): FoundSession | undefined {
  const entry = index?.entries[sessionKey];
  const transcript = index === undefined ? undefined : transcriptOfEntry(index, entry);
  if (transcript === undefined) return undefined;
  const { sessionId } = isObject(entry) ? entry : {};
  return foundFile(
    agentId,
    typeof sessionId === "string" ? sessionId : parseSessionId(transcript),
    sessionKey,
    transcript,
  );
}

/** Also finds a session that is no longer the current one of any conversation, by its file. */
function byId(
  agentId: string,
  index: SessionIndex | undefined,
  folder: string,
  sessionId: string,
): FoundSession | undefined {
  const indexed = Object.values(index?.entries ?? {}).find((entry) => isObject(entry) && entry.sessionId === sessionId);
  const transcript = (index && transcriptOfEntry(index, indexed)) ?? transcriptIn(folder, sessionId);
  if (transcript === undefined) return undefined;
  return foundFile(
    agentId,
    sessionId,
    index === undefined ? undefined : conversationKeys(index, transcript)[0],
    transcript,
  );
}

function transcriptIn(folder: string, sessionId: string): string | undefined {
  const name = readdirSync(folder).find((file) => file.endsWith(".jsonl") && parseSessionId(file) === sessionId);
  return name === undefined ? undefined : join(folder, name);
}

function foundFile(
  agentId: string,
  sessionId: string,
  sessionKey: string | undefined,
  transcript: string,
): FoundSession {
  const coordinates = { agentId, sessionId, sessionKey };
  return { ...coordinates, open: () => new FileSession(coordinates, transcript) };
}
