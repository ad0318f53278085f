import { setTimeout as sleep } from "node:timers/promises";
import type { OpenClawSessions, SessionTarget } from "./openclaw-sessions.ts";

/** How long OpenClaw may take; a gateway would do it with the next message. */
const PATIENCE_MS = 60_000;
const POLL_MS = 20;

/**
 * Waits until OpenClaw's index of a session is up to date: it indexes a branch in the background, in this process, and until then its
 * bounded reads, which turns begin with, fail.
 */
export async function whenIndexed(openclaw: OpenClawSessions, target: SessionTarget): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; ; await sleep(POLL_MS)) {
    try {
      openclaw.open(target, { maxBytes: 1 << 16, maxEvents: 4 });
      return;
    } catch (error) {
      const isRebuilding = error instanceof Error && error.name === "SessionTranscriptProjectionUnavailableError";
      if (!isRebuilding || Date.now() >= end) return;
    }
  }
}
