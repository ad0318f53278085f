import { isRebuilding } from "../../store/openclaw/when-indexed.ts";
import { logLine } from "../base/log.ts";
import { isEnabled } from "../base/switch.ts";

/** How long a read waits for the index of the session, and how often it looks. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 200;

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}

/**
 * A transcript read of OpenClaw 2026.9 that, when the session's index is out of date, has it rebuilt and reads again
 * instead of failing the turn (rows without ids leave it so for good). Other errors and a sound index are not touched.
 */
export function whenIndexed<F extends (...args: never[]) => Promise<unknown>>(
  read: F,
  signal: AbortSignal | undefined,
  rebuild: () => void,
): F {
  if (!isEnabled()) return read;
  const patient = async (...args: never[]): Promise<unknown> => {
    const deadline = Date.now() + PATIENCE_MS;
    for (let tries = 0; ; tries++) {
      try {
        return await read(...args);
      } catch (error) {
        if (!isRebuilding(error) || Date.now() >= deadline || signal?.aborted) throw error;
        if (tries === 0) {
          logLine("session load: the index of the session is rebuilt");
          rebuild();
        }
        await pause();
      }
    }
  };
  return patient as F;
}

/**
 * Stands before OpenClaw 2026.8.1 to 2026.9.5 reads a session: their read starts the rebuild of an outdated index and
 * fails the turn all the same. `read` is a small read of the same session; it is tried until it succeeds, fails in
 * another way, or ten seconds have passed. Never throws: what is wrong then is OpenClaw's own read to say.
 */
export async function whenReadable(read: () => unknown): Promise<void> {
  if (!isEnabled()) return;
  const deadline = Date.now() + PATIENCE_MS;
  for (let tries = 0; ; tries++) {
    try {
      read();
      return;
    } catch (error) {
      if (!isRebuilding(error) || Date.now() >= deadline) return;
      if (tries === 0) logLine("session load: the index of the session is being rebuilt, the turn waits");
      await pause();
    }
  }
}
