import { conversationOf, projectOf } from "../../continuity-tools/project-name.ts";
import { isIncognito } from "../../store/sessions/session-coordinates.ts";
import type { WorkReader } from "../../timetravel/index.ts";
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
    ((calls) =>
      work.atMove(
        {
          project_id: projectOf(sessionKey, scope),
          conversation: conversationOf(sessionKey),
          staleAfterMs: staleAfterHours * HOUR_MS,
        },
        calls,
      ))
  );
}
