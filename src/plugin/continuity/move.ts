import { conversationAuthor, conversationProject } from "../../continuity-tools/project-name.ts";
import { isIncognito } from "../../store/sessions/session-coordinates.ts";
import type { WorkReader } from "../../timetravel/index.ts";
import type { ContinuityConfig } from "../settings/continuity.ts";
import { HOUR_MS } from "./register.ts";
import type { ContinuityWork } from "./work.ts";

/**
 * Returns what reads the recorded work of a conversation when it moves, or when another one is made from it; undefined
 * where there is none.
 */
export function makeWorkReader(
  work: ContinuityWork | undefined,
  { scope, staleAfterHours }: ContinuityConfig,
  sessionKey: string,
  { isFork = false }: { readonly isFork?: boolean } = {},
): WorkReader | undefined {
  if (work === undefined || isIncognito(sessionKey)) return undefined;
  const request = {
    project_id: conversationProject(sessionKey, scope),
    conversation: conversationAuthor(sessionKey),
    staleAfterMs: staleAfterHours * HOUR_MS,
    isApart: isFork && scope === "session",
  };
  return (calls) => work.atMove(request, calls);
}
