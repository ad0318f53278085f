import { join } from "node:path";
import { readFileSync } from "node:fs";
import { isGateway } from "../../store/openclaw/gateway-argv.ts";
import { endedNote } from "../base/words.ts";
import { stateDirectory } from "../../store/state-directory.ts";
import { isObject, parsedJson, type JsonObject } from "../../transcript/json/json.ts";
import { withJournal } from "../base/journal.ts";
import { logFailure, logLine } from "../base/log.ts";
import { isBefore } from "../../store/openclaw/release.ts";
import { type GuardContext, OWN_TYPE, type SessionManager } from "../openclaw/session.ts";
import { parentForUntaken } from "./note-untaken.ts";
import { readSettled, settleInputs } from "./untaken.ts";

/** Later releases go on with a sub-agent, and say which commands run. */
const WAITS_IN_VAIN = 2026_03_00;

/** What OpenClaw's process had begun for a session and took with it when it ended. */
interface Ended {
  readonly id: string;
  readonly kind: "sub-agent" | "command";
  /** The task of a sub-agent, or the name by which a command's output was to be read. */
  readonly words: string;
}

/** The sub-agents that earlier processes have left running, by run; read before this one can start any. */
let subagents: readonly JsonObject[] | undefined;

/**
 * Journals for the model which sub-agents and background commands of a session have ended with an earlier process of
 * OpenClaw 2026.2, once: a sub-agent is awaited for good, and the command's "still running" stays in the history. Never
 * throws.
 */
export function noteEnded({ sessionId, sessionKey, release }: GuardContext, manager: SessionManager | undefined): void {
  if (sessionId === undefined || !manager?.getBranch || !isBefore(release, WAITS_IN_VAIN)) return;
  // What another process finds running may be the gateway's, which lives.
  if (!isGateway()) return;
  try {
    subagents ??= readSubagents();
    const ended = [...endedSubagents(sessionKey), ...endedCommands(manager.getBranch())];
    if (ended.length === 0) return;
    withJournal((journal) =>
      journal.transaction(() => {
        const told = readSettled(journal.learned, sessionId) ?? [];
        const due = ended.filter(({ id }) => !told.includes(id));
        if (due.length === 0) return;
        const message = { role: "custom", customType: OWN_TYPE, content: endedNote(due), display: false };
        const note = { ...message, timestamp: Date.now() };
        journal.unanswered.note({ sessionId, entryId: due[0]!.id, parentId: parentForUntaken(manager), message: note });
        settleInputs(
          journal,
          sessionId,
          due.map(({ id }) => id),
        );
        logLine(`session load: the model is told of ${due.length} sub-agent(s) or command(s) that ended with OpenClaw`);
      }),
    );
  } catch (error) {
    logFailure("session load (what ended with OpenClaw)", error, "the history is used unchanged");
  }
}

function readSubagents(): JsonObject[] {
  let text: string;
  try {
    text = readFileSync(join(stateDirectory(), "subagents", "runs.json"), "utf8");
  } catch {
    return [];
  }
  const registry = parsedJson(text);
  const runs = isObject(registry) && isObject(registry.runs) ? Object.values(registry.runs) : [];
  return runs.filter(isObject).filter(({ runId, endedAt }) => typeof runId === "string" && typeof endedAt !== "number");
}

function endedSubagents(sessionKey: string | undefined): Ended[] {
  return (subagents ?? [])
    .filter(({ requesterSessionKey }) => requesterSessionKey === sessionKey)
    .map(({ runId, task }) => ({ id: String(runId), kind: "sub-agent", words: typeof task === "string" ? task : "" }));
}

/** The commands whose last result says that they run, in entries that this process has not made. */
function endedCommands(branch: readonly unknown[]): Ended[] {
  const running = new Map<string, Ended>();
  for (const entry of branch) {
    if (!isObject(entry) || !isObject(entry.message) || entry.message.role !== "toolResult") continue;
    const { details, toolCallId } = entry.message;
    if (!isObject(details) || typeof details.sessionId !== "string") continue;
    running.delete(details.sessionId);
    const isEarlier = Date.parse(String(entry.timestamp)) < performance.timeOrigin;
    if (details.status === "running" && isEarlier)
      running.set(details.sessionId, { id: String(toolCallId), kind: "command", words: details.sessionId });
  }
  return [...running.values()];
}
