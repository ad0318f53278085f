import { existsSync } from "node:fs";
import type { CallsOf, JournalledCall, OpenStep } from "../continuity/index.ts";
import { journalFile, missedFile, openJournal } from "../journal/journal.ts";
import type { ToolCycle } from "../journal/tool-cycles.ts";
import { plainText } from "../transcript/json/text.ts";
import { TOOL_NAMES, TOOL_PREFIX } from "./project-name.ts";

/** Calls of one attempt that are read. */
const MAX_CALLS = 10;
const STEP = `${TOOL_PREFIX}step`;

/**
 * Returns what looks for the tool calls since an attempt began in the journal of the OpenClaw with that state
 * directory. It is opened for reading only, for each attempt that a tool call of OpenClaw has begun. Nothing is known
 * where it is missing, cannot be read, or could not be written when a call was started.
 */
export function callsFrom(stateDirectory: string): CallsOf {
  const file = journalFile(stateDirectory);
  return ({ call_id, started_at, not_begun, author }: OpenStep) => {
    if (call_id === undefined || not_begun === true || author.entry !== "openclaw") return undefined;
    if (!existsSync(file) || existsSync(missedFile(file))) return undefined;
    try {
      const journal = openJournal(file, { readOnly: true, busyTimeoutMs: 1000 });
      try {
        const begin = { callId: call_id, toolName: STEP, at: Date.parse(started_at) };
        const found = journal.cycles.since(begin, { except: TOOL_NAMES, limit: MAX_CALLS });
        return found && { calls: found.cycles.map(toJournalledCall), more: found.total - found.cycles.length };
      } finally {
        journal.close();
      }
    } catch {
      return undefined;
    }
  };
}

function toJournalledCall({ toolName, pendingAt, startedAt, finishedAt, result }: ToolCycle): JournalledCall {
  return {
    tool: toolName,
    at: new Date(startedAt ?? pendingAt).toISOString(),
    state: finishedAt !== undefined ? "ended" : startedAt !== undefined ? "started" : "not_started",
    ...(result && { result: plainText(result.content), isError: result.isError }),
  };
}
