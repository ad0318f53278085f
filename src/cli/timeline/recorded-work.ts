import { describeError } from "../../base/coded-error.ts";
import { conversationAuthor, conversationProject, TOOL_PREFIX } from "../../continuity-tools/project-name.ts";
import { callsFrom } from "../../continuity-tools/tool-journal.ts";
import { NO_WORK, unreadWork, workAtFork, workAtMove } from "../../continuity-tools/work-at-move.ts";
import { authorBy, ContinuityError } from "../../continuity/index.ts";
import type { WorkReader } from "../../timetravel/index.ts";
import { configuredStore, configuredWork } from "../continuity/base/plugin-config.ts";
import { withContinuity } from "../continuity/base/store.ts";

const HOUR_MS = 60 * 60 * 1000;

/**
 * Returns what reads the recorded work of a conversation at a move, or when another one is made from it, from the store
 * that the plugin's configuration names. What cannot be read is added to `warnings`.
 */
export function workReaderFor(
  sessionKey: string,
  stateDirectory: string,
  warnings: string[],
  { isFork = false }: { readonly isFork?: boolean } = {},
): WorkReader {
  return async (calls) => {
    try {
      const { enabled, scope, staleAfterHours } = configuredWork();
      if (enabled !== true) return NO_WORK;
      const reader = authorBy("openclaw", conversationAuthor(sessionKey));
      return await withContinuity({ ...configuredStore(stateDirectory), author: reader }, async ({ continuity }) => {
        const project = await continuity.find(conversationProject(sessionKey, scope === "agent" ? "agent" : "session"));
        if (!project) return NO_WORK;
        const staleAfterMs = typeof staleAfterHours === "number" ? staleAfterHours * HOUR_MS : undefined;
        return (isFork && scope !== "agent" ? workAtFork : workAtMove)(project, calls, {
          now: Date.now(),
          staleAfterMs,
          toolPrefix: TOOL_PREFIX,
          reader,
          calls: callsFrom(stateDirectory),
        });
      });
    } catch (error) {
      if (error instanceof ContinuityError && error.code === "not-found") return NO_WORK;
      warnings.push(`recorded work could not be read: ${describeError(error)}`);
      return unreadWork(TOOL_PREFIX);
    }
  };
}
