import { stateDirectory } from "../../store/state-directory.ts";
import { joinSome } from "../../base/join-some.ts";
import { isMadeIn } from "../../timetravel/files/places.ts";
import { settleMoves, WorkspaceStore } from "../../workspace/index.ts";
import { logFailure, logLine } from "../base/log.ts";
import type { GuardContext, GuardedSession } from "../openclaw/session.ts";
import { completeHistory, toHistory, isTravelling } from "./history.ts";

/** How many files a log line names. */
const MAX_NAMED = 10;

/**
 * Brings the files of a move that a kill had cut off in line with the conversation that is being loaded: to the place
 * when its carryover is on the path, back to what they were otherwise. Never rejects; costs a look for a file where
 * nothing was cut off.
 */
export async function settleFiles(
  { sessionManager }: GuardedSession,
  { sessionId, sessionKey }: GuardContext,
): Promise<void> {
  if (sessionId === undefined || !isTravelling(sessionManager)) return;
  try {
    for (const store of WorkspaceStore.all(stateDirectory())) {
      if (!store.mayHavePending) continue;
      const settled = await store.use((open) =>
        settleMoves(open, ({ owner, intentId }) => {
          if (owner.sessionId !== sessionId && (sessionKey === undefined || owner.sessionKey !== sessionKey))
            return undefined;
          completeHistory(sessionManager);
          return isMadeIn(toHistory(sessionManager), intentId);
        }),
      );
      for (const { isMade, left } of settled)
        logLine(
          "files: a move that was cut off " +
            `was ${isMade ? "completed" : "taken back"}${
              left.length === 0 ? "" : `; left as they are, because somebody changed them: ${joinSome(left, MAX_NAMED)}`
            }`,
        );
    }
  } catch (error) {
    logFailure("files", error, "a move that was cut off is settled at the next load");
  }
}
