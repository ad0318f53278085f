import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { someOf } from "../../base/some-of.ts";
import { storeError } from "../errors.ts";
import { fileSummary } from "./files.ts";
import { isShortenedId } from "./shortened-id.ts";
import type { Catalog, SessionSummary } from "./summary.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

/**
 * Finds the session with this id, or the current session of the conversation with this key. Takes no path, so that
 * neither a chat message nor the name of a conversation can reach a file. Throws `session-missing`, and `session-taken`
 * when several agents have a session with this id.
 */
export function findSummary(catalog: Catalog, which: string, agentId?: string): SessionSummary {
  return find(catalog, which, agentId, "an id or the key of a conversation");
}

/**
 * {@link findSummary}, but also takes the path of a transcript file: for callers on this machine, who could read the
 * file anyway.
 */
export function findSummaryOrFile(catalog: Catalog, which: string, agentId?: string): SessionSummary {
  if (which.endsWith(".jsonl") && existsSync(which)) return fileSummary(resolve(which));
  return find(catalog, which, agentId, "an id, the key of a conversation, or a transcript file (*.jsonl)");
}

function find(catalog: Catalog, which: string, agentId: string | undefined, forms: string): SessionSummary {
  const { sessions, problems } = catalog.list(agentId);
  const found = sessions.filter(
    ({ sessionId, sessionKey, isCurrent }) => sessionId === which || (sessionKey === which && isCurrent),
  );
  if (found.length === 1) return found[0]!;
  const meant = found.length === 0 ? sessions.filter((session) => isMeant(session, which)) : [];
  if (meant.length === 1) return meant[0]!;
  if (meant.length > 1)
    throw storeError("session-taken", {
      expected: `one session ${which}`,
      found: someOf(
        meant.map(({ sessionId, sessionKey }) =>
          sessionKey === undefined ? sessionId : `${sessionId} (${sessionKey})`,
        ),
        MAX_NAMED,
      ),
      todo: "Give more of the id, or the whole key. Nothing was changed.",
    });
  if (found.length === 0) {
    throw storeError("session-missing", {
      expected: `a session ${which}: ${forms}`,
      found: ["none", ...problems].join("; "),
      todo: `\`${ownCommand("sessions list")}\` lists all sessions. If OpenClaw's state is in another folder, set OPENCLAW_STATE_DIR. Nothing was changed.`,
    });
  }
  throw storeError("session-taken", {
    expected: `one session ${which}`,
    found: found.map(({ agentId: agent, place }) => `one of agent ${agent} (${place})`).join(", "),
    todo: "Name the agent with --agent. Nothing was changed.",
  });
}

const MAX_NAMED = 10;

/** Whether a name is a session's as reports show it: the key without the agent (`telegram:direct:4821`), or an id. */
function isMeant({ sessionId, sessionKey, agentId, isCurrent }: SessionSummary, which: string): boolean {
  return (isCurrent && sessionKey === `agent:${agentId}:${which}`) || isShortenedId(sessionId, which);
}
