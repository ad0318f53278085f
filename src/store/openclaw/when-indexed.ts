import { setTimeout as sleep } from "node:timers/promises";
import type { OpenClawSessions, SessionTarget } from "./openclaw-sessions.ts";

/** How long to wait for OpenClaw; if that is not enough, a gateway indexes the session with the next message. */
const TIMEOUT_MS = 60_000;
const POLL_MS = 20;

/** Whether this is the error of OpenClaw's bounded reads while the session's index is out of date. */
export function isRebuilding(error: unknown): boolean {
  return error instanceof Error && error.name === "SessionTranscriptProjectionUnavailableError";
}

/**
 * Waits until OpenClaw's index of a session is up to date, at most a minute; returns early on any other error. OpenClaw
 * indexes a branch in the background, in this process, and until then its bounded reads, with which turns begin, fail.
 */
export async function whenIndexed(openclaw: OpenClawSessions, target: SessionTarget): Promise<void> {
  for (const end = Date.now() + TIMEOUT_MS; ; await sleep(POLL_MS)) {
    try {
      openclaw.open(target, { maxBytes: 1 << 16, maxEvents: 4 });
      return;
    } catch (error) {
      if (!isRebuilding(error) || Date.now() >= end) return;
    }
  }
}
