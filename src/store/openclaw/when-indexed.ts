import { setTimeout as sleep } from "node:timers/promises";
import type { OpenClawSessions, SessionTarget } from "./openclaw-sessions.ts";

/** How long OpenClaw may take; a gateway would do it with the next message. */
const PATIENCE_MS = 60_000;
const POLL_MS = 20;

/** True for what a read of OpenClaw's fails with while the session's index is out of date. */
export function isRebuilding(error: unknown): boolean {
  return error instanceof Error && error.name === "SessionTranscriptProjectionUnavailableError";
}

/**
 * Waits until OpenClaw's index of a session is up to date: it indexes a branch in the background, in this process, and
 * until then its bounded reads, which turns begin with, fail.
 */
export async function whenIndexed(openclaw: OpenClawSessions, target: SessionTarget): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; ; await sleep(POLL_MS)) {
    try {
      openclaw.open(target, { maxBytes: 1 << 16, maxEvents: 4 });
      return;
    } catch (error) {
      if (!isRebuilding(error) || Date.now() >= end) return;
    }
  }
}
