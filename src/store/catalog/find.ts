import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { refusal } from "../errors.ts";
import { fileSummary } from "./files.ts";
import type { Catalog, SessionSummary } from "./summary.ts";

/**
 * The session with this id, the one that the conversation with this key goes on in, or a transcript file wherever it lies. Throws
 * `session-missing`, and `session-taken` when several agents have one with this id.
 */
export function findSummary(catalog: Catalog, which: string, agentId?: string): SessionSummary {
  if (which.endsWith(".jsonl") && existsSync(which)) return fileSummary(resolve(which));
  const { sessions, problems } = catalog.list(agentId);
  const found = sessions.filter(({ sessionId, sessionKey, isCurrent }) => sessionId === which || (sessionKey === which && isCurrent));
  if (found.length === 1) return found[0]!;
  if (found.length === 0) {
    throw refusal("session-missing", {
      expected: `a session ${which}: an id, the key of a conversation, or a transcript file (*.jsonl)`,
      found: ["none", ...problems].join("; "),
      todo: "`openclaw-integrity sessions list` shows those that are there. If the state is elsewhere, set OPENCLAW_STATE_DIR. Nothing was changed.",
    });
  }
  throw refusal("session-taken", {
    expected: `one session ${which}`,
    found: found.map(({ agentId: agent, place }) => `one of agent ${agent} (${place})`).join(", "),
    todo: "Say which with --agent. Nothing was changed.",
  });
}
