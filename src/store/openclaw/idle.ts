import { storeError } from "../errors.ts";
import type { OpenClawSessions, SessionTarget } from "./openclaw-sessions.ts";

/** Throws `session-busy` when OpenClaw's own record (since 2026.8) shows a running turn in this conversation. */
export function assertIdle(
  openclaw: OpenClawSessions,
  { agentId, sessionKey, storePath }: Omit<SessionTarget, "sessionId">,
): void {
  if (openclaw.getSessionEntry({ agentId, sessionKey, storePath })?.status !== "running") return;
  throw storeError("session-busy", {
    expected: `nobody at work on ${sessionKey}`,
    found: "a run in progress, by OpenClaw's own record",
    todo:
      "Wait until it has answered, or stop it. After a crash the record may be wrong: start OpenClaw's gateway once, " +
      "or run this with --force. Nothing was changed.",
  });
}
