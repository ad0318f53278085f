import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { joinSome } from "../../base/join-some.ts";
import { storeError } from "../errors.ts";
import { fileSummary } from "./files.ts";
import { isShortenedId } from "./shortened-id.ts";
import type { Catalog, SessionSummary } from "./summary.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

/**
 * Finds the session with this id, or the current session of the conversation with this key; where there is none, the
 * one whose shortened id, or key without its agent, this is. Takes no path, so that neither a chat message nor the name
 * of a conversation can reach a file. Throws `session-missing`, `store-unreadable` when it is not found and a store
 * could not be read, and `session-taken` when several sessions are meant.
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
  const matching = found.length === 0 ? sessions.filter((session) => isMeant(session, which)) : [];
  if (matching.length === 1) return matching[0]!;
  if (matching.length > 1)
    throw storeError("session-taken", {
      expected: `one session ${which}`,
      found: joinSome(
        matching.map(({ sessionId, sessionKey }) =>
          sessionKey === undefined ? sessionId : `${sessionId} (${sessionKey})`,
        ),
        MAX_NAMED,
      ),
      todo: "Give more of the id, or the whole key. Nothing was changed.",
    });
  if (found.length === 0 && problems.length > 0)
    // A store that cannot be read may have the session.
    throw storeError("store-unreadable", {
      expected: `a session ${which}: ${forms}`,
      found: "none of this name in what can be read",
      todo: `${problems.map(asSentence).join(" ")} Nothing was changed.`,
    });
  if (found.length === 0) {
    throw storeError("session-missing", {
      expected: `a session ${which}: ${forms}`,
      found: "none",
      todo:
        `\`${ownCommand("sessions list")}\` lists all sessions. If OpenClaw's state is in another folder, set ` +
        "OPENCLAW_STATE_DIR. Nothing was changed.",
    });
  }
  throw storeError("session-taken", {
    expected: `one session ${which}`,
    found: found.map(({ agentId: agent, place }) => `one of agent ${agent} (${place})`).join(", "),
    todo: "Name the agent with --agent. Nothing was changed.",
  });
}

const MAX_NAMED = 10;
/** Cut from the end of a quoted problem, because the refusal that quotes it ends so itself. */
const ENDINGS = ["Nothing was changed.", "nothing was changed."];

function asSentence(problem: string): string {
  const sentence = `${problem.slice(0, 1).toUpperCase()}${problem.slice(1)}`.trimEnd();
  const end = ENDINGS.find((ending) => sentence.endsWith(ending)) ?? "";
  const rest = sentence.slice(0, sentence.length - end.length).trimEnd();
  return /[.!?]$/.test(rest) ? rest : `${rest}.`;
}

/** Whether a name is a session's as reports show it: the key without the agent (`telegram:direct:4821`), or an id. */
function isMeant({ sessionId, sessionKey, agentId, isCurrent }: SessionSummary, which: string): boolean {
  return (isCurrent && sessionKey === `agent:${agentId}:${which}`) || isShortenedId(sessionId, which);
}
