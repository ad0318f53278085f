import { conversationOf, projectOf } from "../../continuity-tools/project-name.ts";
import { isIncognito } from "../../store/sessions/session-coordinates.ts";
import type { SeenCall, WorkReader } from "../../timetravel/index.ts";
import { TOOL_PREFIX } from "./names.ts";
import { HOUR_MS, sharedWork, type WorkSettings } from "./register.ts";

/**
 * Returns what reads the recorded work of a conversation when it moves; undefined where recorded work is turned off or
 * cannot be loaded.
 */
export function workReaderFor(settings: WorkSettings, sessionKey: string): WorkReader | undefined {
  const work = isIncognito(sessionKey) ? undefined : sharedWork(settings);
  const { scope, staleAfterHours } = settings.config;
  return (
    work &&
    (({ kept, left }) =>
      work.atMove(
        {
          project_id: projectOf(sessionKey, scope),
          conversation: conversationOf(sessionKey),
          staleAfterMs: staleAfterHours * HOUR_MS,
        },
        { kept: ofWork(kept), left: ofWork(left) },
      ))
  );
}

/** The calls of the tools for recorded work, without the prefix of their names, and what earlier moves told. */
function ofWork(calls: readonly SeenCall[]): SeenCall[] {
  return calls.flatMap((call) => {
    if (call.tool === undefined) return [call];
    return call.tool.startsWith(TOOL_PREFIX) ? [{ ...call, tool: call.tool.slice(TOOL_PREFIX.length) }] : [];
  });
}
